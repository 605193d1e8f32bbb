#include "testing/har_multipart.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/percent.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

/// The header Content-Disposition in the head of a part; empty if it has none.
std::string_view disposition_in(std::string_view head) {
  constexpr std::string_view start = "\ncontent-disposition:";
  const auto at = wire::lowered(head).find(start);
  if (at == std::string::npos) return {};
  head.remove_prefix(at + 1);
  auto end = head.find('\n');
  // Its lines may be folded.
  while (end != std::string_view::npos && end + 1 < head.size() && (head[end + 1] == ' ' || head[end + 1] == '\t'))
    end = head.find('\n', end + 1);
  return head.substr(0, end);
}

/// The name of a part, from its header Content-Disposition.
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
  constexpr std::string_view bare_head_end = "\n\n";
  const auto delimiter = fmt::format("--{}", boundary);
  std::vector<HarPart> parts;
  while (!body.empty()) {
    // Not at the delimiter that the part starts with.
    const auto part = body.substr(0, body.find(delimiter, 1));
    body.remove_prefix(part.size());
    const auto usual = part.find(head_end);
    const auto bare = part.find(bare_head_end);
    const auto end = bare < usual ? bare_head_end : head_end;
    const auto head = part.substr(0, std::min({usual, bare, part.size()}));
    auto content = part.substr(std::min(head.size() + end.size(), part.size()));
    if (content.ends_with('\n')) content.remove_suffix(content.ends_with("\r\n") ? 2 : 1);
    parts.push_back({name_of_part(disposition_in(head)), content});
  }
  return parts;
}

}}}  // namespace noun::testing
