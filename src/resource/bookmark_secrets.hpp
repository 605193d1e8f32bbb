#pragma once
/// @file
/// Keeps secrets out of bookmarks: removes them from a page's URL, and restores the URL with the current values.

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <noun/http.hpp>

#include "call/redaction.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// Returns the URL without values that may be secret: parameters that repeat the caller's own query; and, as the whole
/// of a parameter or of a path segment, secret values of hidden headers and of query parameters with a secret's name.
/// Parts of longer values stay: they may look like a secret by chance.
/// @param own_url  of the listing; segments of its path are not secrets.
std::string withhold(std::string_view url, const Query& query, const std::vector<HeaderSecret>& secrets,
                     const KnownSecrets& known, std::string_view own_url);
/// Why a URL is not restored.
enum class RestoreFault {
  missing,    ///< noun did not write a placeholder so, or there is no value for it
  misplaced,  ///< a secret would be in a place that output does not hide, and the bookmark is not authenticated
};
/// Returns the URL with the current values: each is a whole parameter or path segment.
/// @param is_authentic  whether noun certainly wrote the placeholders. Otherwise a secret is put only into a parameter
///                      of its own name (`tenant` for X-Tenant), or into one whose value output hides.
/// @param secrets       called only if the URL needs one.
std::variant<std::string, RestoreFault> restore(std::string_view page, const Query& query, const KnownSecrets& known,
                                                bool is_authentic,
                                                const std::function<std::vector<HeaderSecret>()>& secrets);

}}}  // namespace noun::detail
