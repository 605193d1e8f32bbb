// State as bytes: every type is read back, another origin shifts instants, and invalid bytes do no harm.
#include "wire/state_bytes.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "quota/account.hpp"
#include "quota/estimators/token_bucket.hpp"
#include "quota/routes.hpp"

namespace quota_tests { namespace state_bytes_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;
using namespace noun::wire;

constexpr Instant origin{1000s};

enum class Colour : std::uint8_t { red, blue, end_of_values };

struct Part {
  std::int32_t number = 0;
  std::optional<Instant> when = {};

  bool operator==(const Part&) const = default;
  static void fields(auto& self, auto& archive) {
    archive(self.number, self.when);
  }
};

using Numbers = std::tuple<bool, std::int64_t, std::uint64_t, std::uint8_t, Colour, double>;
using Times = std::tuple<Duration, Instant, WallTime, std::chrono::sys_seconds>;
using Nested = std::tuple<std::string, std::optional<std::string>, std::pair<Part, int>, std::deque<std::vector<Part>>,
                          std::map<std::uint64_t, std::optional<Part>>,
                          std::unordered_map<std::string, std::vector<Instant>>, std::int64_t>;
using Everything = std::tuple<Numbers, Times, Nested>;

Everything example(Instant at) {
  return {{true, -300, std::numeric_limits<std::uint64_t>::max(), std::uint8_t{255}, Colour::blue, -0.1},
          {-5ms, at, WallTime(-7s), std::chrono::sys_seconds(1'700'000'000s)},
          {std::string("a\0\xff", 3),
           "",
           {{-1, at}, 7},
           {{}, {{1, at - 1ns}, {}}, {{-2, at + 1ns}}},
           {{0, {}}, {1, Part{4, at}}},
           {{"", {}}, {"c", {at, Instant::min(), Instant::max()}}},
           -1}};
}

template <class T>
std::string bytes_of(const T& value, Instant from = origin) {
  StateWriter writer(from);
  writer(value);
  return writer.take();
}

/// Reads all of the bytes, or nothing.
template <class T>
std::optional<T> value_of(std::string_view bytes, Instant to = origin) {
  StateReader reader(bytes, to);
  T value{};
  reader(value);
  return reader.ok() && reader.at_end() ? std::optional<T>(std::move(value)) : std::nullopt;
}

template <class T>
void expect_to_come_back(const T& value) {
  EXPECT_EQ(value_of<T>(bytes_of(value)), value);
}

TEST(StateBytes, every_type_is_read_back) {
  expect_to_come_back(example(origin + 5s));
  expect_to_come_back(Everything{});
  EXPECT_NE(bytes_of(example(origin)), bytes_of(Everything{}));
}

TEST(StateBytes, the_ends_of_every_range_are_read_back) {
  for (const auto number : std::initializer_list<std::int64_t>{-largest_state_count, 1 - largest_state_count, -129, -64,
                                                               -1, 0, 63, 64, largest_state_count})
    expect_to_come_back(number);
  for (const auto count :
       std::initializer_list<std::uint64_t>{0, 127, 128, 16384, std::numeric_limits<std::uint64_t>::max()})
    expect_to_come_back(count);
  for (const Instant at : {Instant::min(), Instant::max(), Instant{}, origin, origin - 1ns, Instant::max() - 1ns,
                           origin - Duration::max()})
    expect_to_come_back(at);
  for (const WallTime wall : {WallTime::min(), WallTime::max()}) expect_to_come_back(wall);
  for (const Duration span : {Duration::min(), Duration::max()}) expect_to_come_back(span);
  for (const double real : {0.0, 1e300, -std::numeric_limits<double>::infinity()}) expect_to_come_back(real);
}

TEST(StateBytes, are_the_same_on_every_machine) {
  const auto [numbers, times, nested] = example(origin + 5s);
  std::string text;
  for (const char byte : bytes_of(std::pair(numbers, times)))
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  EXPECT_EQ(text, "01d704ffffffffffffffffff01ff01019a9999999999b9bffface20482c8afa025ff97dc933480c49fd50c");
}

TEST(StateBytes, a_count_is_bounded_when_it_is_written_and_when_it_is_read) {
  for (const std::int64_t sign : {-1, 1}) {
    EXPECT_EQ(value_of<std::int64_t>(bytes_of(sign * std::numeric_limits<std::int64_t>::max())), sign * largest_state_count);
    EXPECT_FALSE(value_of<std::int64_t>(bytes_of(Duration(sign * (largest_state_count + 1)))));
    EXPECT_FALSE(value_of<std::int32_t>(bytes_of(sign * (std::int64_t{1} << 32))));
  }
  EXPECT_FALSE(value_of<std::int64_t>(bytes_of(Duration::min())));
  EXPECT_FALSE(value_of<std::uint8_t>(bytes_of(std::uint64_t{256})));
}

TEST(StateBytes, another_origin_shifts_instants_and_nothing_else) {
  const auto bytes = bytes_of(example(origin + 5s), origin);
  EXPECT_EQ(value_of<Everything>(bytes, origin - 400s), example(origin - 395s));
  EXPECT_EQ(value_of<Instant>(bytes_of(origin + 5s), Instant::max()), Instant::max()) << "saturates";
}

template <class T>
void expect_to_need_all_of(const T& value) {
  const std::string bytes = bytes_of(value);
  EXPECT_TRUE(value_of<T>(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(value_of<T>(std::string_view(bytes).substr(0, size))) << size << " of " << bytes.size();
  EXPECT_FALSE(value_of<T>(bytes + '\0'));
}

TEST(StateBytes, truncated_or_trailing_bytes_are_rejected) {
  expect_to_need_all_of(example(origin + 5s));
  expect_to_need_all_of(TokenBucket{});
  expect_to_need_all_of(Routes{});
  Account account;
  for (int i = 0; i < 300; ++i) {
    const auto sending = account.send({.at = origin});
    account.finish(sending);
    account.record(sending, Outcome::served, origin + i * 1ms);
  }
  expect_to_need_all_of(account);
}

TEST(StateBytes, a_sequence_that_ends_early_is_rejected) {
  expect_to_need_all_of(std::vector<std::int64_t>{1, 2, 3});
  EXPECT_FALSE(value_of<std::vector<bool>>("\xff\xff\xff\xff\1\1"));
}

TEST(StateBytes, values_that_no_writer_writes_are_rejected) {
  EXPECT_FALSE(value_of<bool>("\2"));
  EXPECT_FALSE(value_of<Colour>("\2"));
  EXPECT_FALSE(value_of<std::optional<bool>>("\2\1"));
  EXPECT_FALSE(value_of<std::string>("\5abcd"));
  EXPECT_FALSE(value_of<std::uint64_t>("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"));
}

TEST(StateBytes, no_bytes_do_any_harm) {
  std::mt19937_64 random(1);
  const std::string good = bytes_of(example(origin + 5s));
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = i % 2 == 0 ? good : std::string(static_cast<std::size_t>(random() % 200), '\0');
    for (char& one : bytes)
      if (i % 2 != 0 || random() % 50 == 0) one = static_cast<char>(random());
    const auto read = value_of<Everything>(bytes);
    EXPECT_TRUE(!read || std::get<Colour>(std::get<Numbers>(*read)) < Colour::end_of_values);
    value_of<TokenBucket>(bytes);
    value_of<Account>(bytes);
    value_of<Routes>(bytes);
  }
}

}  // namespace state_bytes_test
}  // namespace quota_tests
