// Bookmarks as text: written, read back, and refused.
#include "paging/bookmark.hpp"

#include <gtest/gtest.h>

#include "wire/base64url.hpp"

namespace noun { namespace bookmark_test {

using namespace detail;

TEST(WriteBookmark, is_read_back_as_it_was) {
  const Bookmark bookmark{{.url = "https://api.example.com/v1/a?page=2&after=%20x"}, 17, 0xFFFFFFFFFFFFFFFFU, true};
  const auto text = write_bookmark(bookmark);
  EXPECT_TRUE(text.starts_with("noun1."));
  EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6),
            std::string::npos);
  const auto read = read_bookmark(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->place.url, bookmark.place.url);
  EXPECT_EQ(read->taken, 17U);
  EXPECT_EQ(read->listing, bookmark.listing);
  EXPECT_TRUE(read->guessing);
  EXPECT_FALSE(read_bookmark(write_bookmark({bookmark.place, 17, 1}))->guessing);
}

TEST(ReadBookmark, knows_by_which_key_its_items_were_known_if_it_says_so) {
  Bookmark bookmark{{.url = "https://h/"}, 1, 1};
  EXPECT_EQ(read_bookmark(write_bookmark(bookmark))->key, 0U) << "as in bookmarks of before";
  bookmark.key = fingerprint_of_key("/id");
  EXPECT_EQ(read_bookmark(write_bookmark(bookmark))->key, bookmark.key);
  EXPECT_NE(fingerprint_of_key("/id"), fingerprint_of_key("/uid"));
  EXPECT_EQ(fingerprint_of_key("/id"), 4072502685U) << "a bookmark is read by later builds";
}

TEST(ReadBookmark, refuses_what_is_nested_however_deep) {
  for (const std::size_t levels : {1U, 1'000'000U}) {
    const auto nested = R"({"v":1,"page":"https://h/","taken":0,"of":1,"x":)" + std::string(levels, '[') +
                        std::string(levels, ']') + "}";
    EXPECT_FALSE(read_bookmark("noun1." + wire::base64url_encode(nested)));
  }
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
