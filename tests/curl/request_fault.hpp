#pragma once
/// @file
/// Whether a request, as a server received it, is one well-formed request without a field that somebody injected.

#include <algorithm>
#include <string>
#include <string_view>

namespace noun_test {

/// What is wrong with the bytes of one request, or nothing. Injected fields are named X-Injected or X-A.
/// @param in_ascii  whether the target and the names of fields must be ASCII.
inline std::string fault_of_request(std::string_view request, bool in_ascii = true) {
  const auto end = request.find("\r\n\r\n");
  if (end == std::string_view::npos) return "no end of the head";
  auto head = request.substr(0, end + 2);
  const auto line = [&] {
    const auto text = head.substr(0, head.find("\r\n"));
    head.remove_prefix(text.size() + 2);
    return text;
  };
  const auto is_graphic = [&](char c) { return (c > ' ' && c < '\x7f') || (c < 0 && !in_ascii); };
  auto first = line();
  if (!first.ends_with(" HTTP/1.1")) return "another first line";
  first.remove_suffix(9);
  const auto target = first.substr(std::min(first.find(' ') + 1, first.size()));
  if (!target.starts_with('/') || !std::all_of(target.begin(), target.end(), is_graphic)) return "another target";
  while (!head.empty()) {
    const auto field = line();
    const auto colon = field.find(':');
    if (colon == 0 || colon == std::string_view::npos) return "no field";
    const auto name = field.substr(0, colon);
    if (!std::all_of(name.begin(), name.end(), is_graphic)) return "a bad name";
    if (name == "X-Injected" || name == "X-A") return "an injected field";
    if (std::any_of(field.begin(), field.end(), [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == '\x7f'; }))
      return "a control character";
  }
  return "";
}

}  // namespace noun_test
