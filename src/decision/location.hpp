#pragma once
/// @file
/// Where requests may go: to the paths below a base URL that callers give, and to the addresses that servers put in
/// Location. A redirect is followed a limited number of times, and with the same method. Only one of a download leaves the
/// origin.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <noun/error.hpp>
#include <noun/http.hpp>

#include "wire/url.hpp"

namespace noun { inline namespace v0 {

/// Where the redirects of a call may lead, beside its origin: to https, or also to http on this machine.
enum class RedirectScope { origin, https, this_machine };

/// Send the same method and body to `url`.
struct Follow {
  std::string url;
  /// Whether it is of another origin, which must not see credentials.
  bool leaves_origin = false;
  /// Whether the request becomes a GET, without its body.
  bool becomes_get = false;
};
/// Do not follow: what happened, as a clause, and advice; if the advice is empty, the default for the code applies.
struct Refuse {
  Errc code;
  std::string what;
  std::string advice = {};
};

/// Returns what is wrong with a path below a base URL, as a clause, or null: it must not leave the base URL.
const char* fault_of_path(std::string_view path);
/// The same for a path that a caller wrote: it must not name a host.
const char* fault_of_written_path(std::string_view path);

/// Returns a URL at the base URL's origin as a path below the base URL, and a path as it is; nothing if the URL is not
/// below it.
/// @param base_url  without a trailing slash.
/// @param origin    its origin.
std::optional<std::string_view> below_base(std::string_view path, std::string_view base_url,
                                           const wire::UrlOrigin& origin);

/// Returns the Location of a response as a path below the base URL, with its query.
/// @param base_url, origin  as in below_base(). A response without a URL of its own is taken as one from the base URL.
/// @source RFC 9110, section 10.2.2.
std::variant<std::string, Refuse> location_below(const Response& response, std::string_view base_url,
                                                 const wire::UrlOrigin& origin);

/// @{
/// Returns the URL that a server wrote into a response, absolute, if it leads to one of the origins: in a header field,
/// or elsewhere, by the name that messages give it.
/// @param url  of the response.
std::variant<std::string, Refuse> url_in_field(const Headers& headers, std::string_view field, std::string_view url,
                                               const std::vector<wire::UrlOrigin>& origins);
std::variant<std::string, Refuse> url_at_origins(std::string_view reference, std::string_view name,
                                                 std::string_view url, const std::vector<wire::UrlOrigin>& origins);
/// @}

/// Decides on a 301, 302, 303, 307 or 308.
/// @param url        the URL of the request.
/// @param origin     the origin of the call.
/// @param followed   the redirects that this call has followed.
/// @param permitted  the redirects that it may follow.
/// @param scope      where they may lead. What is no GET or HEAD may have a body, and leads no further than `trusted`.
/// @param trusted    the origins that may see the body of a request that another origin receives.
/// @source RFC 9110, section 15.4; for a QUERY RFC 10008, section 2.5.
std::variant<Follow, Refuse> decide_redirect(Method method, int status, const Headers& headers, std::string_view url,
                                             const wire::UrlOrigin& origin, std::size_t followed,
                                             std::size_t permitted, RedirectScope scope = RedirectScope::origin,
                                             const std::vector<wire::UrlOrigin>& trusted = {});

}}  // namespace noun
