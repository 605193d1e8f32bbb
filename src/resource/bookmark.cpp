#include "resource/bookmark.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "wire/base64url.hpp"
#include "wire/json_scan.hpp"
#include "wire/percent.hpp"

namespace noun::inline v0 {
namespace {

constexpr std::string_view prefix = "noun1.";
/// Stands in a stored URL for the value of the caller's query parameter with the number behind it; no URL has it.
constexpr char stand_in = '\x01';
constexpr char stand_in_end = '\x02';

std::vector<std::string> encoded_values(const Query& query) {
  std::vector<std::string> values;
  for (const auto& field : query) wire::append_query(values.emplace_back(), field.value);
  return values;
}

/// Whether `written`, a name or value in a URL, says `text`, however its writer encoded it.
bool says(std::string_view written, std::string_view text) {
  if (wire::percent_decode(written) == text) return true;
  if (written.find('+') == std::string_view::npos) return false;
  std::string spaced(written);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return wire::percent_decode(spaced) == text;
}

/// What stands for `value`, if it is one of the caller's.
std::optional<std::string> stand_in_of(std::string_view name, std::string_view value, const Query& query) {
  std::size_t number = 0;
  for (const auto& field : query) {
    if (!value.empty() && says(name, field.name) && says(value, field.value))
      return stand_in + std::to_string(number) + stand_in_end;
    ++number;
  }
  return std::nullopt;
}

std::string without_values(std::string_view url, const Query& query) {
  const auto start = std::min(url.find('?'), url.size());
  std::string stored(url.substr(0, start));
  auto rest = url.substr(start);
  while (!rest.empty()) {
    const auto pair = rest.substr(0, rest.find('&', 1));
    rest.remove_prefix(pair.size());
    const auto equals = std::min(pair.find('='), pair.size() - 1);
    const auto value = pair.substr(equals + 1);
    stored += pair.substr(0, equals + 1);
    stored += stand_in_of(pair.substr(1, std::max<std::size_t>(equals, 1) - 1), value, query).value_or(std::string(value));
  }
  return stored;
}

/// A service's link may hold bytes that are no UTF-8, which JSON text cannot; percent-encoded they mean the same.
std::string in_ascii(std::string_view url) {
  std::string text;
  for (const char c : url) {
    if (static_cast<unsigned char>(c) < 0x80)
      text += c;
    else
      wire::append_segment(text, std::string_view(&c, 1));
  }
  return text;
}

std::optional<std::string> with_values(std::string_view stored, const Query& query) {
  const auto values = encoded_values(query);
  std::string url;
  while (!stored.empty()) {
    const auto start = std::min(stored.find(stand_in), stored.size());
    url += stored.substr(0, start);
    stored.remove_prefix(start);
    if (stored.empty()) break;
    const auto end = stored.find(stand_in_end);
    if (end == std::string_view::npos) return std::nullopt;
    const auto number = std::string(stored.substr(1, end - 1));
    std::size_t index = 0;
    while (index < values.size() && std::to_string(index) != number) ++index;
    if (index == values.size()) return std::nullopt;
    url += values[index];
    stored.remove_prefix(end + 1);
  }
  return url;
}

/// FNV-1a, 64 bits.
/// @source http://www.isthe.com/chongo/tech/comp/fnv/
void mix(std::uint64_t& hash, std::string_view text) noexcept {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  hash = (hash ^ 0xFFU) * 0x100000001B3U;
}

}  // namespace

std::uint64_t fingerprint_of_listing(std::string_view path, const Query& query) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;
  mix(hash, path);
  for (const auto& [name, value] : query) {
    mix(hash, name);
    mix(hash, value);
  }
  return hash;
}

std::string write_bookmark(const Bookmark& bookmark, const Query& query) {
  nlohmann::json json = {{"v", 1},
                         {"page", in_ascii(without_values(bookmark.page_url, query))},
                         {"taken", bookmark.taken},
                         {"of", bookmark.listing}};
  if (bookmark.guessing) json["guess"] = true;
  return std::string(prefix) + wire::base64url_encode(json.dump());
}

std::optional<Bookmark> read_bookmark(std::string_view text, const Query& query) {
  if (!text.starts_with(prefix)) return std::nullopt;
  const auto bytes = wire::base64url_decode(text.substr(prefix.size()));
  // What is nested has not been written here, and deep nesting would overrun the stack.
  if (!bytes || wire::json_depth(*bytes, 2) > 1) return std::nullopt;
  const auto json = nlohmann::json::parse(*bytes, nullptr, false);
  const auto member = [&](const char* name) { return json.is_object() && json.contains(name) ? json[name] : nlohmann::json(); };
  const auto version = member("v");
  const auto page = member("page");
  const auto taken = member("taken");
  const auto of = member("of");
  const auto guess = member("guess");
  if (version != 1 || !page.is_string() || !taken.is_number_unsigned() || !of.is_number_unsigned()) return std::nullopt;
  // Another listing's URL may not be restorable from this query; its mark tells that it is another's.
  auto url = with_values(page.get_ref<const std::string&>(), query).value_or("");
  return Bookmark{std::move(url), taken.get<std::size_t>(), of.get<std::uint64_t>(), guess == true};
}

}  // namespace noun::inline v0
