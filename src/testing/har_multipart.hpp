#pragma once
/// @file
/// The parts of a multipart body, as a recording has them.

#include <string>
#include <string_view>
#include <vector>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// One part, as views of the body.
struct HarPart {
  std::string name;          ///< decoded; empty if it has none
  std::string_view content;  ///< up to the line end before the next delimiter
};

/// The boundary of a multipart type, from a Content-Type; empty if it has none or is another type.
std::string_view boundary_of(std::string_view type);
/// Text before the first delimiter is a part without content, and so is the last delimiter.
/// @param boundary  not empty.
std::vector<HarPart> parts_of(std::string_view body, std::string_view boundary);

}}}  // namespace noun::testing
