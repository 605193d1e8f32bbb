#include "paging/bookmark.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "paging/styles.hpp"
#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/sealed_text.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

constexpr std::string_view bookmark_kind = "noun1";

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
  std::size_t number(std::string_view text) {
    const auto number = wire::read_integer<std::size_t>(text);
    is_good &= number.has_value();
    return number.value_or(0);
  }
  std::size_t take_number() { return number(take()); }
  wire::Digest take_digest() {
    wire::Digest digest{};
    is_good &= rest.size() >= digest.size();
    const auto size = std::min(rest.size(), digest.size());
    std::copy_n(rest.begin(), size, digest.begin());
    rest.remove_prefix(size);
    return digest;
  }
  std::vector<wire::Digest> take_digests(std::size_t count) {
    std::vector<wire::Digest> digests;
    for (; count > 0 && is_good; --count) digests.push_back(take_digest());
    return digests;
  }
};

void append(std::string& text, const std::vector<wire::Digest>& digests) {
  for (const auto& digest : digests) text.append(digest.data(), digest.size());
}

/// @{
/// Bookmark::guessed_first as a field: 1 for a page 1, 2 for a page 0, 0 for none.
int written_guess(std::optional<int> first) { return !first ? 0 : *first == 0 ? 2 : 1; }
std::optional<int> read_guess(std::size_t field) {
  if (field == 0) return std::nullopt;
  return field == 2 ? 0 : 1;
}
/// @}

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
                            written_guess(bookmark.guessed_first), bookmark.before,
                            bookmark.promised ? fmt::to_string(*bookmark.promised) : "", bookmark.keys.size(),
                            bookmark.again.size());
  append(fields, {bookmark.listing, bookmark.paging, bookmark.seed, bookmark.key});
  append(fields, bookmark.keys);
  append(fields, bookmark.again);
  fields += place.cursor;
  return wire::seal(bookmark_kind, fields, key);
}

std::variant<Bookmark, wire::SealFault> read_bookmark(std::string_view text, std::string_view key) {
  const auto unsealed = wire::unseal(bookmark_kind, text, key);
  if (const auto* fault = std::get_if<wire::SealFault>(&unsealed)) return *fault;
  FieldReader reader{std::get<std::string>(unsealed)};
  Bookmark bookmark;
  bookmark.place.url = reader.take();
  bookmark.place.range = reader.take();
  bookmark.taken = reader.take_number();
  bookmark.guessed_first = read_guess(reader.take_number());
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
  if (!reader.is_good) return wire::SealFault::malformed;
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
