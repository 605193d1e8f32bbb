#pragma once
/// @file
/// What services write into one header about a quota: counts, their windows, `used/limit`, and values that name
/// themselves. Which header is read for what is not decided here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/time.hpp>

#include "wire/reset_text.hpp"

namespace noun { inline namespace v0 { namespace wire {

/// What one answer says about one quota; what it does not say, or not readably, is empty.
struct ToldQuota {
  std::string name = {};                       ///< empty for the first
  std::optional<std::int64_t> limit = {};      ///< at least 1
  std::optional<std::int64_t> remaining = {};  ///< at least 0
  std::optional<ResetReading> reset = {};
  std::optional<Duration> window = {};           ///< how long its windows are; greater than zero
  std::optional<double> refill_per_second = {};  ///< of a token bucket; 1e-6 to 1e9
};

/// Reads `1*DIGIT [ "." 1*DIGIT ]`, rounded down: what is left behind the point cannot be spent. Parameters (`;w=60`)
/// and a list of windows (`, 10;w=1, 1000;w=3600`) may stand behind it.
/// @returns  nothing for what is no such number, and for one that does not fit; at most 10^12.
std::optional<std::int64_t> parse_count(std::string_view text);

/// How long the windows of a count are: its own parameter `w` (`100;w=21600`), or that of the one member of its list
/// that has the same number: `10, 10;w=1, 1000;w=3600`. Old services write `window` for `w`.
/// @returns  nothing where that is not plain.
std::optional<Duration> parse_count_window(std::string_view text);

/// Reads how many requests flow back in a second: a decimal number, 1e-6 to 1e9.
std::optional<double> parse_refill(std::string_view text);

/// Reads `used/limit`, or several: `api-usage=135/5000; per-app=17/250(appName=x)`. More used than the limit leaves
/// nothing.
/// @param most  the most of them that are looked at.
/// @returns     in their order, each with its key for a name; one that cannot be read has neither limit nor remaining.
std::vector<ToldQuota> parse_used_of_limit(std::string_view text, std::size_t most);

/// The parts of a value that tells of one quota, as they are written; a missing one is empty.
struct QuotaText {
  std::string_view name;
  std::string_view limit;
  std::string_view remaining;
  std::string_view reset;
};

/// Takes a value apart that is a count (`11999`), named members (`total=100; remaining=99; resets=41`), or a list of
/// counts that name themselves (`name;107, other;587`).
/// @param most  the most of them that are looked at.
std::vector<QuotaText> split_quotas(std::string_view value, std::size_t most);

}}}  // namespace noun::wire
