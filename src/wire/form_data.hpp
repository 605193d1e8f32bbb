#pragma once
/// @file
/// The heads of the parts of a multipart/form-data body.

#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// The delimiter and the head of one part, up to its content.
/// @param file_name, content_type  empty for none.
/// @source RFC 7578, section 4. Quotation marks and line ends in names as browsers escape them: HTML,
///         section 4.10.21.8; other control characters in the same way.
std::string part_head(std::string_view boundary, std::string_view name, std::string_view file_name,
                      std::string_view content_type);

}}}  // namespace noun::wire
