#include "wire/cache_control.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

using Seconds = std::chrono::seconds;

constexpr std::array<std::pair<std::string_view, bool CacheControl::*>, 3> flag_directives = {{
    {"no-store", &CacheControl::no_store},
    {"no-cache", &CacheControl::no_cache},
    {"must-revalidate", &CacheControl::must_revalidate},
}};
constexpr std::array<std::pair<std::string_view, std::optional<Seconds> CacheControl::*>, 4> time_directives = {{
    {"max-age", &CacheControl::max_age},
    {"min-fresh", &CacheControl::min_fresh},
    {"stale-while-revalidate", &CacheControl::stale_while_revalidate},
    {"stale-if-error", &CacheControl::stale_if_error},
}};

/// One directive, with its argument as it is written.
struct Directive {
  std::string_view name;
  std::optional<std::string_view> argument = {};
};

/// Takes a quoted string, with its quotes; nothing if it has no end.
std::optional<std::string_view> take_quoted(Cursor& cursor) noexcept {
  const auto text = cursor.rest();
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      cursor = Cursor(text.substr(at + 1));
      return text.substr(0, at + 1);
    }
  }
  return std::nullopt;
}

/// token [ "=" ( token / quoted-string ) ]
std::optional<Directive> take_directive(Cursor& cursor) noexcept {
  const auto take_token = [&] {
    return cursor.take_until([](char c) { return is_ows(c) || c == ',' || c == '=' || c == '"'; });
  };
  Directive directive{.name = take_token()};
  if (directive.name.empty()) return std::nullopt;
  if (cursor.take('=')) {
    directive.argument = cursor.at('"') ? take_quoted(cursor) : take_token();
    if (!directive.argument || directive.argument->empty()) return std::nullopt;
  }
  cursor.take_ows();
  if (!cursor.done() && !cursor.at(',')) return std::nullopt;
  return directive;
}

/// @returns  whether its argument is right.
bool apply(const Directive& directive, CacheControl& control) noexcept {
  for (const auto& [name, member] : flag_directives)
    if (same_ignoring_case(directive.name, name)) control.*member = true;
  for (const auto& [name, member] : time_directives) {
    if (!same_ignoring_case(directive.name, name)) continue;
    const auto seconds = directive.argument ? read_delta_seconds(*directive.argument) : std::nullopt;
    if (!seconds) return false;
    auto& time = control.*member;
    time = std::min(time.value_or(*seconds), *seconds);
  }
  return true;
}

}  // namespace

std::optional<Seconds> read_delta_seconds(std::string_view text) noexcept {
  if (text.size() > 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  const auto seconds = read_integer<long long>(text);
  return seconds ? std::min(Seconds(*seconds), longest_delta) : longest_delta;
}

Seconds read_age(std::string_view text) noexcept {
  return read_delta_seconds(take_element(text, ",")).value_or(Seconds(0));
}

CacheControl read_cache_control(const std::vector<std::string_view>& lines) {
  CacheControl control;
  for (const auto line : lines) {
    Cursor cursor(line);
    do {
      cursor.take_ows();
      if (cursor.done() || cursor.at(',')) continue;
      const auto directive = take_directive(cursor);
      if (!directive || !apply(*directive, control)) return {.no_store = true};
    } while (cursor.take(','));
  }
  return control;
}

}}}  // namespace noun::wire
