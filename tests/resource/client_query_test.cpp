// ClientOptions::query: on every request, once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "resource/listing_bench.hpp"

namespace resource_test { namespace client_query_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const noun::Query version_and_key = {{"api-version", "7.1"}, {"api_key", "s3cret"}};
const std::string base = "https://api.example.com/v1/";

TEST(ClientQuery, is_on_every_request_unless_the_call_names_the_parameter) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1").times(4);
  bench.script->expect(Method::post, "/v1/x").reply(201, "1");
  const auto api = bench.client({.query = version_and_key});
  const auto x = api.singleton("x");
  EXPECT_TRUE(x.get());
  EXPECT_EQ(bench.last().url, base + "x?api-version=7.1&api_key=s3cret");
  EXPECT_TRUE(x.get({.query = {{"a", 1}, {"api-version", "8"}}}));
  EXPECT_EQ(bench.last().url, base + "x?a=1&api-version=8&api_key=s3cret");
  EXPECT_TRUE(api.send({.path = "x?api_key=other", .query = {{"b", 2}}}));
  EXPECT_EQ(bench.last().url, base + "x?api_key=other&b=2&api-version=7.1");
  for (auto& result : api.run_all(std::vector{noun::op::get(x)})) EXPECT_TRUE(result);
  EXPECT_EQ(bench.last().url, base + "x?api-version=7.1&api_key=s3cret");
  EXPECT_TRUE(api.collection("x").create(Json(1)));
  EXPECT_EQ(bench.last().url, base + "x?api-version=7.1&api_key=s3cret");
}

TEST(ClientQuery, may_repeat_a_name) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/x?tag=a&tag=b").reply(200, "1");
  EXPECT_TRUE(bench.client({.query = {{"tag", "a"}, {"tag", "b"}}}).singleton("x").get());
}

TEST(ClientQuery, is_on_every_page_and_not_twice_where_the_link_has_it) {
  for (const std::size_t prefetch : {0U, 2U}) {
    Bench bench;
    const auto pages = std::make_shared<PageTransport>();
    pages->page(numbers_url + "?q=1&api-version=7.1&api_key=s3cret", "[1]", next("?page=2&api_key=s3cret"));
    pages->page(numbers_url + "?page=2&api_key=s3cret&api-version=7.1", "[2]", next("?page=3&api-version=9"));
    pages->page(numbers_url + "?page=3&api-version=9&api_key=s3cret", "[3]");
    const auto api = bench.client({.query = version_and_key, .transport = pages});
    EXPECT_THAT(all_of(api.collection<int>("numbers").list({.query = {{"q", 1}}, .prefetch = prefetch})),
                ElementsAre(1, 2, 3));
    EXPECT_EQ(pages->urls.size(), 3U);
  }
}

TEST(ClientQuery, is_not_in_a_bookmark_and_is_the_resuming_clients) {
  Bench bench;
  const auto pages = std::make_shared<PageTransport>();
  pages->page(numbers_url + "?api_key=s3cret-1", "[1]", next("?page=2&api_key=s3cret-1"));
  pages->page(numbers_url + "?page=2&api_key=s3cret-1", "[2, 3]");
  pages->page(numbers_url + "?page=2&api_key=s3cret-2", "[2, 3]");
  const auto list = [&](const char* key, std::string bookmark) {
    return bench.client({.query = {{"api_key", key}}, .transport = pages})
        .collection<int>("numbers")
        .list({.resume = std::move(bookmark)});
  };
  auto listing = list("s3cret-1", "");
  auto item = listing.begin();
  EXPECT_EQ(**item, 1);
  EXPECT_EQ(**++item, 2);
  const auto bookmark = listing.bookmark();
  EXPECT_THAT(all_of(list("s3cret-2", bookmark)), ElementsAre(3));
  EXPECT_EQ(pages->urls.back(), numbers_url + "?page=2&api_key=s3cret-2");
}

TEST(ClientQuery, is_hidden_in_errors_and_events) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(404, "no x for s3cret");
  std::string seen;
  const auto api = bench.client(
      {.query = version_and_key, .observer = [&](const noun::Event& event) { seen += to_string(event) + event.url; }});
  const auto got = api.singleton("x").get();
  expect_error(got, Errc::not_found, "?api-version=***&api_key=***");
  EXPECT_THAT(got.error().request().curl, Not(HasSubstr("s3cret")));
  EXPECT_THAT(seen, AllOf(HasSubstr("api_key=***"), Not(HasSubstr("s3cret"))));
}

TEST(ClientQuery, with_a_secrets_name_is_not_sent_over_plain_http) {
  Bench bench;
  const auto refused = bench.create("http://api.example.com", {.query = version_and_key});
  expect_error(refused, Errc::invalid_argument, "the secret query parameter api_key would be sent over plain http");
  EXPECT_TRUE(bench.create("http://api.example.com", {.query = {{"api-version", "7.1"}}}));
  EXPECT_TRUE(bench.create("http://localhost", {.query = version_and_key}));
  EXPECT_FALSE(bench.create("http://api.example.com", {.query = {{"pin", "s3cret"}}, .secret_parameters = "pin"}));
}

TEST(ClientQuery, of_a_call_with_a_secrets_name_is_not_sent_over_plain_http) {
  Bench bench;
  const auto api = bench.client({.query = {{"v", 1}}, .secret_parameters = "pin"}, "http://api.example.com");
  for (const noun::Query& own : {noun::Query{{"a", 1}, {"access_token", "s3cret"}}, noun::Query{{"pin", "s3cret"}}}) {
    const auto because = "would be sent over plain http";
    expect_refused(api.singleton("x").get({.query = own}), because);
    expect_refused(api.send({.path = "x", .query = own}), because);
    auto listing = api.collection("x").list({.query = own});
    expect_refused(*listing.begin(), because);
  }
  expect_refused(api.send({.path = "x?p%69n=s3cret"}), "the secret query parameter p%69n would be sent");
  EXPECT_EQ(bench.sent(), 0U);
  bench.script->expect(Method::get, "/x?a=1&v=1").reply(200, "1");
  EXPECT_TRUE(api.singleton("x").get({.query = {{"a", 1}}}));
}

}  // namespace client_query_test
}  // namespace resource_test
