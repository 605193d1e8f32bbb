// Retry-After: every vector in the lenient reading, and its corners.
#include "wire/retry_after.hpp"

#include <gtest/gtest.h>

#include "vectors.hpp"
#include "wire/http_date.hpp"

namespace noun::wire {
namespace retry_after_test {

using namespace std::literals;

using std::chrono::sys_seconds;
using wire_test::Vector;
using wire_test::wall_time;

constexpr sys_seconds noon{1768910400s};

std::optional<Duration> read(std::vector<std::string_view> values, std::optional<sys_seconds> date = noon) {
  return parse_retry_after(values, date, wall_time(1768910400));
}

class RetryAfterVector : public testing::TestWithParam<Vector> {};

TEST_P(RetryAfterVector, is_read_leniently) {
  const auto& data = GetParam().data;
  const auto now = wall_time(data.at("now").get<std::int64_t>());
  std::optional<sys_seconds> date;
  if (data.at("date").is_string()) date = parse_http_date(data.at("date").get<std::string>(), now);
  const auto lines = wire_test::lines_of(data.at("value"));
  const auto wait = parse_retry_after(wire_test::views_of(lines), date, now);

  const auto& expected = data.at("lenient");
  if (expected == "invalid") {
    EXPECT_EQ(wait, std::nullopt);
  } else if (expected == "overflow") {
    EXPECT_EQ(wait, Duration::max());
  } else {
    ASSERT_TRUE(wait);
    EXPECT_NEAR(std::chrono::duration<double>(*wait).count(), expected.get<double>(), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(vectors, RetryAfterVector, testing::ValuesIn(wire_test::vectors("retry_after.json")),
                         wire_test::id_of);

TEST(RetryAfterVectors, all_48_are_there) { EXPECT_EQ(wire_test::vectors("retry_after.json").size(), 48U); }

TEST(RetryAfter, no_field_means_nothing) { EXPECT_EQ(read({}), std::nullopt); }

TEST(RetryAfter, a_date_is_measured_against_the_servers_own) {
  EXPECT_EQ(read({"Tue, 20 Jan 2026 12:00:30 GMT"}, noon - 1h), 1h + 30s);
  EXPECT_EQ(read({"Tue, 20 Jan 2026 12:00:30 GMT"}, noon + 1h), 0s);
  EXPECT_EQ(read({"Tue, 20 Jan 2026 12:00:30 GMT"}, std::nullopt), 30s);
}

TEST(RetryAfter, of_several_numbers_the_largest_counts) {
  EXPECT_EQ(read({"60", "120", "30"}), 120s);
  EXPECT_EQ(read({"120, 60"}), 120s);
  EXPECT_EQ(read({"60, 120", "7"}), 120s);
}

TEST(RetryAfter, one_unreadable_line_among_several_makes_it_unreadable) {
  EXPECT_EQ(read({"60", "soon"}), std::nullopt);
  EXPECT_EQ(read({"60", ""}), std::nullopt);
  EXPECT_EQ(read({"60, "}), std::nullopt);
  EXPECT_EQ(read({"1,000"}), std::nullopt);
}

TEST(RetryAfter, a_repeated_date_counts_once) {
  EXPECT_EQ(read({"Tue, 20 Jan 2026 12:00:30 GMT", " Tue, 20 Jan 2026 12:00:30 GMT"}), 30s);
  EXPECT_EQ(read({"Tue, 20 Jan 2026 12:00:30 GMT", "Tue, 20 Jan 2026 12:00:31 GMT"}), std::nullopt);
}

TEST(RetryAfter, an_epoch_stamp_is_the_time_until_it) {
  EXPECT_EQ(read({"1768910430.25"}), 30250ms);
  EXPECT_EQ(read({"1768910390"}), 0s);
  EXPECT_EQ(read({"1768910430"}, noon - 1h), 1h + 30s);
}

TEST(RetryAfter, with_a_clock_that_was_never_set_seconds_stay_seconds) {
  EXPECT_EQ(read({"120"}, sys_seconds(10s)), 120s);
}

TEST(RetryAfter, an_rfc_3339_time_keeps_its_fraction) {
  EXPECT_EQ(read({"2026-01-20T12:00:30.5Z"}), 30500ms);
  EXPECT_EQ(read({"2026-01-20T11:59:59.5Z"}), 0s);
}

TEST(RetryAfter, spans_that_do_not_fit_saturate) {
  const auto earliest = sys_seconds(std::chrono::sys_days(std::chrono::year(1) / 1 / 1));
  EXPECT_EQ(read({"Fri, 31 Dec 9999 23:59:59 GMT"}), Duration::max());
  EXPECT_EQ(read({"2261-12-31T23:59:59.9Z"}, earliest), Duration::max());
  EXPECT_EQ(read({"9223372036.9"}), Duration::max());
}

TEST(RetryAfter, megabytes_of_digits_and_commas_take_linear_time) {
  EXPECT_EQ(read({std::string(1'000'000, '9')}), Duration::max());
  std::string list = "1";
  for (int i = 0; i < 300'000; ++i) list += ", 1";
  EXPECT_EQ(read({list}), 1s);
  EXPECT_EQ(read({"60\0"sv}), std::nullopt);
}

}  // namespace retry_after_test
}  // namespace noun::wire
