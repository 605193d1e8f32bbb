#pragma once
// Names of credentials. Their values must not be on the command line, which every user of the machine can see. A
// heuristic: strict for headers; in a query it allows the parameters of pagination.

#include <string_view>

namespace noun_export {

/// True for Authorization, Cookie, X-Api-Key, PRIVATE-TOKEN, …
bool is_secret_header(std::string_view name);
/// True for access_token, api_key, key, …; false for page_token, sort_key, author, …
bool is_secret_parameter(std::string_view name);

}  // namespace noun_export
