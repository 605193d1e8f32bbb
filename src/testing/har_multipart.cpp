#include "testing/har_multipart.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/percent.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

/// The name of a part, from its head.
std::string name_of_part(std::string_view head) {
  constexpr std::string_view parameter = "name=";
  const auto lower = wire::lowered(head);
  auto at = lower.find(parameter);
  // Not filename.
  while (at != std::string::npos && at > 0 && wire::is_alpha(lower[at - 1])) at = lower.find(parameter, at + 1);
  if (at == std::string::npos) return {};
  auto name = head.substr(at + parameter.size());
  if (name.starts_with('"')) {
    name.remove_prefix(1);
    name = name.substr(0, name.find('"'));
  } else {
    name = name.substr(0, name.find_first_of("; \t\r\n"));
  }
  return wire::percent_decode(name).value_or(std::string(name));
}

}  // namespace

std::string_view boundary_of(std::string_view type) {
  constexpr std::string_view parameter = "boundary=";
  const auto lower = wire::lowered(type);
  const auto at = lower.find(parameter);
  if (!lower.starts_with("multipart/") || at == std::string::npos) return {};
  auto boundary = type.substr(at + parameter.size());
  boundary = wire::trimmed(boundary.substr(0, boundary.find(';')));
  if (boundary.size() > 1 && boundary.front() == '"') boundary = boundary.substr(1, boundary.size() - 2);
  return boundary;
}

std::vector<HarPart> parts_of(std::string_view body, std::string_view boundary) {
  constexpr std::string_view head_end = "\r\n\r\n";
  const auto delimiter = fmt::format("--{}", boundary);
  std::vector<HarPart> parts;
  while (!body.empty()) {
    // Not at the delimiter that the part starts with.
    const auto part = body.substr(0, body.find(delimiter, 1));
    body.remove_prefix(part.size());
    const auto head = part.substr(0, std::min(part.find(head_end), part.size()));
    auto content = part.substr(std::min(head.size() + head_end.size(), part.size()));
    const auto whole_head = part.substr(0, part.size() - content.size());
    if (content.ends_with("\r\n")) content.remove_suffix(2);
    parts.push_back({name_of_part(head), whole_head, content});
  }
  return parts;
}

}}}  // namespace noun::testing
