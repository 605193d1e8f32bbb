#include "paging/bookmark.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "paging/styles.hpp"
#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/percent.hpp"

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

/// What authenticates the fields. An HMAC of them, under the client's key, would take its place.
std::string tag_of(std::string_view fields) { return fmt::format("{:016x}", stable_hash(fields)); }

/// Takes the fields of a bookmark one after the other.
struct FieldReader {
  std::string_view rest;
  bool is_good = true;

  std::string_view take(char end = '\n') {
    const auto field = rest.substr(0, rest.find(end));
    is_good &= field.size() < rest.size();
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
    return field;
  }
  std::uint64_t number(std::string_view text) {
    const auto number = wire::read_integer<std::uint64_t>(text);
    is_good &= number.has_value();
    return number.value_or(0);
  }
  std::uint64_t take_number() { return number(take()); }
  std::vector<std::uint64_t> take_numbers() {
    std::vector<std::uint64_t> numbers;
    for (FieldReader list{take()}; !list.rest.empty();) numbers.push_back(number(list.take(' ')));
    return numbers;
  }
};

bool is_dot_segment(std::string_view segment) {
  const auto decoded = wire::percent_decode(segment);
  return decoded == "." || decoded == "..";
}

}  // namespace

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

std::uint64_t fingerprint_of_paging(const Paging& paging) noexcept {
  auto hash = hash_begin;
  const char style = static_cast<char>(paging.style.index());
  mix(hash, {&style, 1});
  const auto [name, into_body] = parameter_of(paging.style);
  mix(hash, name);
  mix(hash, into_body);
  return hash;
}

std::string write_bookmark(const Bookmark& bookmark) {
  // No URL and no Range has a line feed. A cursor may have one: it is the last field.
  const auto& place = bookmark.place;
  const auto fields =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", place.url, place.range, bookmark.taken,
                  bookmark.listing, bookmark.paging, int{bookmark.guessing}, bookmark.before,
                  bookmark.promised ? fmt::to_string(*bookmark.promised) : "", bookmark.key,
                  fmt::join(bookmark.keys, " "), fmt::join(bookmark.again, " "), place.cursor);
  return std::string(prefix) + wire::base64url_encode(tag_of(fields) + fields);
}

std::optional<Bookmark> read_bookmark(std::string_view text) {
  // A file that it was kept in may have ended its line.
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  if (!text.starts_with(prefix)) return std::nullopt;
  const auto bytes = wire::base64url_decode(text.substr(prefix.size()));
  const auto tag_size = tag_of({}).size();
  if (!bytes || bytes->size() < tag_size) return std::nullopt;
  const auto fields = std::string_view(*bytes).substr(tag_size);
  if (!bytes->starts_with(tag_of(fields))) return std::nullopt;
  FieldReader reader{fields};
  Bookmark bookmark;
  bookmark.place.url = reader.take();
  bookmark.place.range = reader.take();
  bookmark.taken = reader.take_number();
  bookmark.listing = reader.take_number();
  bookmark.paging = reader.take_number();
  bookmark.guessing = reader.take_number() != 0;
  bookmark.before = reader.take_number();
  if (const auto promised = reader.take(); !promised.empty()) bookmark.promised = reader.number(promised);
  bookmark.key = reader.take_number();
  bookmark.keys = reader.take_numbers();
  bookmark.again = reader.take_numbers();
  bookmark.place.cursor = reader.rest;
  return reader.is_good ? std::optional(std::move(bookmark)) : std::nullopt;
}

bool fits(const PagePlace& place, const Paging& paging, const std::string& body) {
  if (std::any_of(place.range.begin(), place.range.end(), wire::is_control)) return false;
  if (place.cursor.empty() || std::holds_alternative<paging::PageStrategy>(paging.style)) return true;
  const std::string pointer(parameter_of(paging.style).into_body);
  return !body.empty() && !pointer.empty() && wire::with_json_at(body, pointer, place.cursor).has_value();
}

bool may_resume_at(std::string_view url, std::string_view base_url, const std::vector<wire::UrlOrigin>& origins) {
  const auto path = wire::split_url(url).path;
  for (FieldReader segments{path}; !segments.rest.empty();)
    if (is_dot_segment(segments.take('/'))) return false;
  const auto origin = wire::origin_of(url);
  if (!origin) return false;
  if (std::find(origins.begin() + 1, origins.end(), *origin) != origins.end()) return true;
  const auto base = wire::split_url(base_url).path;
  const bool is_below = path.starts_with(base) && (path.size() == base.size() || path[base.size()] == '/');
  return *origin == origins.front() && is_below;
}

}}}  // namespace noun::detail
