#include "wire/json_edit.hpp"

#include <nlohmann/json.hpp>
#include <noun/detail/json_parser.hpp>

#include "vocabulary/json_pointer.hpp"
#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

std::string replaced(std::string_view text, std::string_view part, std::string_view value) {
  const auto start = static_cast<std::size_t>(part.data() - text.data());
  std::string changed(text.substr(0, start));
  changed += value;
  changed += text.substr(start + part.size());
  return changed;
}

/// `object` with the member `"name":value` inserted as its first one.
std::string with_first_member(std::string_view name, std::string_view value, std::string_view object) {
  constexpr std::string_view space = " \t\r\n";
  const auto rest = object.substr(1);
  const auto first = rest.find_first_not_of(space);
  const bool is_empty = first == std::string_view::npos || rest[first] == '}';
  std::string changed = "{" + json_quoted(name) + ":";
  changed += value;
  if (!is_empty) changed += ',';
  changed += rest;
  return changed;
}

}  // namespace

bool is_json_text(std::string_view text) {
  struct : detail::JsonEvents {
  } ignored;
  return !detail::read_json(text, ignored, detail::BeyondBits::rounded);
}

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<std::string> with_json_at(std::string_view text, std::string_view pointer, std::string_view value) {
  if (text.empty()) text = "{}";
  // A byte order mark may begin a document, but not a value in it.
  if (!is_json_text(text) || !is_json_text(value) || value.starts_with('\xEF')) return std::nullopt;
  std::string member(value);
  for (;;) {
    if (const auto part = json_at(text, pointer)) return replaced(text, *part, member);
    const auto slash = pointer.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto name = detail::name_of(pointer.substr(slash + 1));
    pointer = pointer.substr(0, slash);
    const auto parent = json_at(text, pointer);
    const bool is_object = parent && parent->front() == '{';
    if (parent && !is_object && *parent != "null") return std::nullopt;
    member = with_first_member(name, member, is_object ? *parent : "{}");
  }
}

}}}  // namespace noun::wire
