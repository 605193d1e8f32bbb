// Bookmarks: the input is a bookmark, the fields of a forged one, and the fields of a written one.
#include <algorithm>
#include <string>
#include <variant>

#include <fuzzer/FuzzedDataProvider.h>

#include "fuzz/invariant.hpp"
#include "paging/bookmark.hpp"
#include "wire/base64url.hpp"
#include "wire/digest.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace {

using namespace noun;
using namespace noun::detail;
using noun_fuzz::require;

const std::string base = "https://api.example.com/v1";
const std::string own_url = base + "/things";
constexpr const char* keys[] = {"", "a key of 32 bytes, for bookmarks"};
const std::vector<wire::UrlOrigin> origins = {*wire::origin_of(base), *wire::origin_of("https://other.example.com")};

bool same(const Bookmark& left, const Bookmark& right) {
  return left.place == right.place && left.taken == right.taken && left.listing == right.listing &&
         left.paging == right.paging && left.guessed_first == right.guessed_first && left.before == right.before &&
         left.promised == right.promised && left.seed == right.seed && left.key == right.key &&
         left.keys == right.keys && left.again == right.again;
}

void check_round_trip(const Bookmark& bookmark, std::string_view key) {
  const auto text = write_bookmark(bookmark, key);
  const auto again = read_bookmark(text, key);
  require(std::holds_alternative<Bookmark>(again) && same(std::get<Bookmark>(again), bookmark),
          "a written bookmark reads the same");
  const auto is_read = [&](const std::string& other, std::string_view other_key) {
    return std::holds_alternative<Bookmark>(read_bookmark(other, other_key));
  };
  require(is_read(text + "\r\n", key), "the end of a line is not a part of it");
  for (std::size_t i = 0; i < text.size(); i += 7) {
    auto changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    require(!is_read(changed, key), "a changed bookmark is refused");
  }
  require(!is_read(text.substr(0, text.size() / 2), key), "a cut bookmark is refused");
  for (const auto* other : {keys[0], keys[1], "another key"})
    require(other == key || !is_read(text, other), "a bookmark of another key is refused");
}

/// Text whose tag is right, whatever its fields are.
void read_forged(const std::string& fields, std::string_view key) {
  const std::string prefix = key.empty() ? "noun1." : "noun1s.";
  const auto text = prefix + wire::base64url_encode(wire::hmac_sha256(key, prefix + fields) + fields);
  const auto bookmark = read_bookmark(text, key);
  if (const auto* whole = std::get_if<Bookmark>(&bookmark)) check_round_trip(*whole, key);
}

void check_url(const std::string& url) {
  if (!may_resume_at(url, base, origins, own_url)) return;
  const auto origin = wire::origin_of(url);
  require(origin == origins[0] || origin == origins[1], "a listing resumes at an allowed origin");
  if (origin != origins[0]) return;
  // As a server may see it, after a proxy that decodes it, too.
  auto path = std::string(wire::split_url(url).path);
  for (int times = 0; times < 3 && path != wire::split_url(own_url).path; ++times) {
    std::replace(path.begin(), path.end(), '\\', '/');
    const auto seen = std::string(wire::split_url(wire::resolve_reference("https://x/", path)).path);
    require(seen == "/v1" || seen.starts_with("/v1/"), "a listing resumes below the base URL");
    path = wire::percent_decode(path).value_or(path);
  }
}

template <class Bytes>
Bytes some_bytes(FuzzedDataProvider& input) {
  Bytes bytes{};
  input.ConsumeData(bytes.data(), bytes.size());
  return bytes;
}

std::vector<wire::Digest> some_digests(FuzzedDataProvider& input) {
  std::vector<wire::Digest> all(input.ConsumeIntegralInRange<std::size_t>(0, 5));
  for (auto& each : all) each = some_bytes<wire::Digest>(input);
  return all;
}

std::string without_line_feed(std::string text) {
  std::erase(text, '\n');
  return text;
}

Bookmark bookmark_of(FuzzedDataProvider& input) {
  Bookmark bookmark;
  bookmark.place.url = without_line_feed(input.ConsumeRandomLengthString(64));
  bookmark.place.range = without_line_feed(input.ConsumeRandomLengthString(16));
  bookmark.place.cursor = input.ConsumeRandomLengthString(64);
  bookmark.taken = input.ConsumeIntegral<std::size_t>();
  bookmark.listing = some_bytes<wire::Digest>(input);
  bookmark.paging = some_bytes<wire::Digest>(input);
  if (input.ConsumeBool()) bookmark.guessed_first = input.ConsumeIntegralInRange(0, 1);
  bookmark.before = input.ConsumeIntegral<std::size_t>();
  if (input.ConsumeBool()) bookmark.promised = input.ConsumeIntegral<std::size_t>();
  bookmark.seed = some_bytes<wire::HashSeed>(input);
  bookmark.key = some_bytes<wire::Digest>(input);
  bookmark.keys = some_digests(input);
  bookmark.again = some_digests(input);
  return bookmark;
}

void check_fits(const Bookmark& bookmark) {
  for (const Paging& paging : {Paging{.style = paging::Cursor{.parameter = "cursor", .into_body = "/after"}},
                               Paging{.style = paging::Offset{.into_body = "/offset"}}, Paging{}})
    for (const auto* body : {"", "{}", "[1]"}) fits(bookmark.place, paging, body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const auto* key = keys[input.ConsumeBool() ? 1 : 0];
  switch (input.ConsumeIntegralInRange(0, 3)) {
    case 0: read_bookmark(input.ConsumeRemainingBytesAsString(), key); break;
    case 1: read_forged(input.ConsumeRemainingBytesAsString(), key); break;
    case 2: check_url(input.ConsumeRemainingBytesAsString()); break;
    default: {
      const auto bookmark = bookmark_of(input);
      check_round_trip(bookmark, key);
      check_fits(bookmark);
    }
  }
  return 0;
}
