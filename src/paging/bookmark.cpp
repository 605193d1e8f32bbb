#include "paging/bookmark.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "paging/styles.hpp"
#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

constexpr std::string_view checked_prefix = "noun1.";
constexpr std::string_view signed_prefix = "noun1s.";
constexpr std::size_t tag_size = 32;

/// Without a key, a checksum.
std::string tag_of(std::string_view prefix, std::string_view fields, std::string_view key) {
  return wire::hmac_sha256(key, fmt::format("{}{}", prefix, fields));
}

/// Takes the fields of a bookmark one after the other.
struct FieldReader {
  std::string_view rest;
  bool is_good = true;

  std::string_view take() {
    const auto field = rest.substr(0, rest.find('\n'));
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
  wire::Digest take_digest() {
    wire::Digest digest{};
    is_good &= rest.size() >= digest.size();
    const auto size = std::min(rest.size(), digest.size());
    std::copy_n(rest.begin(), size, digest.begin());
    rest.remove_prefix(size);
    return digest;
  }
  std::vector<wire::Digest> take_digests(std::uint64_t count) {
    std::vector<wire::Digest> digests;
    for (; count > 0 && is_good; --count) digests.push_back(take_digest());
    return digests;
  }
};

void append(std::string& text, const std::vector<wire::Digest>& digests) {
  for (const auto& digest : digests) text.append(digest.data(), digest.size());
}

/// Appends a text so that its end is known.
void append_field(std::string& text, std::string_view field) { text += fmt::format("{}:{}", field.size(), field); }

wire::Digest fingerprint_of(std::string_view text) { return wire::KeyedHash(wire::HashSeed{}).of(text); }

}  // namespace

wire::Digest fingerprint_of_listing(std::string_view path, const Query& query, std::string_view body,
                                    std::string_view key) {
  std::string all;
  append_field(all, path);
  append_field(all, body);
  for (const auto& [name, value] : query) {
    append_field(all, name);
    append_field(all, value);
  }
  if (key.empty()) return fingerprint_of(all);
  return fingerprint_of(wire::hmac_sha256(key, all));
}

wire::Digest fingerprint_of_paging(const Paging& paging) {
  const auto [name, into_body] = parameter_of(paging.style);
  auto all = fmt::format("{}:", paging.style.index());
  append_field(all, name);
  append_field(all, into_body);
  return fingerprint_of(all);
}

std::string write_bookmark(const Bookmark& bookmark, std::string_view key) {
  // No URL and no Range has a line feed. A cursor may have one: it is the last field.
  const auto& place = bookmark.place;
  auto fields = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n", place.url, place.range, bookmark.taken,
                            int{bookmark.guessing}, bookmark.before,
                            bookmark.promised ? fmt::to_string(*bookmark.promised) : "", bookmark.keys.size(),
                            bookmark.again.size());
  append(fields, {bookmark.listing, bookmark.paging, bookmark.seed, bookmark.key});
  append(fields, bookmark.keys);
  append(fields, bookmark.again);
  fields += place.cursor;
  const auto prefix = key.empty() ? checked_prefix : signed_prefix;
  return std::string(prefix) + wire::base64url_encode(tag_of(prefix, fields, key) + fields);
}

std::variant<Bookmark, BookmarkFault> read_bookmark(std::string_view text, std::string_view key) {
  // A file that it was kept in may have ended its line.
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  const bool is_signed = text.starts_with(signed_prefix);
  if (!is_signed && !text.starts_with(checked_prefix)) return BookmarkFault::malformed;
  if (is_signed && key.empty()) return BookmarkFault::needs_key;
  if (!is_signed && !key.empty()) return BookmarkFault::unauthenticated;
  const auto prefix = is_signed ? signed_prefix : checked_prefix;
  const auto bytes = wire::base64url_decode(text.substr(prefix.size()));
  if (!bytes || bytes->size() < tag_size) return BookmarkFault::malformed;
  const auto fields = std::string_view(*bytes).substr(tag_size);
  if (!wire::equal_in_constant_time(std::string_view(*bytes).substr(0, tag_size), tag_of(prefix, fields, key)))
    return is_signed ? BookmarkFault::wrong_tag : BookmarkFault::malformed;
  FieldReader reader{fields};
  Bookmark bookmark;
  bookmark.place.url = reader.take();
  bookmark.place.range = reader.take();
  bookmark.taken = reader.take_number();
  bookmark.guessing = reader.take_number() != 0;
  bookmark.before = reader.take_number();
  if (const auto promised = reader.take(); !promised.empty()) bookmark.promised = reader.number(promised);
  const auto keys = reader.take_number();
  const auto again = reader.take_number();
  bookmark.listing = reader.take_digest();
  bookmark.paging = reader.take_digest();
  bookmark.seed = reader.take_digest();
  bookmark.key = reader.take_digest();
  bookmark.keys = reader.take_digests(keys);
  bookmark.again = reader.take_digests(again);
  bookmark.place.cursor = reader.rest;
  if (!reader.is_good) return BookmarkFault::malformed;
  return bookmark;
}

bool fits(const PagePlace& place, const Paging& paging, const std::string& body) {
  if (std::any_of(place.range.begin(), place.range.end(), wire::is_control)) return false;
  if (place.cursor.empty() || std::holds_alternative<paging::PageStrategy>(paging.style)) return true;
  const std::string pointer(parameter_of(paging.style).into_body);
  return !body.empty() && !pointer.empty() && wire::with_json_at(body, pointer, place.cursor).has_value();
}

bool may_resume_at(std::string_view url, std::string_view base_url, const std::vector<wire::UrlOrigin>& origins,
                   std::string_view own_url) {
  const auto parts = wire::split_url(url);
  const auto origin = wire::origin_of(url);
  if (!origin || parts.has_fragment) return false;
  const auto path = parts.path;
  // An id of the listing's own address may contain anything, encoded.
  if (path != wire::split_url(own_url).path && wire::has_dot_segment(path)) return false;
  if (std::find(origins.begin() + 1, origins.end(), *origin) != origins.end()) return true;
  const auto base = wire::split_url(base_url).path;
  const bool is_below = path.starts_with(base) && (path.size() == base.size() || path[base.size()] == '/');
  return *origin == origins.front() && is_below;
}

}}}  // namespace noun::detail
