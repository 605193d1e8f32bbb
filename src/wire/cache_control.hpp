#pragma once
/// @file
/// Cache-Control of responses and requests, as far as a private cache has to know it, and Age.

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace noun { inline namespace v0 { namespace wire {

/// The directives that a private cache obeys. A time that is not a number of seconds makes the field malformed; of
/// equal directives the shortest time counts. Arguments that list fields (`no-cache="Set-Cookie"`) are ignored, so that
/// the directive applies to the whole response, which is always allowed.
struct CacheControl {
  using Seconds = std::chrono::seconds;

  bool no_store = false;
  bool no_cache = false;
  bool must_revalidate = false;
  std::optional<Seconds> max_age = {};
  std::optional<Seconds> min_fresh = {};
  std::optional<Seconds> stale_while_revalidate = {};
  std::optional<Seconds> stale_if_error = {};
};

/// The longest time of a directive: what is longer counts as this long.
/// @source RFC 9111, section 1.2.2.
constexpr auto longest_delta = std::chrono::seconds(2'147'483'648);

/// Reads a number of seconds (RFC 9111, section 1.2.2), also in quotes; nothing for other text.
std::optional<std::chrono::seconds> read_delta_seconds(std::string_view text) noexcept;

/// Reads Age. Of several values in the field the first counts; an unreadable one is 0.
/// @source RFC 9111, section 5.1.
std::chrono::seconds read_age(std::string_view text) noexcept;

/// Reads the field. A malformed one is `no-store` alone.
/// @param lines  the field's values, one per line.
/// @source RFC 9111, section 5.2; RFC 5861.
CacheControl read_cache_control(const std::vector<std::string_view>& lines);

}}}  // namespace noun::wire
