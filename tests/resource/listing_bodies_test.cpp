// Tests of listings with a request body or by ranges: requests, retries and bookmarks.
#include <noun/describe.hpp>
#include <noun/listing.hpp>

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/listing_bench.hpp"

namespace resource_test { namespace listing_bodies_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* more = R"({"results": [1, 2], "has_more": true, "next_cursor": "c2"})";
constexpr const char* last = R"({"results": [3], "has_more": false, "next_cursor": null})";

constexpr const char* query_target = "/v1/databases/d/query";

struct Queries : Bench {
  noun::Client notion = client({.dialect = {.paging = noun::paging::notion()}});
  noun::Collection<int> query = notion.collection<int>("databases").item("d").collection<int>("query");
};

TEST(ListingWithBody, is_a_post_with_the_cursor_in_the_body) {
  Queries bench;
  bench.script->expect(Method::post, query_target).reply(200, more);
  bench.script->expect(Method::post, query_target).reply(200, last);
  EXPECT_THAT(all_of(bench.query.list({.body = R"({"page_size":2})"})), ElementsAre(1, 2, 3));
  const auto requests = bench.script->requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].method, Method::post);
  EXPECT_EQ(requests[0].body, R"({"page_size":2})");
  EXPECT_EQ(requests[0].headers.get("Content-Type"), "application/json");
  EXPECT_EQ(Json::parse(requests[1].body), Json::parse(R"({"page_size":2,"start_cursor":"c2"})"));
}

struct PageOfQuery {
  int page_size = 0;
};
NOUN_DESCRIBE(PageOfQuery, page_size)

TEST(ListingWithBody, may_be_what_nlohmann_can_write) {
  Queries bench;
  bench.script->expect(Method::post, query_target).reply(200, last);
  EXPECT_THAT(all_of(bench.query.list({.body = Json{{"page_size", 2}}})), ElementsAre(3));
  EXPECT_EQ(bench.script->requests()[0].body, R"({"page_size":2})");
  bench.script->expect(Method::post, query_target).reply(200, last);
  EXPECT_THAT(all_of(bench.query.list({.body = PageOfQuery{2}})), ElementsAre(3));
  EXPECT_EQ(bench.script->requests()[1].body, R"({"page_size":2})");
  auto listing = bench.query.list({.body = Json("\xFF")});
  EXPECT_THAT((*listing.begin()).error().message(),
              ::testing::AllOf(HasSubstr("POST https://api.example.com/v1/databases/d/query: "),
                               HasSubstr("cannot be written as JSON")));
  const noun::Client deep = bench.client({.dialect = {.paging = noun::paging::notion()}, .limits = {.json_depth = 2}});
  auto refused = deep.collection<int>("x").list({.body = Json{{"a", {{"b", {{"c", 1}}}}}}});
  EXPECT_THAT((*refused.begin()).error().message(), HasSubstr("json_depth (2)"));
}

TEST(ListingWithBody, is_a_query_if_the_dialect_says_so) {
  Bench bench;
  noun::Dialect dialect{.paging = noun::paging::notion(), .search_method = Method::query};
  const auto query = bench.client({.dialect = dialect}).collection<int>("search");
  bench.script->expect(Method::query, "/v1/search").with_body("{}").reply(200, more);
  bench.script->expect(Method::query, "/v1/search").with_body(R"({"start_cursor":"c2"})").fail(Errc::truncated, Sent::maybe);
  bench.script->expect(Method::query, "/v1/search").with_body(R"({"start_cursor":"c2"})").reply(200, last);
  EXPECT_THAT(all_of(query.list({.body = "{}"})), ElementsAre(1, 2, 3));
  auto listing = query.list({.body = Json("\xFF")});
  EXPECT_THAT((*listing.begin()).error().message(), HasSubstr("QUERY https://api.example.com/v1/search: "));
}

TEST(ListingWithBody, is_retried_like_a_get) {
  Queries bench;
  bench.script->expect(Method::post, query_target).fail(Errc::truncated, Sent::maybe);
  bench.script->expect(Method::post, query_target).reply(503);
  bench.script->expect(Method::post, query_target).reply(200, last);
  EXPECT_THAT(all_of(bench.query.list({.body = "{}"})), ElementsAre(3));
}

TEST(ListingWithBody, resumes_at_the_cursor_of_its_bookmark) {
  Queries bench;
  bench.script->expect(Method::post, query_target).reply(200, more);
  bench.script->expect(Method::post, query_target).reply(200, R"({"results": [3, 4], "has_more": false})");
  auto first = bench.query.list({.max_items = 3, .body = R"({"page_size":2})"});
  EXPECT_THAT(all_of(first), ElementsAre(1, 2, 3));
  bench.script->expect(Method::post, query_target).reply(200, R"({"results": [3, 4], "has_more": false})");
  EXPECT_THAT(all_of(bench.query.list({.resume = first.bookmark(), .body = R"({"page_size":2})"})), ElementsAre(4));
  EXPECT_EQ(Json::parse(bench.last().body)["start_cursor"], "c2");
}

TEST(ListingWithBody, refuses_bookmarks_of_listings_without_a_body) {
  Queries bench;
  const auto bookmark = bench.query.list({.body = "{}"}).bookmark();
  const auto error = first_error(bench.query.list({.resume = bookmark, .body = R"({"page_size":2})"}));
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_THAT(error.message(), HasSubstr("another listing"));
}

TEST(ListingWithBody, refuses_a_bookmark_that_does_not_fit_the_body) {
  Queries bench;
  bench.script->expect(Method::post, query_target).reply(200, more);
  bench.script->expect(Method::post, query_target).reply(200, last);
  auto first = bench.query.list({.max_items = 3, .body = R"({"page_size":2})"});
  EXPECT_THAT(all_of(first), ElementsAre(1, 2, 3));
  const auto other = bench.client().collection<int>("databases").item("d").collection<int>("query");
  const auto error = first_error(other.list({.resume = first.bookmark(), .body = R"({"page_size":2})"}));
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_THAT(error.message(), HasSubstr("does not match ClientOptions::dialect.paging"));
}

TEST(ListingWithBody, without_a_body_a_cursor_in_the_body_is_an_error) {
  Bench bench;
  const auto hits = bench.client({.dialect = {.paging = noun::paging::elasticsearch()}}).collection("idx");
  bench.script->expect(Method::get, "/v1/idx").reply(200, R"({"hits":{"hits":[{"_id":"a","sort":[1]}]}})");
  std::vector<std::optional<Errc>> seen;
  for (const auto& hit : hits.list()) seen.push_back(code_of(hit));
  EXPECT_THAT(seen, ElementsAre(std::nullopt, Errc::invalid_argument));
}

TEST(ListingByRange, requests_the_range_after_the_reported_one_and_resumes_there) {
  Bench bench;
  const auto apps = bench.client({.dialect = {.paging = noun::paging::heroku()}}).collection<int>("apps");
  bench.script->expect(Method::get, "/v1/apps").reply(206, "[1, 2]", {{"Next-Range", "id 3..; max=2"}});
  bench.script->expect(Method::get, "/v1/apps").reply(200, "[3, 4]");
  auto listing = apps.list({.max_items = 3});
  EXPECT_THAT(all_of(listing), ElementsAre(1, 2, 3));
  EXPECT_EQ(bench.last().headers.get("Range"), "id 3..; max=2");
  bench.script->expect(Method::get, "/v1/apps").reply(200, "[3, 4]");
  EXPECT_THAT(all_of(apps.list({.resume = listing.bookmark()})), ElementsAre(4));
  EXPECT_EQ(bench.last().headers.get("Range"), "id 3..; max=2");
}

TEST(ListingByRange, with_a_page_size_starts_with_a_range) {
  Bench bench;
  const auto people = bench.client({.dialect = {.paging = noun::paging::postgrest()}}).collection<int>("people");
  bench.script->expect(Method::get, "/v1/people").reply(206, "[1, 2]", {{"Content-Range", "0-1/3"}});
  bench.script->expect(Method::get, "/v1/people").reply(206, "[3]", {{"Content-Range", "2-2/3"}});
  EXPECT_THAT(all_of(people.list({.page_size = 2})), ElementsAre(1, 2, 3));
  ASSERT_EQ(bench.sent(), 2U);
  EXPECT_EQ(bench.script->requests()[0].headers.get("Range"), "0-1");
  EXPECT_EQ(bench.script->requests()[1].headers.get("Range"), "2-3");
}

TEST(ListingByStrategy, requests_the_page_that_the_function_returns) {
  Bench bench;
  noun::Dialect dialect;
  using noun::paging::PageRequest;
  dialect.paging.style = [](const PageRequest&, const noun::paging::PageResponse& page)
      -> noun::Result<std::optional<PageRequest>> {
    const auto after = page.response.headers.get("X-After");
    if (!after) return std::optional<PageRequest>();
    return std::optional(PageRequest{.url = "?after=" + std::string(*after)});
  };
  const auto things = bench.client({.dialect = dialect}).collection<int>("things");
  bench.script->expect(Method::get, "/v1/things").reply(200, "[6, 7]", {{"X-After", "7"}});
  bench.script->expect(Method::get, "/v1/things?after=7").reply(200, "[8]");
  EXPECT_THAT(all_of(things.list({.prefetch = 2})), ElementsAre(6, 7, 8));
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/things?after=7");
}

TEST(ListingByStrategy, that_throws_is_an_error_after_the_items_of_the_page) {
  const auto message_after = [](void (*fail)()) {
    Bench bench;
    noun::Dialect dialect;
    using noun::paging::PageRequest;
    dialect.paging.style = [=](const PageRequest&, const noun::paging::PageResponse&)
        -> noun::Result<std::optional<PageRequest>> {
      fail();
      return std::optional<PageRequest>();
    };
    const auto things = bench.client({.dialect = dialect}).collection<int>("things");
    bench.script->expect(Method::get, "/v1/things").reply(200, "[6]");
    auto listing = things.list();
    auto at = listing.begin();
    EXPECT_EQ((*at).value(), 6);
    ++at;
    EXPECT_EQ((*at).error().code(), Errc::refused);
    return (*at).error().what() + "; " + (*at).error().advice();
  };
  EXPECT_EQ(message_after([] { throw std::runtime_error("oh"); }),
            "the paging strategy failed: it threw an exception: oh; fix the function in "
            "ClientOptions::dialect.paging.style");
  EXPECT_EQ(message_after([] { throw 7; }),
            "the paging strategy failed: it threw an exception; fix the function in "
            "ClientOptions::dialect.paging.style");
}

TEST(ExpiredCursor, is_recognized_by_the_statuses_of_the_dialect) {
  Bench bench;
  noun::Dialect dialect;
  dialect.paging.expired_statuses = {410, 422};
  const auto things = bench.client({.dialect = dialect}).collection<int>("things");
  bench.script->expect(Method::get, "/v1/things").reply(200, "[1]", next("?page=2"));
  bench.script->expect(Method::get, "/v1/things?page=2").reply(422);
  auto listing = things.list();
  auto at = listing.begin();
  ++at;
  ASSERT_FALSE(*at);
  EXPECT_EQ((*at).error().code(), Errc::expired_cursor);
  EXPECT_THAT((*at).error().message(), HasSubstr("start the listing again"));
}

}  // namespace listing_bodies_test
}  // namespace resource_test
