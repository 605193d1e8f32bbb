#include "wire/dot_segment.hpp"

#include <algorithm>
#include <string>

#include "wire/percent.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// Decodes what is encoded, and leaves the rest.
std::string decoded_where_possible(std::string_view path) {
  std::string decoded;
  while (!path.empty()) {
    const auto octet = percent_decode(path.substr(0, path.front() == '%' ? 3 : 1));
    path.remove_prefix(octet && path.front() == '%' ? 3 : 1);
    decoded += octet.value_or("%");
  }
  return decoded;
}

bool has_plain_dot_segment(std::string_view path) {
  while (!path.empty()) {
    const auto segment = path.substr(0, path.find_first_of("/\\"));
    path.remove_prefix(std::min(segment.size() + 1, path.size()));
    // Some servers take parameters (`..;a=b`) off a segment first, or end the path at a query, a blank or a NUL.
    const auto* const end = std::find_if(segment.begin(), segment.end(), [](char c) {
      return c == ';' || c == '?' || c == '#' || static_cast<unsigned char>(c) <= ' ';
    });
    const std::string_view name(segment.begin(), end);
    if (name == "." || name == "..") return true;
  }
  return false;
}

}  // namespace

bool has_dot_segment(std::string_view path) {
  constexpr int times = 3;
  std::string decoded(path);
  for (int time = 0; time < times && !has_plain_dot_segment(decoded); ++time) decoded = decoded_where_possible(decoded);
  return has_plain_dot_segment(decoded);
}

}}}  // namespace noun::wire
