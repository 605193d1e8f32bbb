#pragma once
/// @file
/// Keeps secrets out of bookmarks: a page's URL without them, and the URL again with today's values.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/headers.hpp>

#include "call/redaction.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// The URL without what may be secret: parameters that repeat the caller's own query; and, as the whole of a parameter
/// or of a path segment, secret values of hidden headers and of query parameters with a secret's name. Parts of longer
/// values stay: they may look like a secret by chance. In ASCII.
/// @param own_url  the listing's; segments of its path are not secrets.
std::string withhold(std::string_view url, const Query& query, const std::vector<HeaderSecret>& secrets,
                     std::string_view own_url);
/// The URL again, with today's values.
/// @param secrets  called only if the URL needs one.
/// @returns        nothing if a value is missing.
std::optional<std::string> restore(std::string_view page, const Query& query,
                                   const std::function<std::vector<HeaderSecret>()>& secrets);

}}}  // namespace noun::detail
