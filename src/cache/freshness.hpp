#pragma once
/// @file
/// How old a stored response is, and how long it may be used.

#include <optional>
#include <string_view>

#include <noun/http.hpp>
#include <noun/time.hpp>

#include "cache/stored_response.hpp"
#include "wire/cache_control.hpp"

namespace noun { inline namespace v0 { namespace cache {

/// How a response arrived.
struct Arrival {
  /// From the request to the response.
  Duration took;
  /// How long ago its Date was, by the server's clock; zero if that is not known.
  Duration since_date = Duration::zero();
};

/// How old a response is that was just received. Of several ages the first counts; one that is no number is ignored.
/// @source RFC 9111, sections 4.2.3 (corrected_initial_age) and 5.1.
Duration age_on_arrival(const Headers& headers, const Arrival& arrival);

/// How old it is now; Duration::max() if the clock was set back since it was received.
/// @source RFC 9111, section 4.2.3.
Duration age_of(const StoredResponse& stored, WallTime now);

/// From Date, or if that is missing or cannot be read from when it was received, to Expires; nothing without Expires.
/// @source RFC 9111, section 5.3.
std::optional<Duration> span_of(std::optional<std::string_view> expires, std::optional<std::string_view> date,
                                WallTime received_at);

/// How long a response is fresh, by its own fields alone: nothing if they do not say.
/// @param headers  Headers or FieldViews.
/// @source RFC 9111, section 4.2.1; there is no heuristic freshness.
std::optional<Duration> lifetime_of(const auto& headers, const wire::CacheControl& control, WallTime received_at) {
  return control.max_age ? *control.max_age : span_of(headers.get("Expires"), headers.get("Date"), received_at);
}

/// What may be done with a stored response instead of asking the server.
enum class Freshness {
  fresh,
  stale_while_revalidating,  ///< may be used, and is to be validated in the background
  stale_if_error,            ///< may be used if the server cannot be reached, or responds with a 5xx
  stale,                     ///< must be validated
};

/// Judges a stored response.
/// @param request  the Cache-Control of the request.
/// @source RFC 9111, sections 4.2 and 5.2.1; RFC 5861.
Freshness freshness_of(const StoredResponse& stored, const wire::CacheControl& request, WallTime now);

}}}  // namespace noun::cache
