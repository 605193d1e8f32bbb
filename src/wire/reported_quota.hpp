#pragma once
/// @file
/// The values of rate-limit headers: counts, windows, `used/limit`, and values that contain a name.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/time.hpp>

#include "wire/reset_text.hpp"

namespace noun { inline namespace v0 { namespace wire {

/// Larger counts are as good as unlimited, and sums of such counts do not overflow.
constexpr std::int64_t largest_count = 1'000'000'000'000;

/// What one response reports about one quota; a missing or unreadable part is empty.
struct ReportedQuota {
  std::string name = {};                       ///< empty for the dialect's own quota
  std::optional<std::int64_t> limit = {};      ///< at least 0
  std::optional<std::int64_t> remaining = {};  ///< at least 0
  std::optional<ResetReading> reset = {};
  std::optional<Duration> window = {};           ///< the length of its windows; greater than zero
  std::optional<double> refill_per_second = {};  ///< the refill rate of a token bucket; 1e-6 to 1e9
  std::optional<std::int64_t> cost = {};         ///< of the request; at least 0
};

/// Reads `1*DIGIT [ "." 1*DIGIT ]`, rounded down, because a fraction of a request cannot be sent. Parameters (`;w=60`)
/// or a list of windows (`, 10;w=1, 1000;w=3600`) may follow.
/// @returns  nothing for malformed text and for a number that does not fit.
std::optional<std::int64_t> parse_count(std::string_view text);

/// The length of a count's windows: its own parameter `w` (`100;w=21600`), or that of the only member of its list with
/// the same number: `10, 10;w=1, 1000;w=3600`. `window` means `w`; some older APIs use it.
/// @returns  nothing if the window is missing or ambiguous.
std::optional<Duration> parse_count_window(std::string_view text);

/// Reads the refill rate of a token bucket, in requests per second: a decimal number, 1e-6 to 1e9.
std::optional<double> parse_refill(std::string_view text);

/// Reads lists of counts, `198,905` of the limits `200,2000`. If more is used than a limit, nothing remains.
/// @param used    the values of the fields that count the requests used.
/// @param limits  those that have the limits.
/// @param most    the maximum number of quotas to read.
/// @returns       the quotas in order, without names; none if the lists differ in length. A malformed one has neither
///                limit nor remaining.
std::vector<ReportedQuota> pair_used_with_limits(const std::vector<std::string_view>& used,
                                                 const std::vector<std::string_view>& limits, std::size_t most);

/// Reads `used/limit`, or several: `api-usage=135/5000; per-app=17/250(appName=x)`. If more is used than the limit,
/// nothing remains.
/// @param most  the maximum number of quotas to read.
/// @returns     the quotas in order, named by their keys; a malformed one has neither limit nor remaining.
std::vector<ReportedQuota> parse_used_of_limit(std::string_view text, std::size_t most);

/// The parts of a value that describes one quota, as written; a missing part is empty.
struct QuotaText {
  std::string_view name;
  std::string_view limit;
  std::string_view remaining;
  std::string_view reset;
};

/// The fields of one quota, line by line: a header may have several lines, each from another limiter on the way.
using QuotaLines = std::vector<QuotaText>;
/// Puts a value into the first line that has no such part; counts that a proxy has combined
/// (`962, 0`), into as many lines. Lines after the eighth are ignored.
void add_line(QuotaLines& lines, std::string_view QuotaText::*part, std::string_view value);

/// Splits a value that is a count (`11999`; of several lines that a proxy has combined, the smallest), a set of named
/// members (`total=100; remaining=99; resets=41`), or a list of named counts (`name;107, other;587`).
/// @param most  the maximum number of quotas to read.
std::vector<QuotaText> split_quotas(std::string_view value, std::size_t most);

}}}  // namespace noun::wire
