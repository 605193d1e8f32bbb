#include "resource/bookmark.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view prefix = "noun1.";
/// Around what stands in a stored URL for a value: the number of the caller's query parameter, or the part and the name
/// of a header, as in `1:authorization`. No URL has them.
constexpr char stand_in = '\x01';
constexpr char stand_in_end = '\x02';

/// Whether `written`, a name or value in a URL, says `text`, however its writer encoded it.
bool says(std::string_view written, std::string_view text) {
  if (wire::percent_decode(written) == text) return true;
  if (written.find('+') == std::string_view::npos) return false;
  std::string spaced(written);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return wire::percent_decode(spaced) == text;
}

/// What a listing may not write down.
struct Withheld {
  const Query& query;
  const std::vector<HeaderSecret>& secrets;

  /// What stands for the value of a parameter, if it is withheld.
  std::optional<std::string> instead_of(std::string_view name, std::string_view value) const {
    if (value.empty()) return std::nullopt;
    std::size_t number = 0;
    for (const auto& field : query) {
      if (says(name, field.name) && says(value, field.value)) return std::to_string(number);
      ++number;
    }
    return instead_of_secret(value);
  }
  /// What stands for text that is a secret, whatever its name.
  std::optional<std::string> instead_of_secret(std::string_view text) const {
    std::size_t number = 0;
    for (const auto& field : query) {
      const bool is_secret = field.value.size() >= shortest_secret && names_secret(field.name);
      if (is_secret && says(text, field.value)) return std::to_string(number);
      ++number;
    }
    for (const auto& secret : secrets)
      if (says(text, secret.text)) return std::to_string(secret.part) + ':' + secret.header;
    return std::nullopt;
  }
};

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    segments.push_back(path.substr(0, path.find('/', 1)));
    path.remove_prefix(segments.back().size());
  }
  return segments;
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

/// What the stand-in stands for today.
std::optional<std::string> value_of(std::string_view name, const Query& query,
                                    const std::function<std::vector<HeaderSecret>()>& secrets) {
  const auto colon = name.find(':');
  const auto number = wire::read_integer<std::size_t>(name.substr(0, colon));
  if (!number) return std::nullopt;
  if (colon == std::string_view::npos) {
    if (*number >= query.size()) return std::nullopt;
    return (query.begin() + static_cast<std::ptrdiff_t>(*number))->value;
  }
  for (auto& secret : secrets())
    if (secret.part == *number && secret.header == name.substr(colon + 1)) return std::move(secret.text);
  return std::nullopt;
}

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

bool fits(const BookmarkedPlace& place, const PagingConvention& paging, std::string_view body) {
  if (std::any_of(place.range.begin(), place.range.end(), wire::is_control)) return false;
  if (place.cursor.empty() || paging.style == PagingStyle::custom) return true;
  return !body.empty() && !paging.cursor_pointer.empty() &&
         wire::with_json_at(body, paging.cursor_pointer, place.cursor).has_value();
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

std::uint32_t fingerprint_of_paging(const PagingConvention& paging) noexcept {
  auto hash = hash_begin;
  const char style = static_cast<char>(paging.style);
  mix(hash, {&style, 1});
  for (const std::string_view name : {paging.page_parameter, paging.cursor_parameter, paging.cursor_pointer})
    mix(hash, name);
  return static_cast<std::uint32_t>(hash >> 32U) | 1U;
}

std::uint32_t fingerprint_of_key(std::string_view pointer) noexcept {
  return static_cast<std::uint32_t>(stable_hash(pointer) >> 32U) | 1U;
}

std::string withhold(std::string_view url, const Query& query, const std::vector<HeaderSecret>& secrets,
                     std::string_view own_url) {
  const Withheld withheld{query, secrets};
  const auto append = [](std::string& page, std::string_view text, const std::optional<std::string>& instead) {
    if (instead)
      page += stand_in + *instead + stand_in_end;
    else
      page += text;
  };
  const auto path = wire::split_url(url).path;
  const auto own = segments_of(wire::split_url(own_url).path);
  std::string page(url.substr(0, static_cast<std::size_t>(path.data() - url.data())));
  for (const auto segment : segments_of(path)) {
    const bool is_own = segment.front() != '/' || std::find(own.begin(), own.end(), segment) != own.end();
    page += segment.substr(0, is_own ? 0 : 1);
    const auto text = segment.substr(is_own ? 0 : 1);
    append(page, text, is_own ? std::nullopt : withheld.instead_of_secret(text));
  }
  auto rest = url.substr(std::min(url.find('?'), url.size()));
  while (!rest.empty()) {
    const auto pair = rest.substr(0, rest.find('&', 1));
    rest.remove_prefix(pair.size());
    const auto equals = std::min(pair.find('='), pair.size() - 1);
    const auto name = pair.substr(1, std::max<std::size_t>(equals, 1) - 1);
    const auto value = pair.substr(equals + 1);
    page += pair.substr(0, equals + 1);
    append(page, value, withheld.instead_of(name, value));
  }
  return in_ascii(page);
}

std::optional<std::string> restore(std::string_view page, const Query& query,
                                   const std::function<std::vector<HeaderSecret>()>& secrets) {
  std::string url;
  while (!page.empty()) {
    const auto start = std::min(page.find(stand_in), page.size());
    url += page.substr(0, start);
    page.remove_prefix(start);
    if (page.empty()) break;
    const auto end = page.find(stand_in_end);
    if (end == std::string_view::npos) return std::nullopt;
    const auto value = value_of(page.substr(1, end - 1), query, secrets);
    if (!value) return std::nullopt;
    wire::append_query(url, *value);
    page.remove_prefix(end + 1);
  }
  return url;
}

std::string write_bookmark(const Bookmark& bookmark) {
  const auto& place = bookmark.place;
  // A version that does not know of cursors would begin at the first page.
  const bool is_url = place.cursor.empty() && place.range.empty();
  nlohmann::json json = {
      {"v", is_url ? 1 : 2}, {"page", place.page}, {"taken", bookmark.taken}, {"of", bookmark.listing}};
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

}}  // namespace noun
