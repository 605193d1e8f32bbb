// Tests of bookmarks: after every item they resume with exactly the rest, and only the listing that they belong to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paging/bookmark.hpp"
#include "resource/listing_bench.hpp"
#include "wire/base64url.hpp"

namespace resource_test { namespace listing_bookmark_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// The bookmark after `count` items, each dereferenced or stepped over.
std::string bookmark_after(ThreePages& bench, int count, bool dereferenced) {
  auto listing = bench.numbers.list();
  auto at = listing.begin();
  for (int taken = 0; taken < count; ++taken) {
    EXPECT_FALSE(at == listing.end());
    if (dereferenced) EXPECT_EQ(**at, taken + 1);
    if (!dereferenced || taken + 1 < count) ++at;
  }
  return listing.bookmark();
}

TEST(Bookmark, after_every_item_resumes_with_exactly_the_rest) {
  for (int count = 0; count <= 8; ++count)
    for (const bool dereferenced : {true, false}) {
      ThreePages bench;
      const auto bookmark = bookmark_after(bench, count, dereferenced);
      EXPECT_THAT(bookmark, StartsWith("noun1."));
      EXPECT_EQ(all_of(bench.numbers.list({.resume = bookmark})), numbers(count + 1, 8)) << count;
      auto by_page = bench.numbers.list({.resume = bookmark});
      EXPECT_EQ(all_by_page(by_page), numbers(count + 1, 8)) << count;
    }
}

TEST(Bookmark, may_be_stored_as_a_line_of_a_file) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  EXPECT_EQ(**listing.begin(), 1);
  EXPECT_EQ(all_of(bench.numbers.list({.resume = listing.bookmark() + "\r\n"})), numbers(2, 8));
}

TEST(Bookmark, in_the_loop_body_is_after_the_current_item) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  for (const auto& number : listing)
    EXPECT_EQ(all_of(bench.numbers.list({.resume = listing.bookmark()})), numbers(*number + 1, 8));
  EXPECT_THAT(all_of(bench.numbers.list({.resume = listing.bookmark()})), IsEmpty());
}

TEST(Bookmark, after_items_that_were_stepped_over_is_after_them) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  auto at = listing.begin();
  EXPECT_EQ(**at, 1);
  ++at;
  ++at;
  EXPECT_EQ(all_of(bench.numbers.list({.resume = listing.bookmark()})), numbers(3, 8));
  EXPECT_EQ(**at, 3);
}

TEST(Bookmark, after_every_page_resumes_with_exactly_the_rest) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  for (const auto& page : listing.pages())
    EXPECT_EQ(all_of(bench.numbers.list({.resume = listing.bookmark()})), numbers(page->items.back() + 1, 8));
}

TEST(Bookmark, after_items_and_pages_in_turn_resumes_with_exactly_the_rest) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  auto pages = listing.pages();
  const auto rest = [&] { return all_of(bench.numbers.list({.resume = listing.bookmark()})); };
  EXPECT_EQ(**listing.begin(), 1);
  EXPECT_EQ(rest(), numbers(2, 8));
  EXPECT_EQ((*pages.begin())->items, numbers(2, 3));
  EXPECT_EQ(rest(), numbers(4, 8));
  EXPECT_EQ(**listing.begin(), 4);
  EXPECT_EQ(rest(), numbers(5, 8));
  EXPECT_EQ((*pages.begin())->items, numbers(5, 5));
  EXPECT_EQ(rest(), numbers(6, 8));
}

TEST(Bookmark, of_a_resumed_listing_before_begin_is_unchanged) {
  ThreePages bench;
  const auto bookmark = bookmark_after(bench, 5, true);
  auto twice = bench.numbers.list({.resume = bench.numbers.list({.resume = bookmark}).bookmark()});
  EXPECT_EQ(all_of(twice), numbers(6, 8));
}

TEST(Bookmark, is_not_moved_by_begin) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  EXPECT_FALSE(listing.begin() == listing.end());
  EXPECT_EQ(all_of(bench.numbers.list({.resume = listing.bookmark()})), numbers(1, 8));
}

TEST(Bookmark, resumes_on_a_page_that_has_shrunk_or_grown) {
  ThreePages bench;
  const auto bookmark = bookmark_after(bench, 3, true);
  bench.pages->page(numbers_url, "[1]", next("/v1/numbers?page=2"));
  EXPECT_EQ(all_of(bench.numbers.list({.resume = bookmark})), numbers(4, 8));
  ThreePages grown;
  const auto at_the_end = bookmark_after(grown, 8, true);
  grown.pages->page(numbers_url + "?page=3", "[6, 7, 8, 9]");
  EXPECT_EQ(all_of(grown.numbers.list({.resume = at_the_end})), numbers(9, 9));
}

/// The bookmark with another URL.
std::string leading_to(const std::string& url, const std::string& bookmark) {
  auto changed = std::get<noun::detail::Bookmark>(noun::detail::read_bookmark(bookmark, ""));
  changed.place.url = url;
  return noun::detail::write_bookmark(changed, "");
}

TEST(Bookmark, that_is_invalid_is_refused_before_sending) {
  ThreePages bench;
  const auto good = bench.numbers.list().bookmark();
  const std::string garbled[] = {"x",
                                 "noun1.",
                                 "noun1",
                                 "noun2." + good.substr(6),
                                 good.substr(1),
                                 good + "!",
                                 good.substr(0, good.size() - 3),
                                 "noun1.####",
                                 std::string("noun1.\0", 7),
                                 "noun1." + noun::wire::base64url_encode("[1]"),
                                 "noun1." + noun::wire::base64url_encode(std::string(100'000, '[')),
                                 leading_to("\x01"
                                            "9\x02",
                                            good),
                                 leading_to("\x01", good),
                                 leading_to("", good)};
  for (const auto& text : garbled) {
    const auto error = first_error(bench.numbers.list({.resume = text}));
    EXPECT_EQ(error.code(), Errc::invalid_argument) << text;
    EXPECT_THAT(error.message(), HasSubstr("ListOptions::resume is not a bookmark")) << text;
  }
  EXPECT_THAT(bench.pages->urls, IsEmpty());
}

TEST(Bookmark, with_any_character_changed_removed_or_added_is_refused) {
  ThreePages bench;
  std::vector<std::string> bookmarks = {bookmark_after(bench, 0, true), bookmark_after(bench, 4, true)};
  auto keyed = bench.numbers.list({.max_items = 5, .key = "/id"});
  EXPECT_EQ(all_of(keyed), numbers(1, 5));
  bookmarks.push_back(keyed.bookmark());
  const auto sent = bench.pages->urls.size();
  const auto expect_refused = [&](const std::string& text) {
    const auto error = first_error(bench.numbers.list({.resume = text}));
    EXPECT_EQ(error.code(), Errc::invalid_argument) << text;
  };
  for (const auto& bookmark : bookmarks)
    for (std::size_t at = 0; at < bookmark.size(); ++at) {
      auto changed = bookmark;
      for (const char bit : {'\x01', '\x20'}) {
        changed[at] = static_cast<char>(bookmark[at] ^ bit);
        expect_refused(changed);
      }
      expect_refused(bookmark.substr(0, at) + bookmark.substr(at + 1));
      expect_refused(bookmark.substr(0, at) + 'A' + bookmark.substr(at));
      if (at > 0) expect_refused(bookmark.substr(0, at));
    }
  EXPECT_EQ(bench.pages->urls.size(), sent);
}

TEST(Bookmark, of_another_listing_is_refused_and_nothing_is_sent) {
  ThreePages bench;
  const auto plain = bench.numbers.list().bookmark();
  const auto queried = bench.numbers.list({.query = {{"q", "a"}}}).bookmark();
  const std::pair<noun::Collection<int>, noun::ListOptions> others[] = {
      {bench.api.collection<int>("letters"), {.resume = plain}},
      {bench.numbers, {.query = {{"q", "a"}}, .resume = plain}},
      {bench.numbers, {.query = {{"q", "b"}}, .resume = queried}},
      {bench.numbers, {.query = {{"qa", ""}}, .resume = queried}},
      {bench.numbers, {.resume = queried}},
      {bench.client({}, "https://api.example.com/v2").collection<int>("numbers"), {.resume = plain}},
  };
  for (const auto& [collection, options] : others) {
    auto listing = collection.list(options);
    const auto& first = *listing.begin();
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().code(), Errc::invalid_argument);
    EXPECT_THAT(first.error().message(), HasSubstr("the bookmark belongs to another listing"));
  }
  EXPECT_THAT(bench.pages->urls, IsEmpty());
}

TEST(Bookmark, leads_nowhere_but_below_the_base_url_or_to_a_trusted_origin) {
  ThreePages bench;
  bench.pages->page("https://pages.example.net/2", "[4, 5]");
  const auto bookmark = bench.numbers.list().bookmark();
  for (const char* url :
       {"https://evil.example/v1/numbers", "http://api.example.com/v1/numbers", "file:///etc/passwd",
        "https://api.example.com@evil.example/", "https://api.example.com/a b", "https://api.example.com/v2/numbers",
        "https://api.example.com/v1/../admin", "https://api.example.com/v1/%2E%2e/admin",
        "https://pages.example.net/2"}) {
    const auto error = first_error(bench.numbers.list({.resume = leading_to(url, bookmark)}));
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_THAT(error.message(), HasSubstr("leads neither below the client's base URL nor to a trusted origin")) << url;
  }
  EXPECT_THAT(bench.pages->urls, IsEmpty());
  const auto trusting = bench.client({.trusted_origins = {"https://pages.example.net"}, .transport = bench.pages});
  const auto resumed = leading_to("https://pages.example.net/2", bookmark);
  EXPECT_EQ(all_of(trusting.collection<int>("numbers").list({.resume = resumed})), numbers(4, 5));
}

TEST(Bookmark, of_a_refused_listing_is_the_given_bookmark) {
  ThreePages bench;
  auto listing = bench.numbers.list({.page_size = 0});
  EXPECT_EQ(listing.bookmark(), "");
  auto resumed = bench.numbers.list({.resume = "x"});
  EXPECT_FALSE(*resumed.begin());
  EXPECT_EQ(resumed.bookmark(), "x");
}

/// The decoded bookmark.
std::string shown(const std::string& bookmark) {
  return *noun::wire::base64url_decode(std::string_view(bookmark).substr(6));
}

TEST(Bookmark, does_not_contain_the_values_of_the_query) {
  ThreePages bench;
  // The server may write them in several forms in its next link.
  for (const std::string link : {"?api_key=s3cret%3Akey%20%2F&page=2", "?page=2&api_key=s3cret%3akey+%2f",
                                 "?api%5Fkey=s3cret:key%20/&page=2", "?page=2&api_key=%733cret:key+/"}) {
    bench.pages->page(numbers_url + "?api_key=s3cret%3Akey%20%2F", "[1, 2, 3]", next(link));
    bench.pages->page(numbers_url + link, "[4, 5]");
    const noun::Query query = {{"api_key", "s3cret:key /"}};
    auto listing = bench.numbers.list({.query = query});
    EXPECT_THAT(shown(listing.bookmark()), Not(HasSubstr("cret")));
    std::vector<int> taken;
    for (const auto& number : listing) {
      taken.push_back(number.value());
      EXPECT_THAT(shown(listing.bookmark()), Not(HasSubstr("cret"))) << link;
    }
    EXPECT_EQ(taken, numbers(1, 5));
    bench.pages->page(numbers_url + "?page=2&api_key=s3cret%3Akey%20%2F", "[4, 5]");
    bench.pages->page(numbers_url + "?api%5Fkey=s3cret%3Akey%20%2F&page=2", "[4, 5]");
    bench.pages->page(numbers_url + "?api_key=s3cret%3Akey%20%2F&page=2", "[4, 5]");
    EXPECT_THAT(all_of(bench.numbers.list({.query = query, .resume = listing.bookmark()})), IsEmpty());
  }
}

TEST(Bookmark, does_not_contain_credentials_from_links) {
  ThreePages bench;
  const auto link = [](const std::string& token) { return "?page=2&access_token=" + token; };
  bench.pages->page(numbers_url, "[1, 2, 3]", next(link("s3cret-%74oken")));
  for (const char* token : {"s3cret-%74oken", "s3cret-token", "fresh-token"})
    bench.pages->page(numbers_url + link(token), "[4, 5]");
  const auto numbers_with = [&](noun::ClientOptions options) {
    options.transport = bench.pages;
    return bench.client(options).collection<int>("numbers");
  };
  for (const int way : {0, 1, 2}) {
    const auto with_token = [&](const std::string& token) {
      if (way == 0) return numbers_with({.credentials = noun::bearer(token)});
      return numbers_with({.headers = {{way == 1 ? "Authorization" : "PRIVATE-TOKEN", token}}});
    };
    auto listing = with_token("s3cret-token").list();
    for (const auto& number : listing)
      if (*number == 4) break;
    EXPECT_THAT(shown(listing.bookmark()),
                AllOf(HasSubstr("access_token"), Not(HasSubstr("oken&")), Not(HasSubstr("cret"))));
    auto resumed = with_token("s3cret-token").list({.resume = listing.bookmark()});
    EXPECT_EQ(resumed.bookmark(), listing.bookmark()) << "also before anything was sent";
    EXPECT_THAT(all_of(with_token("fresh-token").list({.resume = listing.bookmark()})), ElementsAre(5));
    EXPECT_EQ(bench.pages->urls.back(), numbers_url + link("fresh-token"));
  }
}

TEST(Bookmark, does_not_contain_credentials_of_the_page_before_a_failed_page) {
  ThreePages bench;
  bench.pages->page(numbers_url, "[1, 2, 3]", next("?page=2&access_token=s3cret-1"));
  bench.pages->page(numbers_url + "?page=2&access_token=s3cret-1", "[4, 5]", next("?page=3&access_token=s3cret-2"));
  int calls = 0;
  const auto rotating = [&calls](const auto&) -> noun::Result<noun::Headers> {
    if (++calls == 3) return noun::Error(Errc::credentials, "the vault is sealed");
    return noun::Headers{{"Authorization", "Bearer s3cret-" + std::to_string(calls)}};
  };
  auto listing = bench.client({.credentials = rotating, .transport = bench.pages}).collection<int>("numbers").list();
  for (const auto& number : listing) {
    EXPECT_TRUE(number || number.error().code() == Errc::credentials);
    EXPECT_THAT(shown(listing.bookmark()), Not(HasSubstr("cret")));
  }
  EXPECT_EQ(calls, 3);
  EXPECT_THAT(shown(listing.bookmark()), HasSubstr("access_token"));
  const auto sealed = [](const auto&) -> noun::Result<noun::Headers> {
    return noun::Error(Errc::credentials, "the vault is sealed");
  };
  const auto refused = first_error(bench.client({.credentials = sealed, .transport = bench.pages})
                                       .collection<int>("numbers")
                                       .list({.resume = listing.bookmark()}));
  EXPECT_EQ(refused.code(), Errc::credentials);
  EXPECT_THAT(refused.message(), HasSubstr("the vault is sealed"));
}

TEST(Bookmark, of_a_resumed_listing_does_not_contain_the_restored_credentials) {
  ThreePages bench;
  int calls = 0;
  const auto rotating = [&calls](const auto&) -> noun::Result<noun::Headers> {
    return noun::Headers{{"Authorization", "Bearer s3cret-" + std::to_string(++calls)}};
  };
  bench.pages->page(numbers_url, "[1, 2, 3]", next("?page=2&access_token=s3cret-1"));
  for (const char* token : {"s3cret-1", "s3cret-3"})
    bench.pages->page(numbers_url + "?page=2&access_token=" + token, "[4, 5, 6]");
  const auto listed = bench.client({.credentials = rotating, .transport = bench.pages}).collection<int>("numbers");
  auto first = listed.list({.max_items = 4});
  EXPECT_EQ(all_of(first), numbers(1, 4));
  auto resumed = listed.list({.max_items = 1, .resume = first.bookmark()});
  EXPECT_EQ(all_of(resumed), numbers(5, 5));
  EXPECT_EQ(bench.pages->urls.back(), numbers_url + "?page=2&access_token=s3cret-3");
  EXPECT_THAT(shown(resumed.bookmark()), AllOf(HasSubstr("access_token"), Not(HasSubstr("cret"))));
}

TEST(Bookmark, of_a_link_with_invalid_utf8_resumes) {
  ThreePages bench;
  bench.pages->page(numbers_url, "[1]", next("?after=\xff\xc3\xa4"));
  bench.pages->page(numbers_url + "?after=\xff\xc3\xa4", "[2, 3]");
  bench.pages->page(numbers_url + "?after=%FF%C3%A4", "[2, 3]");
  auto listing = bench.numbers.list();
  std::vector<int> taken;
  for (const auto& number : listing) {
    ASSERT_TRUE(number) << message_of(number);
    taken.push_back(*number);
    if (*number == 2) break;
  }
  EXPECT_EQ(taken, numbers(1, 2));
  EXPECT_EQ(all_of(bench.numbers.list({.resume = listing.bookmark()})), numbers(3, 3));
}

TEST(Bookmark, of_a_guessed_first_page_keeps_what_the_page_reports) {
  for (const noun::Query& query : {noun::Query{}, noun::Query{{"page", "1"}}})
    for (const bool has_second : {false, true}) {
      ThreePages bench;
      const std::string first = query.empty() ? "?per_page=2" : "?page=1&per_page=2";
      const std::string second = query.empty() ? "?per_page=2&page=2" : "?page=2&per_page=2";
      bench.pages->page(numbers_url + first, R"({"items": [1, 2], "total": 5})");
      if (has_second) bench.pages->page(numbers_url + second, R"({"items": []})");
      const auto api = bench.client({.dialect = {.paging = {.items = "/items"}}, .transport = bench.pages});
      const auto listed = api.collection<int>("numbers");
      auto listing = listed.list({.query = query, .page_size = 2, .max_items = 1});
      EXPECT_EQ(all_of(listing), numbers(1, 1));
      auto rest = listed.list({.query = query, .page_size = 2, .resume = listing.bookmark()});
      auto at = rest.begin();
      EXPECT_EQ(**at, 2);
      ++at;
      ASSERT_FALSE(at == rest.end());
      EXPECT_EQ(code_of(*at), Errc::incomplete) << message_of(*at);
      EXPECT_THAT(bench.pages->urls.back(), numbers_url + second);
    }
}

TEST(Bookmark, of_a_listing_with_another_paging_style_is_refused) {
  ThreePages bench;
  auto listing = bench.numbers.list();
  EXPECT_EQ(**listing.begin(), 1);
  const auto bookmark = listing.bookmark();
  for (const noun::paging::Style& style : std::initializer_list<noun::paging::Style>{
           noun::paging::PageNumber{}, noun::paging::LinkHeader{}, noun::paging::NextUrl{.from = "/next"}}) {
    const auto api = bench.client({.dialect = {.paging = {.style = style}}, .transport = bench.pages});
    const auto error = first_error(api.collection<int>("numbers").list({.resume = bookmark}));
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_THAT(error.message(), ::testing::HasSubstr("the bookmark does not match ClientOptions::dialect.paging"));
  }
}

TEST(SamePage, is_recognized_by_its_items) {
  Bench bench;
  const auto api = bench.client({.dialect = {.paging = {.style = noun::paging::PageNumber{}, .items = "/data"}}});
  for (int page = 1; page <= 2; ++page)
    bench.script->expect(noun::Method::get, "/v1/numbers?page=" + std::to_string(page))
        .reply(200, R"({"data": [1, 2], "at": )" + std::to_string(page) + "}");
  auto listing = api.collection<int>("numbers").list();
  EXPECT_EQ(all_of(listing), (std::vector<int>{1, 2, -1}));
}

TEST(SamePage, under_another_url_ends_the_listing_with_or_without_a_key) {
  for (const std::string key : {"", "/id"}) {
    ThreePages bench;
    for (int page = 0; page < 9; ++page)
      bench.pages->page(numbers_url + (page == 0 ? "" : "?c=" + std::to_string(page)), "[1, 2]",
                        next("?c=" + std::to_string(page + 1)));
    auto listing = bench.numbers.list({.key = key});
    EXPECT_EQ(all_of(listing), (std::vector<int>{1, 2, -1}));
    EXPECT_EQ(first_error(std::move(listing)).code(), Errc::refused);
    EXPECT_EQ(bench.pages->urls.size(), 2U);
  }
}

}  // namespace listing_bookmark_test
}  // namespace resource_test
