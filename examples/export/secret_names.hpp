#pragma once
// Names under which services take credentials. Their values do not belong on a command line, which everyone on the
// machine can read. A guess: it errs on the side of caution for headers, and spares what pages lists in a query.

#include <string_view>

namespace noun_export {

/// Authorization, Cookie, X-Api-Key, PRIVATE-TOKEN, …
bool is_secret_header(std::string_view name);
/// access_token, api_key, key, …; not page_token, sort_key, author, ….
bool is_secret_parameter(std::string_view name);

}  // namespace noun_export
