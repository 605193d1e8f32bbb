#pragma once
/// @file
/// Dot segments in paths, with which a path leads out of the folder that it names.

#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Whether a server, or a proxy before it, may find a dot segment in a path; some decode it twice. For every path that
/// is not composed of names and ids.
bool has_dot_segment(std::string_view path);

}}}  // namespace noun::wire
