#pragma once
/// @file
/// What lies below a base URL: the paths that callers give, and the addresses that servers put in Location.

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <noun/http.hpp>

#include "decision/redirect.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {

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

}}  // namespace noun
