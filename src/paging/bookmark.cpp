#include "paging/bookmark.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "paging/styles.hpp"
#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

constexpr std::string_view prefix = "noun1.";
constexpr std::uint64_t hash_begin = 0xCBF29CE484222325U;

/// FNV-1a, 64 bits.
/// @source http://www.isthe.com/chongo/tech/comp/fnv/
void mix(std::uint64_t& hash, std::string_view text) noexcept {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  hash = (hash ^ 0xFFU) * 0x100000001B3U;
}

std::string hex_of(const std::vector<std::uint64_t>& keys) {
  std::string text;
  for (const auto key : keys) fmt::format_to(std::back_inserter(text), "{:016x}", key);
  return text;
}

std::optional<std::vector<std::uint64_t>> keys_of(std::string_view hex) {
  constexpr std::size_t digits = 16;
  if (hex.size() % digits != 0) return std::nullopt;
  std::vector<std::uint64_t> keys;
  for (; !hex.empty(); hex.remove_prefix(digits)) {
    std::uint64_t key = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + digits, key, 16);
    if (error != std::errc() || end != hex.data() + digits) return std::nullopt;
    keys.push_back(key);
  }
  return keys;
}

}  // namespace

bool fits(const PagePlace& place, const Paging& paging, const std::string& body) {
  if (std::any_of(place.range.begin(), place.range.end(), wire::is_control)) return false;
  if (place.cursor.empty() || std::holds_alternative<paging::PageStrategy>(paging.style)) return true;
  const std::string pointer(parameter_of(paging.style).into_body);
  return !body.empty() && !pointer.empty() && wire::with_json_at(body, pointer, place.cursor).has_value();
}

std::uint64_t stable_hash(std::string_view text) noexcept {
  auto hash = hash_begin;
  mix(hash, text);
  return hash;
}

std::uint64_t fingerprint_of_listing(std::string_view path, const Query& query, std::string_view body) noexcept {
  auto hash = hash_begin;
  mix(hash, path);
  for (const auto& [name, value] : query) {
    mix(hash, name);
    mix(hash, value);
  }
  if (!body.empty()) mix(hash, body);
  return hash;
}

std::uint32_t fingerprint_of_paging(const Paging& paging) noexcept {
  auto hash = hash_begin;
  const char style = static_cast<char>(paging.style.index());
  mix(hash, {&style, 1});
  const auto [name, into_body] = parameter_of(paging.style);
  mix(hash, name);
  mix(hash, into_body);
  return static_cast<std::uint32_t>(hash >> 32U) | 1U;
}

std::uint32_t fingerprint_of_key(std::string_view pointer) noexcept {
  return static_cast<std::uint32_t>(stable_hash(pointer) >> 32U) | 1U;
}

std::string write_bookmark(const Bookmark& bookmark) {
  const auto& place = bookmark.place;
  // A version that does not know of cursors would begin at the first page.
  const bool is_url = place.cursor.empty() && place.range.empty();
  nlohmann::json json = {
      {"v", is_url ? 1 : 2}, {"page", place.url}, {"taken", bookmark.taken}, {"of", bookmark.listing}};
  if (!place.cursor.empty()) json["cursor"] = place.cursor;
  if (!place.range.empty()) json["range"] = place.range;
  if (bookmark.paging != 0) json["by"] = bookmark.paging;
  if (bookmark.guessing) json["guess"] = true;
  if (bookmark.before) json["before"] = *bookmark.before;
  if (bookmark.promised) json["promised"] = *bookmark.promised;
  if (!bookmark.keys.empty()) json["keys"] = hex_of(bookmark.keys);
  if (!bookmark.again.empty()) json["again"] = hex_of(bookmark.again);
  if (bookmark.key != 0) json["key"] = bookmark.key;
  constexpr auto bytes_that_are_no_utf8 = nlohmann::json::error_handler_t::replace;
  return std::string(prefix) + wire::base64url_encode(json.dump(-1, ' ', false, bytes_that_are_no_utf8));
}

std::optional<Bookmark> read_bookmark(std::string_view text) {
  // A file that it was kept in may have ended its line.
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  if (!text.starts_with(prefix)) return std::nullopt;
  const auto bytes = wire::base64url_decode(text.substr(prefix.size()));
  // What is nested has not been written here, and deep nesting would overrun the stack.
  if (!bytes || wire::json_depth(*bytes, 2) > 1) return std::nullopt;
  const auto json = nlohmann::json::parse(*bytes, nullptr, false);
  const auto member = [&](const char* name) {
    return json.is_object() && json.contains(name) ? json[name] : nlohmann::json();
  };
  const auto version = member("v");
  const auto page = member("page");
  const auto taken = member("taken");
  const auto of = member("of");
  if ((version != 1 && version != 2) || !page.is_string() || !taken.is_number_unsigned() || !of.is_number_unsigned())
    return std::nullopt;
  for (const auto* name : {"cursor", "range", "keys", "again"})
    if (const auto value = member(name); !value.is_null() && !value.is_string()) return std::nullopt;
  const auto text_of = [&](const char* name) {
    const auto value = member(name);
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  auto keys = keys_of(text_of("keys"));
  auto again = keys_of(text_of("again"));
  if (!keys || !again) return std::nullopt;
  Bookmark bookmark{.place = {page.get<std::string>(), text_of("cursor"), text_of("range")},
                    .taken = taken.get<std::size_t>(),
                    .listing = of.get<std::uint64_t>(),
                    .guessing = member("guess") == true,
                    .keys = *std::move(keys),
                    .again = *std::move(again)};
  const auto count_of = [&](const char* name) {
    const auto value = member(name);
    return value.is_number_unsigned() ? std::optional(value.get<std::size_t>()) : std::nullopt;
  };
  bookmark.before = count_of("before");
  bookmark.promised = count_of("promised");
  bookmark.paging = static_cast<std::uint32_t>(count_of("by").value_or(0));
  bookmark.key = static_cast<std::uint32_t>(count_of("key").value_or(0));
  return bookmark;
}

}}}  // namespace noun::detail
