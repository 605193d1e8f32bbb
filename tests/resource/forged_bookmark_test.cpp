// Tests of bookmarks from users: with ClientOptions::bookmark_key none is accepted that the client did not write, and
// without it none takes a secret out of the base path or into a URL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paging/bookmark.hpp"
#include "resource/listing_bench.hpp"

namespace resource_test { namespace forged_bookmark_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* canary = "canary-token-0815";
constexpr const char* key = "a key of the program, 32 bytes..";

/// The pages, and clients with a secret in every place.
struct Target : ThreePages {
  noun::Collection<int> numbers_with(const std::string& bookmark_key, const std::string& path = "numbers") {
    return client({.credentials = noun::bearer(canary),
                   .headers = {{"X-Session", "canary-session"}},
                   .query = {{"ticket", "canary-ticket"}},
                   .trusted_origins = {"https://pages.example.net"},
                   .transport = pages,
                   .bookmark_key = bookmark_key})
        .collection<int>(noun::runtime(path));
  }
  /// Resumes a forged bookmark, and expects that nothing is sent.
  /// @returns  the message.
  std::string refusal(const std::string& bookmark, const std::string& bookmark_key) {
    const auto error = first_error(numbers_with(bookmark_key).list({.resume = bookmark}));
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_THAT(error.message(), Not(HasSubstr("canary")));
    EXPECT_THAT(pages->urls, IsEmpty());
    return error.message();
  }
};

/// A bookmark of the listing that leads to `url`, as a forger with this key, or none, writes it.
std::string forged(Target& target, const std::string& url, const std::string& with_key = "") {
  auto bookmark = std::get<noun::detail::Bookmark>(
      noun::detail::read_bookmark(target.numbers_with(with_key).list().bookmark(), with_key));
  bookmark.place.url = url;
  return noun::detail::write_bookmark(bookmark, with_key);
}

const std::string outside[] = {"https://evil.example/v1/numbers",
                               "https://api.example.com@evil.example/",
                               "https://api.example.com/admin",
                               "https://api.example.com/v1admin",
                               "https://api.example.com/v1/../admin",
                               "https://api.example.com/v1/a/../../admin",
                               "https://api.example.com/v1/%2e%2E/admin",
                               "https://api.example.com/v1/..%2fadmin",
                               "https://api.example.com/v1/%2e%2e%2fadmin",
                               "https://api.example.com/v1/..%5cadmin",
                               "https://api.example.com/v1/..\\admin",
                               "https://api.example.com/v1/%252e%252e/admin",
                               "https://api.example.com/v1/..;/admin",
                               "https://pages.example.net/a/..%2fb"};

const std::string placeholders[] = {"\x01"
                                    "0\x02",
                                    "\x01"
                                    "0:authorization\x02",
                                    "\x01"
                                    "1:authorization\x02",
                                    "\x01"
                                    "0:x-session\x02"};

std::vector<std::string> with_placeholders() {
  std::vector<std::string> urls;
  for (const auto& placeholder : placeholders)
    for (const std::string url :
         {"https://api.example.com/v1/numbers?comment=", "https://api.example.com/v1/",
          "https://api.example.com/v1/numbers?", "https://api.example.com/v1/numbers?access_token=a",
          "https://pages.example.net/", "https://"})
      urls.push_back(url + placeholder);
  return urls;
}

TEST(ForgedBookmark, leads_neither_out_of_the_base_path_nor_a_secret_into_a_url) {
  Target target;
  for (const auto& url : outside)
    EXPECT_THAT(target.refusal(forged(target, url), ""), HasSubstr("leads neither below")) << url;
  for (const auto& url : with_placeholders()) target.refusal(forged(target, url), "");
  EXPECT_THAT(target.refusal(forged(target, "https://api.example.com/v1/\x01"
                                            "1:authorization\x02"),
                             ""),
              HasSubstr("set ClientOptions::bookmark_key"));
}

TEST(ForgedBookmark, is_refused_by_a_client_with_a_key_wherever_it_leads) {
  Target target;
  auto urls = with_placeholders();
  urls.insert(urls.end(), std::begin(outside), std::end(outside));
  urls.push_back(numbers_url);
  urls.push_back(numbers_url + "?page=2");
  for (const auto& url : urls) {
    EXPECT_THAT(target.refusal(forged(target, url), key),
                HasSubstr("the bookmark was made without ClientOptions::bookmark_key"));
    EXPECT_THAT(target.refusal(forged(target, url, "a guessed key, of 32 bytes......"), key), HasSubstr("use the key"));
  }
}

TEST(ForgedBookmark, with_the_right_key_still_leads_nowhere_else) {
  Target target;
  for (const auto& url : outside)
    EXPECT_THAT(target.refusal(forged(target, url, key), key), HasSubstr("leads neither below")) << url;
}

TEST(AuthenticatedBookmark, resumes_with_its_key_only) {
  Target target;
  target.pages->page(numbers_url + "?ticket=canary-ticket", "[1, 2]", next("?page=2"));
  target.pages->page(numbers_url + "?page=2&ticket=canary-ticket", "[3]");
  auto listing = target.numbers_with(key).list({.max_items = 1});
  EXPECT_EQ(all_of(listing), numbers(1, 1));
  const auto bookmark = listing.bookmark();
  EXPECT_EQ(all_of(target.numbers_with(key).list({.resume = bookmark})), numbers(2, 3));
  target.pages->urls.clear();
  EXPECT_THAT(target.refusal(bookmark, ""), HasSubstr("set ClientOptions::bookmark_key to that key"));
  EXPECT_THAT(target.refusal(bookmark, "another key of 20 b"), HasSubstr("use the key that it was made with"));
  auto changed = bookmark;
  changed.back() = changed.back() == 'A' ? 'Q' : 'A';
  target.refusal(changed, key);
  changed = bookmark;
  changed[20] = changed[20] == 'A' ? 'B' : 'A';
  EXPECT_THAT(target.refusal(changed, key), HasSubstr("or it was changed"));
}

TEST(AuthenticatedBookmark, belongs_to_its_path_and_query) {
  Target target;
  const auto bookmark = target.numbers_with(key).list({.query = {{"owner", "me"}}}).bookmark();
  const auto expect_refused = [&](noun::Listing<int> listing) {
    EXPECT_THAT(first_error(std::move(listing)).message(), HasSubstr("the bookmark belongs to another listing"));
  };
  expect_refused(target.numbers_with(key, "letters").list({.query = {{"owner", "me"}}, .resume = bookmark}));
  expect_refused(target.numbers_with(key).list({.query = {{"owner", "you"}}, .resume = bookmark}));
  expect_refused(target.numbers_with(key).list({.resume = bookmark}));
  EXPECT_THAT(target.pages->urls, IsEmpty());
}

TEST(AuthenticatedBookmark, returns_a_secret_to_where_the_server_put_it) {
  Target target;
  const auto first = numbers_url + "?ticket=canary-ticket";
  target.pages->page(first, "[1]", next(std::string("/v1/numbers/") + canary + "?page=2"));
  target.pages->page(numbers_url + "/" + canary + "?page=2&ticket=canary-ticket", "[2, 3]");
  auto listing = target.numbers_with(key).list({.max_items = 2});
  EXPECT_EQ(all_of(listing), numbers(1, 2));
  EXPECT_EQ(all_of(target.numbers_with(key).list({.resume = listing.bookmark()})), numbers(3, 3));
}

}  // namespace forged_bookmark_test
}  // namespace resource_test
