// Bookmarks as text: written, read back, and refused; and where they may lead.
#include "paging/bookmark.hpp"

#include <gtest/gtest.h>

#include "wire/base64url.hpp"

namespace noun { namespace bookmark_test {

using namespace detail;

Bookmark full() {
  return {.place = {.url = "https://api.example.com/v1/a?page=2&after=%20x", .cursor = "{\n\"a\": 1}", .range = "3-5"},
          .taken = 17,
          .listing = 0xFFFFFFFFFFFFFFFFU,
          .paging = 7,
          .guessing = true,
          .before = 1000,
          .promised = 2000,
          .key = 9,
          .keys = {1, 0xFFFFFFFFFFFFFFFFU},
          .again = {5}};
}

void expect_same(const std::optional<Bookmark>& read, const Bookmark& written) {
  ASSERT_TRUE(read);
  EXPECT_EQ(read->place, written.place);
  EXPECT_EQ(read->taken, written.taken);
  EXPECT_EQ(read->listing, written.listing);
  EXPECT_EQ(read->paging, written.paging);
  EXPECT_EQ(read->guessing, written.guessing);
  EXPECT_EQ(read->before, written.before);
  EXPECT_EQ(read->promised, written.promised);
  EXPECT_EQ(read->key, written.key);
  EXPECT_EQ(read->keys, written.keys);
  EXPECT_EQ(read->again, written.again);
}

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

TEST(WriteBookmark, is_read_back_as_it_was) {
  expect_same(read_bookmark(write_bookmark(full())), full());
  const Bookmark first{.place = {.url = "https://h/"}};
  expect_same(read_bookmark(write_bookmark(first)), first);
  const auto text = write_bookmark(full());
  EXPECT_TRUE(text.starts_with("noun1."));
  EXPECT_EQ(text.find_first_not_of(alphabet, 6), std::string::npos);
}

TEST(WriteBookmark, is_read_by_later_builds) {
  EXPECT_EQ(write_bookmark({.place = {.url = "https://h/"}, .taken = 1, .listing = 2, .paging = 3, .key = 4}),
            "noun1.ZTZmZjAxOWRmZDJjYWRlNGh0dHBzOi8vaC8KCjEKMgozCjAKMAoKNAoKCg");
}

TEST(ReadBookmark, refuses_every_change_of_a_character) {
  for (const auto& bookmark : {full(), Bookmark{.place = {.url = "https://h/?page=2"}, .taken = 1}}) {
    const auto text = write_bookmark(bookmark);
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (const char c : alphabet) {
        auto changed = text;
        changed[at] = c;
        EXPECT_TRUE(changed == text || !read_bookmark(changed)) << changed;
        EXPECT_FALSE(read_bookmark(text.substr(0, at) + c + text.substr(at))) << at << ' ' << c;
      }
      EXPECT_FALSE(read_bookmark(text.substr(0, at) + text.substr(at + 1))) << at;
      EXPECT_FALSE(read_bookmark(text.substr(0, at))) << at;
    }
  }
}

TEST(MayResumeAt, below_the_base_url_or_at_a_trusted_origin) {
  const std::vector<wire::UrlOrigin> origins = {*wire::origin_of("https://api.example.com"),
                                                *wire::origin_of("https://pages.example.net")};
  const auto may = [&](const char* url) { return may_resume_at(url, "https://api.example.com/v1", origins); };
  for (const auto* url : {"https://api.example.com/v1", "https://api.example.com/v1/a?b=../c",
                          "https://api.example.com:443/v1?page=2", "https://pages.example.net/any",
                          "HTTPS://API.example.com/v1/...a"})
    EXPECT_TRUE(may(url)) << url;
  for (const auto* url :
       {"https://api.example.com/", "https://api.example.com/v2/a", "https://api.example.com/v10",
        "https://api.example.com/v1/../admin", "https://api.example.com/v1/a/..", "https://api.example.com/v1/./a",
        "https://api.example.com/v1/%2e%2E/admin", "https://api.example.com/v1/.%2e",
        "https://pages.example.net/a/../b", "https://evil.example/v1", "http://api.example.com/v1",
        "https://api.example.com@evil.example/v1", "/v1", ""})
    EXPECT_FALSE(may(url)) << url;
  EXPECT_TRUE(may_resume_at("https://api.example.com/any", "https://api.example.com", {origins[0]}));
  EXPECT_TRUE(may_resume_at("https://api.example.com/v2", "https://api.example.com/v1", {origins[0], origins[0]}))
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
  EXPECT_EQ(fingerprint_of_listing("/a", {}, ""), 17161780121351626710U) << "a bookmark is read by later builds";
}

}  // namespace bookmark_test
}  // namespace noun
