#pragma once
/// @file
/// Where a redirect may lead: within the origin, at most so often, and never turning a write into a read.

#include <string>
#include <variant>

#include <noun/error.hpp>
#include <noun/headers.hpp>
#include <noun/method.hpp>

#include "wire/url.hpp"

namespace noun { inline namespace v0 {

/// Goes on with the same method and body at `url`.
struct Follow {
  std::string url;
};
/// Does not go on: what happened, as a clause, and what to do; without advice, the usual one of the code.
struct Refuse {
  Errc code;
  std::string what;
  std::string advice = {};
};

/// Decides on a 301, 302, 303, 307 or 308.
/// @param url        what was asked for.
/// @param origin     the origin of the call.
/// @param followed   how many redirects this call has followed.
/// @param permitted  how many it may follow.
/// @source RFC 9110, section 15.4.
std::variant<Follow, Refuse> decide_redirect(Method method, int status, const Headers& headers, std::string_view url,
                                             const wire::UrlOrigin& origin, std::size_t followed,
                                             std::size_t permitted);

}}  // namespace noun
