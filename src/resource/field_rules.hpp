#pragma once
/// @file
/// The rules for header fields of callers.

#include <optional>
#include <string>
#include <string_view>

#include <noun/http.hpp>

namespace noun { inline namespace v0 {

/// Whether it is a token, as the name of a header must be.
/// @source RFC 9110, section 5.1.
bool is_header_name(std::string_view name) noexcept;

/// Returns what is wrong with the first invalid field, as a clause that never shows its value; nothing if all are
/// valid. Names are tokens; values have no CR, LF, NUL or other control character; only noun sets Host, Content-Length
/// and the fields of the connection.
/// @source RFC 9110, sections 5.1 and 5.5.
std::optional<std::string> fault_of_headers(const Headers& headers);

}}  // namespace noun
