#pragma once
/// @file
/// Decides whether to follow a redirect: only within the origin, a limited number of times, and with the same method.

#include <string>
#include <string_view>
#include <variant>

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
};
/// Do not follow: what happened, as a clause, and advice; if the advice is empty, the default for the code applies.
struct Refuse {
  Errc code;
  std::string what;
  std::string advice = {};
};

/// Returns the Location of a response, or why there is none that can be used.
std::variant<std::string_view, Refuse> only_location(const Headers& headers);

/// Decides on a 301, 302, 303, 307 or 308.
/// @param url        the URL of the request.
/// @param origin     the origin of the call.
/// @param followed   the redirects that this call has followed.
/// @param permitted  the redirects that it may follow.
/// @source RFC 9110, section 15.4.
std::variant<Follow, Refuse> decide_redirect(Method method, int status, const Headers& headers, std::string_view url,
                                             const wire::UrlOrigin& origin, std::size_t followed,
                                             std::size_t permitted, RedirectScope scope = RedirectScope::origin);

}}  // namespace noun
