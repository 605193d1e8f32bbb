#pragma once
/// @file
/// What may stand in a header field that a caller gives.

#include <optional>
#include <string>
#include <string_view>

#include <noun/headers.hpp>

namespace noun { inline namespace v0 {

/// Whether it is a token, as every header's name is.
/// @source RFC 9110, section 5.1.
bool is_header_name(std::string_view name) noexcept;

/// What is wrong with the first unfit field, as a clause that never shows its value; nothing if all are fit. Names are
/// tokens; values hold no CR, LF, NUL or other control character; Host, Content-Length and the fields of the connection
/// are noun's to set.
/// @source RFC 9110, sections 5.1 and 5.5.
std::optional<std::string> fault_of_headers(const Headers& headers);

}}  // namespace noun
