// Bookmarks as text: written, read back, and refused; and where they may lead.
#include "paging/bookmark.hpp"

#include <optional>
#include <variant>

#include <gtest/gtest.h>

#include "wire/base64url.hpp"
#include "wire/digest.hpp"
#include "wire/sealed_text.hpp"

namespace noun { namespace bookmark_test {

using namespace detail;
using wire::SealFault;

Bookmark full() {
  return {.place = {.url = "https://api.example.com/v1/a?page=2&after=%20x", .cursor = "{\n\"a\": 1}", .range = "3-5"},
          .taken = 17,
          .listing = {'\n', '\xff'},
          .paging = {7},
          .guessed_first = 0,
          .before = 1000,
          .promised = 2000,
          .seed = {'\n'},
          .key = {9},
          .keys = {{1}, {'\n', '\n'}},
          .again = {{5}}};
}

constexpr const char* key = "a key of the program";

void expect_same(const std::variant<Bookmark, SealFault>& result, const Bookmark& written) {
  const auto* read = std::get_if<Bookmark>(&result);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->place, written.place);
  EXPECT_EQ(read->taken, written.taken);
  EXPECT_EQ(read->listing, written.listing);
  EXPECT_EQ(read->paging, written.paging);
  EXPECT_EQ(read->guessed_first, written.guessed_first);
  EXPECT_EQ(read->before, written.before);
  EXPECT_EQ(read->promised, written.promised);
  EXPECT_EQ(read->seed, written.seed);
  EXPECT_EQ(read->key, written.key);
  EXPECT_EQ(read->keys, written.keys);
  EXPECT_EQ(read->again, written.again);
}

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::optional<SealFault> fault_of(std::string_view text, std::string_view with_key) {
  const auto read = read_bookmark(text, with_key);
  const auto* fault = std::get_if<SealFault>(&read);
  return fault != nullptr ? std::optional(*fault) : std::nullopt;
}

TEST(WriteBookmark, is_read_back_as_it_was) {
  for (const auto* with : {"", key}) {
    expect_same(read_bookmark(write_bookmark(full(), with), with), full());
    const Bookmark first{.place = {.url = "https://h/"}, .guessed_first = 1};
    expect_same(read_bookmark(write_bookmark(first, with), with), first);
  }
  const auto text = write_bookmark(full(), "");
  EXPECT_TRUE(text.starts_with("noun1."));
  EXPECT_EQ(text.find_first_not_of(alphabet, 6), std::string::npos);
}

TEST(WriteBookmark, is_read_by_later_builds) {
  const Bookmark bookmark{.place = {.url = "https://h/"}, .taken = 1, .listing = {2}, .paging = {3}, .key = {4}};
  const std::string fields =
      "odHRwczovL2gvCgoxCjAKMAoKMAowCgIAAAAAAAAAAAAAAAAAAAADAAAAAAAAAAAAAAAAAAAA"
      "AAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAA";
  EXPECT_EQ(write_bookmark(bookmark, ""), "noun1.-VFHUpNje_rJpfW0SwsjVH9pCZ7-gi3GvCNROHCjxB5" + fields);
  EXPECT_EQ(write_bookmark(bookmark, key), "noun1s.YuVQsIf6_O77Guq9JjCrXw7dTZTuY4ObzfbKoKZdmDV" + fields);
}

TEST(ReadBookmark, refuses_every_change_of_a_character) {
  for (const auto& bookmark : {full(), Bookmark{.place = {.url = "https://h/?page=2"}, .taken = 1}}) {
    const auto text = write_bookmark(bookmark, key);
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (const char c : alphabet) {
        auto changed = text;
        changed[at] = c;
        EXPECT_TRUE(changed == text || fault_of(changed, key)) << changed;
        EXPECT_TRUE(fault_of(text.substr(0, at) + c + text.substr(at), key)) << at << ' ' << c;
      }
      EXPECT_TRUE(fault_of(text.substr(0, at) + text.substr(at + 1), key)) << at;
      EXPECT_TRUE(fault_of(text.substr(0, at), key)) << at;
    }
  }
}

TEST(ReadBookmark, needs_the_key_that_it_was_written_with) {
  const auto with_key = write_bookmark(full(), key);
  const auto without = write_bookmark(full(), "");
  EXPECT_EQ(fault_of(with_key, ""), SealFault::needs_key);
  EXPECT_EQ(fault_of(with_key, "another key"), SealFault::wrong_tag);
  EXPECT_EQ(fault_of(without, key), SealFault::unauthenticated);
  EXPECT_EQ(fault_of("noun1s." + without.substr(6), key), SealFault::wrong_tag);
  EXPECT_EQ(fault_of("noun1." + with_key.substr(7), ""), SealFault::malformed);
  EXPECT_EQ(fault_of("noun1s.", key), SealFault::malformed);
  EXPECT_EQ(fault_of("noun1", key), SealFault::malformed);
}

TEST(ReadBookmark, refuses_counts_that_its_text_does_not_have) {
  auto text = *wire::base64url_decode(std::string_view(write_bookmark(full(), "")).substr(6));
  auto fields = text.substr(32);
  const auto counts = fields.find("\n2\n1\n");
  ASSERT_NE(counts, std::string::npos);
  fields.replace(counts, 5, "\n18446744073709551615\n1\n");
  const auto tag = wire::hmac_sha256("", "noun1." + fields);
  EXPECT_EQ(fault_of("noun1." + wire::base64url_encode(tag + fields), ""), SealFault::malformed);
}

TEST(MayResumeAt, below_the_base_url_or_at_a_trusted_origin) {
  const std::vector<wire::UrlOrigin> origins = {*wire::origin_of("https://api.example.com"),
                                                *wire::origin_of("https://pages.example.net")};
  const auto may = [&](const char* url) { 
    return may_resume_at(url, "https://api.example.com/v1", origins, "https://api.example.com/v1/a%2F..%2Fb/c");
  };
  for (const auto* url : {"https://api.example.com/v1", "https://api.example.com/v1/a?b=../c",
                          "https://api.example.com:443/v1?page=2", "https://pages.example.net/any",
                          "HTTPS://API.example.com/v1/...a", "https://api.example.com/v1/a%2Fb%zz/%",
                          "https://api.example.com/v1/a%2F..%2Fb/c?page=2"})
    EXPECT_TRUE(may(url)) << url;
  for (const auto* url :
       {"https://api.example.com/", "https://api.example.com/v2/a", "https://api.example.com/v10",
        "https://api.example.com/v1/../admin", "https://api.example.com/v1/a/..", "https://api.example.com/v1/./a",
        "https://api.example.com/v1/%2e%2E/admin", "https://api.example.com/v1/.%2e",
        "https://api.example.com/v1/..%2fadmin", "https://api.example.com/v1/%2e%2e%2Fadmin",
        "https://api.example.com/v1/a%2f..%2f..%2fadmin", "https://api.example.com/v1/..%5Cadmin",
        "https://api.example.com/v1/..\\admin", "https://api.example.com/v1/%252e%252e/admin",
        "https://api.example.com/v1/%252e%252e%252fadmin", "https://api.example.com/v1/..;/admin",
        "https://api.example.com/v1/..%3f/admin", "https://api.example.com/v1/..%23/x",
        "https://api.example.com/v1/..%00/admin", "https://api.example.com/v1/..%20/admin",
        "https://api.example.com/v1/%2e%2e%3ba=b/admin", "https://api.example.com/v1/%2e%2e%2f%zz",
        "https://api.example.com/v1/a%2F..%2Fb/d", "https://api.example.com/v1/a#/../b",
        "https://pages.example.net/a/../b", "https://evil.example/v1", "http://api.example.com/v1",
        "https://api.example.com@evil.example/v1", "/v1", ""})
    EXPECT_FALSE(may(url)) << url;
  EXPECT_TRUE(may_resume_at("https://api.example.com/any", "https://api.example.com", {origins[0]}, ""));
  EXPECT_TRUE(may_resume_at("https://api.example.com/v2", "https://api.example.com/v1", {origins[0], origins[0]}, ""))
      << "the client trusts all of its own origin";
}

TEST(FingerprintOfListing, differs_by_path_query_and_their_borders) {
  const auto one = fingerprint_of_listing("/a", {{"b", "c"}}, "");
  EXPECT_EQ(one, fingerprint_of_listing("/a", {{"b", "c"}}, ""));
  EXPECT_NE(one, fingerprint_of_listing("/a", {}, ""));
  EXPECT_NE(one, fingerprint_of_listing("/a", {{"bc", ""}}, ""));
  EXPECT_NE(one, fingerprint_of_listing("/ab", {{"", "c"}}, ""));
  EXPECT_NE(one, fingerprint_of_listing("/a", {{"c", "b"}}, ""));
  EXPECT_NE(fingerprint_of_listing("/a", {{"x", "1"}, {"y", "2"}}, ""),
            fingerprint_of_listing("/a", {{"y", "2"}, {"x", "1"}}, ""));
  EXPECT_NE(one, fingerprint_of_listing("/a", {{"b", "c"}}, "", "key"));
  EXPECT_NE(fingerprint_of_listing("/a", {{"b", ""}}, ""), fingerprint_of_listing("/a", {}, "b"));
  EXPECT_NE(fingerprint_of_listing("/a", {{"x", "1\xffy\xff"}}, ""),
            fingerprint_of_listing("/a", {{"x", "1"}, {"y", ""}}, ""))
      << "a hash of the fields with separators between them takes these for equal";
}

}  // namespace bookmark_test
}  // namespace noun
