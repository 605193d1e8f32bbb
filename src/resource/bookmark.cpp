#include "resource/bookmark.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "wire/base64url.hpp"
#include "wire/json_scan.hpp"
#include "wire/percent.hpp"

namespace noun::inline v0 {
namespace {

constexpr std::string_view prefix = "noun1.";
/// Stands in a stored URL for the withheld value with the number behind it, the query's first; no URL has it.
constexpr char stand_in = '\x01';
constexpr char stand_in_end = '\x02';

/// What the stand-ins stand for.
struct Values {
  const Query& query;
  std::vector<std::string> secrets;

  std::optional<std::string> encoded(std::size_t number) const {
    std::string text;
    if (number < query.size())
      wire::append_query(text, (query.begin() + static_cast<std::ptrdiff_t>(number))->value);
    else if (number - query.size() < secrets.size())
      wire::append_query(text, secrets[number - query.size()]);
    else
      return std::nullopt;
    return text;
  }
};

/// Whether `written`, a name or value in a URL, says `text`, however its writer encoded it.
bool says(std::string_view written, std::string_view text) {
  if (wire::percent_decode(written) == text) return true;
  if (written.find('+') == std::string_view::npos) return false;
  std::string spaced(written);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return wire::percent_decode(spaced) == text;
}

/// What stands for `value`, if it is withheld.
std::optional<std::string> stand_in_of(std::string_view name, std::string_view value, const Values& values) {
  if (value.empty()) return std::nullopt;
  std::size_t number = 0;
  const auto stand_in_for = [&] { return stand_in + std::to_string(number) + stand_in_end; };
  for (const auto& field : values.query) {
    if (says(name, field.name) && says(value, field.value)) return stand_in_for();
    ++number;
  }
  for (const auto& secret : values.secrets) {
    if (says(value, secret)) return stand_in_for();
    ++number;
  }
  return std::nullopt;
}

std::string without_values(std::string_view url, const Values& values) {
  const auto start = std::min(url.find('?'), url.size());
  std::string stored(url.substr(0, start));
  auto rest = url.substr(start);
  while (!rest.empty()) {
    const auto pair = rest.substr(0, rest.find('&', 1));
    rest.remove_prefix(pair.size());
    const auto equals = std::min(pair.find('='), pair.size() - 1);
    const auto value = pair.substr(equals + 1);
    stored += pair.substr(0, equals + 1);
    stored += stand_in_of(pair.substr(1, std::max<std::size_t>(equals, 1) - 1), value, values).value_or(std::string(value));
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

std::optional<std::string> with_values(std::string_view stored, const Withheld& withheld) {
  Values values{withheld.query, {}};
  std::string url;
  while (!stored.empty()) {
    const auto start = std::min(stored.find(stand_in), stored.size());
    url += stored.substr(0, start);
    stored.remove_prefix(start);
    if (stored.empty()) break;
    const auto end = stored.find(stand_in_end);
    if (end == std::string_view::npos) return std::nullopt;
    std::size_t number = 0;
    const auto* const last = stored.data() + end;
    if (const auto [stop, fault] = std::from_chars(stored.data() + 1, last, number); fault != std::errc{} || stop != last)
      return std::nullopt;
    if (number >= values.query.size() && values.secrets.empty() && withheld.secrets) values.secrets = withheld.secrets();
    const auto value = values.encoded(number);
    if (!value) return std::nullopt;
    url += *value;
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

std::string write_bookmark(const Bookmark& bookmark, const Withheld& withheld) {
  const Values values{withheld.query, withheld.secrets ? withheld.secrets() : std::vector<std::string>{}};
  nlohmann::json json = {{"v", 1},
                         {"page", in_ascii(without_values(bookmark.page_url, values))},
                         {"taken", bookmark.taken},
                         {"of", bookmark.listing}};
  if (bookmark.guessing) json["guess"] = true;
  return std::string(prefix) + wire::base64url_encode(json.dump());
}

std::optional<Bookmark> read_bookmark(std::string_view text, const Withheld& withheld) {
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
  // Another listing's URL may not be restorable here; its mark tells that it is another's.
  auto url = with_values(page.get_ref<const std::string&>(), withheld).value_or("");
  return Bookmark{std::move(url), taken.get<std::size_t>(), of.get<std::uint64_t>(), guess == true};
}

}  // namespace noun::inline v0
