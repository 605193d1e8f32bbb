// The command line, and the ranges of the options.
#include "atlas_arguments.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace atlas_arguments_test {

using namespace std::chrono_literals;
using atlas::parse_arguments;
using atlas::parse_duration;
using atlas::ResetForm;

std::string error_of(const std::vector<std::string_view>& words) {
  try {
    parse_arguments(words);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(AtlasArguments, every_option_sets_its_member) {
  // clang-format off
  const auto read = parse_arguments(
      {"--port", "8080", "--address", "127.0.0.2", "--data", "/d", "--prefix", "/v1", "--limit=60", "--period", "1m",
       "--window-phase", "300ms", "--rate-headers", "off", "--reset", "delta", "--retry-after", "off",
       "--latency", "5ms", "--drop", "0.1", "--drop-after", "0.2", "--unavailable", "0.3", "--truncate", "0.4",
       "--seed", "9", "--clock-offset", "-1h", "--until-stdin-closes"});
  // clang-format on
  const auto& options = read.options;
  EXPECT_EQ(options.port, 8080);
  EXPECT_EQ(options.address, "127.0.0.2");
  EXPECT_EQ(options.data, "/d");
  EXPECT_EQ(options.prefix, "/v1");
  EXPECT_EQ(options.limit, 60U);
  EXPECT_EQ(options.period, 1min);
  EXPECT_EQ(options.window_phase, 300ms);
  EXPECT_FALSE(options.rate_headers);
  EXPECT_EQ(options.reset, ResetForm::delta);
  EXPECT_FALSE(options.retry_after);
  EXPECT_EQ(options.latency, 5ms);
  EXPECT_EQ(options.drop, 0.1);
  EXPECT_EQ(options.drop_after, 0.2);
  EXPECT_EQ(options.unavailable, 0.3);
  EXPECT_EQ(options.truncate, 0.4);
  EXPECT_EQ(options.seed, 9U);
  EXPECT_EQ(options.clock_offset, -1h);
  EXPECT_TRUE(read.until_stdin_closes);
}

TEST(AtlasArguments, every_form_of_reset_has_a_name) {
  EXPECT_EQ(parse_arguments({"--reset=epoch"}).options.reset, ResetForm::epoch);
  EXPECT_EQ(parse_arguments({"--reset=fractional"}).options.reset, ResetForm::fractional);
  EXPECT_EQ(parse_arguments({"--reset=none"}).options.reset, ResetForm::none);
}

TEST(AtlasArguments, an_error_names_the_option) {
  const struct {
    std::vector<std::string_view> words;
    const char* error;
  } cases[] = {
      {{"--limits", "5"}, "unknown option '--limits'; see --help"},
      {{"--limit"}, "--limit needs a value: requests in one window; 0 for no limit (0)"},
      {{"--limit", "-5"}, "--limit: '-5' is not a number in range"},
      {{"--port", "65536"}, "--port: '65536' is not a number in range"},
      {{"--drop", "0.1x"}, "--drop: '0.1x' is not a number in range"},
      {{"--reset", "date"}, "--reset: 'date' is not one of epoch, delta, fractional, none"},
      {{"--retry-after", "yes"}, "--retry-after: 'yes' is neither on nor off"},
      {{"--period", "10"}, "--period: '10' is not a duration such as 300ms, 10s, 5m or 1h"},
      {{"--drop", "nan"}, "--drop: 'nan' is not a number in range"},
      {{"--truncate", "-1"}, "truncate must be between 0 and 1, not -1"},
      {{"--unavailable", "0.6", "--truncate", "0.6"},
       "the sum of drop, drop-after, unavailable and truncate must be between 0 and 1, not 1.2"},
      {{"--period", "0"}, "period must be between 1 ms and 86400000 ms, not 0 ms"},
      {{"--latency", "-1ms"}, "latency must be between 0 ms and 3600000 ms, not -1 ms"},
      {{"--prefix", "/v 1"}, "prefix may contain only letters, digits and - . _ ~ /, not '/v 1'"},
  };
  for (const auto& [words, expected] : cases) EXPECT_EQ(error_of(words), expected);
}

TEST(AtlasArguments, help_names_every_option) {
  EXPECT_TRUE(parse_arguments({"--help"}).help);
  for (const auto* name : {"--port N", "--window-phase TIME", "--reset FORM", "--until-stdin-closes"})
    EXPECT_NE(atlas::help_text().find(name), std::string::npos) << name;
}

TEST(AtlasDuration, has_a_unit_and_may_have_a_fraction_or_a_sign) {
  EXPECT_EQ(parse_duration("300ms"), 300ms);
  EXPECT_EQ(parse_duration("10s"), 10s);
  EXPECT_EQ(parse_duration("1.5m"), 90s);
  EXPECT_EQ(parse_duration("-1h"), -1h);
  EXPECT_EQ(parse_duration("0"), 0ms);
  for (const auto* text : {"", "s", "10", "10x", "1e3s", "--1s", "10 s", "1s2", "99999999999999h", "nans"})
    EXPECT_THROW(parse_duration(text), std::runtime_error) << text;
}

}  // namespace atlas_arguments_test
