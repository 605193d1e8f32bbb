// Retry-After: the vectors in the lenient reading, and edge cases.
#include "wire/retry_after.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "table.hpp"
#include "vectors.hpp"
#include "wire/http_date.hpp"

namespace noun::wire { namespace retry_after_test {

using namespace std::literals;

using std::chrono::sys_seconds;
using wire_test::Table;

constexpr sys_seconds noon{1768910400s};

std::optional<Duration> read(std::vector<std::string_view> values, std::optional<sys_seconds> date = noon) {
  return parse_retry_after(values, date, noon);
}

TEST(RetryAfter, each_of_48_vectors_is_read_leniently) {
  const auto vectors = wire_test::vectors("retry_after.json");
  EXPECT_EQ(vectors.size(), 48U);
  for (const auto& vector : vectors) {
    SCOPED_TRACE(vector.id());
    const auto& data = vector.data;
    const auto now = wire_test::wall_time(data.at("now").get<std::int64_t>());
    std::optional<sys_seconds> date;
    if (data.at("date").is_string()) date = parse_http_date(data.at("date").get<std::string>(), now);
    const auto lines = wire_test::lines_of(data.at("value"));
    const auto wait = parse_retry_after(wire_test::views_of(lines), date, now);

    const auto& expected = data.at("lenient");
    if (!expected.is_number()) {
      EXPECT_EQ(wait, expected == "overflow" ? std::optional(Duration::max()) : std::nullopt);
      continue;
    }
    ASSERT_TRUE(wait);
    EXPECT_NEAR(std::chrono::duration<double>(*wait).count(), expected.get<double>(), 1e-6);
  }
}

using Lines = std::vector<std::string_view>;

TEST(RetryAfter, the_largest_readable_of_several_is_used) {
  for (const auto& [lines, wait] :
       Table<std::optional<Duration>, Lines>{{{}, {}},
                                             {{"60", "120", "30"}, 120s},
                                             {{"120, 60"}, 120s},
                                             {{"60, 120", "7"}, 120s},
                                             {{"60", "soon"}, 60s},
                                             {{"soon", "60", "1"}, 60s},
                                             {{"soon", ""}, {}},
                                             {{"60", ""}, 60s},
                                             {{"60, soon"}, 60s},
                                             {{"60, "}, {}},
                                             {{"Tue, 20 Jan 2026 12:00:30 GMT", "60"}, 60s},
                                             {{"Tue, 20 Jan 2026 12:00:30 GMT", "7"}, 30s},
                                             {{"1,000"}, {}},
                                             {{"60\0"sv}, {}},
                                             {{"Tue, 20 Jan 2026 12:00:30 GMT", " Tue, 20 Jan 2026 12:00:30 GMT"}, 30s},
                                             {{"Tue, 20 Jan 2026 12:00:30 GMT", "Tue, 20 Jan 2026 12:00:31 GMT"}, 31s}})
    EXPECT_EQ(read(lines), wait) << ::testing::PrintToString(lines);
}

TEST(RetryAfter, an_instant_is_measured_against_the_servers_own_date) {
  for (const auto* text : {"Tue, 20 Jan 2026 12:00:30 GMT", "1768910430"}) {
    EXPECT_EQ(read({text}, noon - 1h), 1h + 30s) << text;
    EXPECT_EQ(read({text}, noon + 1h), 0s) << text;
    EXPECT_EQ(read({text}, std::nullopt), 30s) << text;
  }
  EXPECT_EQ(read({"120"}, sys_seconds(10s)), 120s) << "seconds are seconds also with a clock that was never set";
}

TEST(RetryAfter, an_instant_keeps_its_fraction_and_is_at_least_now) {
  for (const auto& [text, wait] : Table<Duration>{{"1768910430.25", 30250ms},
                                                  {"1768910390", 0s},
                                                  {"2026-01-20T12:00:30.5Z", 30500ms},
                                                  {"2026-01-20T11:59:59.5Z", 0s}})
    EXPECT_EQ(read({text}), wait) << text;
}

TEST(RetryAfter, too_long_spans_saturate) {
  const auto earliest = sys_seconds(std::chrono::sys_days(std::chrono::year(1) / 1 / 1));
  EXPECT_EQ(read({"Fri, 31 Dec 9999 23:59:59 GMT"}), Duration::max());
  EXPECT_EQ(read({"2261-12-31T23:59:59.9Z"}, earliest), Duration::max());
  EXPECT_EQ(read({"9223372036.9"}), Duration::max());
}

TEST(RetryAfter, megabytes_of_digits_and_commas_take_linear_time) {
  EXPECT_EQ(read({std::string(1'000'000, '9')}), Duration::max());
  EXPECT_EQ(read({wire_test::repeated("1, ", 300'000) + "1"}), 1s);
}

TEST(RetryAfter, a_number_within_a_year_of_the_servers_clock_is_a_time) {
  const auto at = [](std::int64_t seconds) { return std::to_string(noon.time_since_epoch().count() + seconds); };
  constexpr std::int64_t a_leap_year = 366 * 86'400;
  EXPECT_EQ(read({at(a_leap_year)}), 366 * 24h);
  EXPECT_EQ(read({at(-a_leap_year)}), 0s);
  for (const auto far : {a_leap_year + 1, -a_leap_year - 1})
    EXPECT_EQ(read({at(far)}), noon.time_since_epoch() + std::chrono::seconds(far));
}

}}  // namespace noun::wire::retry_after_test
