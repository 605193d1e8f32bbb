// Bookmarks as text: written, read back, and refused.
#include "resource/bookmark.hpp"

#include <gtest/gtest.h>

#include "wire/base64url.hpp"

namespace noun {
namespace {

const Query none;

std::string shown(const std::string& bookmark) {
  return *wire::base64url_decode(std::string_view(bookmark).substr(6));
}

TEST(WriteBookmark, is_read_back_as_it_was) {
  const Bookmark bookmark{"https://api.example.com/v1/a?page=2&after=%20x", 17, 0xFFFFFFFFFFFFFFFFU, true};
  const auto text = write_bookmark(bookmark, {none});
  EXPECT_TRUE(text.starts_with("noun1."));
  EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6), std::string::npos);
  const auto read = read_bookmark(text, {none});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->page_url, bookmark.page_url);
  EXPECT_EQ(read->taken, 17U);
  EXPECT_EQ(read->listing, bookmark.listing);
  EXPECT_TRUE(read->guessing);
  EXPECT_FALSE(read_bookmark(write_bookmark({bookmark.page_url, 17, 1}, {none}), {none})->guessing);
}

TEST(WriteBookmark, leaves_the_values_of_the_query_out_and_reading_puts_them_back) {
  const Query query = {{"token", "s3cret"}, {"empty", ""}, {"q", "a b"}, {"q", "c"}};
  const std::string url = "https://api.example.com/a?token=s3cret&empty=&q=a%20b&q=c&tokens=s3cret&page=2&token=s3cretly";
  const auto text = write_bookmark({url, 0, 1}, {query});
  EXPECT_EQ(shown(text).find("token=s3cret&"), std::string::npos);
  EXPECT_EQ(shown(text).find("a%20b"), std::string::npos);
  EXPECT_EQ(read_bookmark(text, {query})->page_url, url);
  const Query other = {{"token", "other"}, {"", ""}, {"", "x"}, {"", "y"}};
  EXPECT_EQ(read_bookmark(text, {other})->page_url,
            "https://api.example.com/a?token=other&empty=&q=x&q=y&tokens=s3cret&page=2&token=s3cretly");
}

TEST(WriteBookmark, of_a_value_that_looks_like_another_is_still_exact) {
  const Query query = {{"a", "1"}, {"b", "0"}, {"c", "x"}, {"d", "x"}, {"e", "x"}, {"f", "x"}, {"g", "x"}, {"h", "x"},
                       {"i", "x"}, {"j", "x"}, {"k", "eleventh"}};
  const std::string url = "https://api.example.com/a?a=1&b=0&c=x&d=x&e=x&f=x&g=x&h=x&i=x&j=x&k=eleventh&page=10";
  EXPECT_EQ(read_bookmark(write_bookmark({url, 3, 1}, {query}), {query})->page_url, url);
}

TEST(ReadBookmark, has_no_page_where_the_query_lacks_a_value_of_it) {
  const Query token = {{"token", "s3cret"}};
  const auto text = write_bookmark({"https://api.example.com/a?token=s3cret", 0, 1}, {token});
  EXPECT_TRUE(read_bookmark(text, {token}));
  EXPECT_EQ(read_bookmark(text, {none}).value().page_url, "");
}

TEST(WriteBookmark, leaves_secrets_out_and_reading_puts_those_of_today_in) {
  const Query query = {{"q", "a"}};
  const std::string url = "https://api.example.com/a?q=a&access_token=s3%2Fcret&after=s3&page=2";
  const auto text = write_bookmark({url, 0, 1}, {query, [] { return std::vector<std::string>{"Bearer s3/cret", "s3/cret"}; }});
  EXPECT_EQ(shown(text).find("cret"), std::string::npos) << shown(text);
  EXPECT_EQ(read_bookmark(text, {query, [] { return std::vector<std::string>{"Bearer new", "new"}; }})->page_url,
            "https://api.example.com/a?q=a&access_token=new&after=s3&page=2");
  EXPECT_EQ(read_bookmark(text, {query})->page_url, "");
  EXPECT_EQ(read_bookmark(text, {query, [] { return std::vector<std::string>{"alone"}; }})->page_url, "");
}

TEST(ReadBookmark, asks_for_secrets_only_where_the_page_needs_them) {
  const Query query = {{"q", "a"}};
  const auto text = write_bookmark({"https://api.example.com/a?q=a", 0, 1}, {query});
  const auto read = read_bookmark(text, {query, []() -> std::vector<std::string> {
                                           ADD_FAILURE() << "they were asked for";
                                           return {};
                                         }});
  EXPECT_EQ(read->page_url, "https://api.example.com/a?q=a");
}

TEST(ReadBookmark, refuses_what_is_nested_however_deep) {
  for (const std::size_t levels : {1U, 1'000'000U}) {
    const auto nested = R"({"v":1,"page":"https://h/","taken":0,"of":1,"x":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
    EXPECT_FALSE(read_bookmark("noun1." + wire::base64url_encode(nested), {none}));
  }
}

TEST(FingerprintOfListing, differs_by_path_query_and_their_borders) {
  const auto one = fingerprint_of_listing("/a", {{"b", "c"}});
  EXPECT_EQ(one, fingerprint_of_listing("/a", {{"b", "c"}}));
  EXPECT_NE(one, fingerprint_of_listing("/a", {}));
  EXPECT_NE(one, fingerprint_of_listing("/a", {{"bc", ""}}));
  EXPECT_NE(one, fingerprint_of_listing("/ab", {{"", "c"}}));
  EXPECT_NE(one, fingerprint_of_listing("/a", {{"c", "b"}}));
  EXPECT_NE(fingerprint_of_listing("/a", {{"x", "1"}, {"y", "2"}}), fingerprint_of_listing("/a", {{"y", "2"}, {"x", "1"}}));
  EXPECT_EQ(fingerprint_of_listing("/a", {}), 17161780121351626710U) << "a bookmark is read by later builds";
}

}  // namespace
}  // namespace noun
