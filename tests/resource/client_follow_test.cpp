// Tests of Client::follow(): the item at the Location of a response, and where it must not lead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace client_follow_test {

using ::testing::HasSubstr;
using ::testing::Not;

noun::Response created(noun::Headers headers, std::string url = "https://api.example.com/v1/jobs") {
  return {.status = 201, .headers = std::move(headers), .body = {}, .url = std::move(url)};
}

TEST(Follow, reads_what_a_server_created_or_accepted_from_its_location) {
  for (const int status : {201, 202}) {
    for (const auto* location : {"https://api.example.com/v1/languages/deu", "/v1/languages/deu", "languages/deu",
                                 "//API.example.com:443/v1/languages/deu#top", "./x/../languages/deu"}) {
      SCOPED_TRACE(location);
      WholeScript bench;
      bench.script->expect(Method::post, "/v1/languages").reply(status, "", {{"Location", location}});
      bench.script->expect(Method::get, "/v1/languages/deu").reply(200, german);
      const auto api = bench.client();
      const auto made = api.collection("languages").create<void>(Json(1));
      const auto got = api.follow<Language>(made).get();
      ASSERT_TRUE(got) << message_of(got);
      EXPECT_EQ(got->name, "German");
    }
  }
}

TEST(Follow, uses_the_url_as_the_server_wrote_it) {
  const std::pair<const char*, const char*> cases[] = {
      {"/v1/jobs/a%2Fb?sig=1&x=y", "https://api.example.com/v1/jobs/a%2Fb?sig=1&x=y&q=2&key=own"},
      {"/v1/jobs/5/", "https://api.example.com/v1/jobs/5/?q=2&key=own"},
      {"/v1?job=5&key=server", "https://api.example.com/v1?job=5&key=server&q=2"},
      {"/v1/", "https://api.example.com/v1/?q=2&key=own"},
      {"https://api.example.com/v1//jobs/5", "https://api.example.com/v1//jobs/5?q=2&key=own"},
  };
  for (const auto& [location, url] : cases) {
    Bench bench;
    const auto api = bench.client({.dialect = noun::dialects::django(), .query = {{"key", "own"}}});
    static_cast<void>(api.follow(created({{"Location", location}})).get({.query = {{"q", 2}}}));
    EXPECT_EQ(bench.last().url, url);
  }
}

TEST(Follow, what_is_below_the_item_has_no_query_of_it_and_the_endings_of_the_dialect) {
  Bench bench;
  const auto api = bench.client({.dialect = noun::dialects::django()});
  const auto job = api.follow(created({{"Location", "/v1/jobs/5/?sig=1"}}));
  EXPECT_EQ(job.path(), "/jobs/5");
  static_cast<void>(job.singleton("log").get());
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/jobs/5/log/");
  static_cast<void>(job.collection("parts")["a"].remove());
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/jobs/5/parts/a/");
  for (auto& part : job.collection("parts").list()) static_cast<void>(part);
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/jobs/5/parts/");
}

TEST(Follow, is_for_every_verb_and_every_way_to_run_it) {
  WholeScript bench;
  bench.script->expect(Method::delete_, "/v1/jobs/5").reply(204);
  bench.script->expect(Method::get, "/v1/jobs/5").reply(200, "5");
  const auto api = bench.client();
  const auto response = created({{"Location", "/v1/jobs/5"}});
  EXPECT_TRUE(api.follow(response).remove());
  for (auto& got : api.run_all(std::vector{noun::op::get(api.follow<int>(response))})) EXPECT_EQ(got.value_or(0), 5);
}

TEST(Follow, takes_a_location_as_servers_write_it) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/l%C3%A4nder/a%20b").reply(200, "5");
  EXPECT_EQ(bench.client().follow<int>(created({{"Location", "/v1/l\u00e4nder/a b"}})).get().value(), 5);
}

TEST(Follow, a_bookmark_belongs_to_the_query_of_its_location) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/found?job=1").reply(200, "[1, 2]");
  const auto api = bench.client();
  const auto found = [&](const char* job) {
    return api.follow<int>(created({{"Location", std::string("/v1/found?job=") + job}})).as_collection();
  };
  auto first = found("1").list();
  EXPECT_EQ((*first.begin()).value(), 1);
  auto other = found("2").list({.resume = first.bookmark()});
  EXPECT_THAT(message_of(*other.begin()), HasSubstr("the bookmark belongs to another listing"));
}

TEST(Follow, without_a_response_says_so) {
  const auto item = Bench().client().follow(noun::Result<void>());
  EXPECT_THAT(message_of(item.get()), HasSubstr("there is no response to follow: nothing was sent"));
}

TEST(Follow, counts_for_the_quota_like_the_item_by_its_id) {
  const auto api = Bench().client();
  using noun::detail::AddressAccess;
  EXPECT_EQ(AddressAccess::route_of(api.follow(created({{"Location", "/v1/jobs/5?x=1"}})).address()),
            AddressAccess::route_of(api.collection("jobs")[7].address()));
}

TEST(Follow, refuses_other_places_and_says_why) {
  const std::string start = "the response 201 Created from https://api.example.com/v1/jobs was not followed: ";
  const std::string other = "the Location leads to another origin, ";
  const std::string advice = ": nothing was sent; make a client for it if you trust it";
  const std::tuple<noun::Headers, Errc, std::string> cases[] = {
      {{{"Location", "https://evil.example/v1/jobs/5"}}, Errc::refused, other + "https://evil.example" + advice},
      {{{"Location", "//evil.example/v1/jobs/5"}}, Errc::refused, other + "https://evil.example" + advice},
      {{{"Location", "http://api.example.com/v1/jobs/5"}}, Errc::refused, other + "http://api.example.com" + advice},
      {{{"Location", "https://api.example.com:8443/v1/jobs/5"}},
       Errc::refused,
       other + "https://api.example.com:8443" + advice},
      {{{"Location", "https://me@api.example.com/v1/jobs/5"}},
       Errc::refused,
       "the Location is not a plain http or https address: nothing was sent"},
      {{{"Location", "ftp://api.example.com/v1/jobs/5"}},
       Errc::refused,
       "the Location is not a plain http or https address: nothing was sent"},
      {{{"Location", "/v2/jobs/5"}},
       Errc::refused,
       "the Location is not below the client's base URL: nothing was sent; make a client for its base"},
      {{{"Location", "/v11"}},
       Errc::refused,
       "the Location is not below the client's base URL: nothing was sent; make a client for its base"},
      {{{"Location", "/v1/../v2"}},
       Errc::refused,
       "the Location is not below the client's base URL: nothing was sent; make a client for its base"},
      {{{"Location", "/v1/%2e%2e/v2"}},
       Errc::refused,
       "in the Location the path has a dot segment: nothing was sent"},
      {{{"Location", ""}}, Errc::protocol, "the Location is empty or too long: nothing was sent"},
      {{{"Location", "/v1/" + std::string(17'000, 'x')}},
       Errc::protocol,
       "the Location is empty or too long: nothing was sent"},
      {{{"Location", "/v1/a"}, {"Location", "/v1/b"}},
       Errc::protocol,
       "there is more than one Location: nothing was sent"},
      {{}, Errc::protocol, "there is no Location: nothing was sent"},
  };
  Bench bench;
  const auto api = bench.client({.trusted_origins = {"https://evil.example"}});
  for (const auto& [headers, code, words] : cases) {
    const auto item = api.follow(created(headers));
    EXPECT_EQ(code_of(item.get()), code) << words;
    EXPECT_EQ(message_of(item.get()), start + words);
    EXPECT_EQ(item.get().error().sent(), Sent::no);
    EXPECT_EQ(message_of(item.singleton("below").remove()), start + words);
    for (auto& part : item.collection("parts").list()) EXPECT_EQ(message_of(part), start + words);
  }
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Follow, hides_secrets_in_what_it_refuses) {
  const auto api = Bench().client({.credentials = noun::bearer("s3cret-token")});
  const auto response = created({{"Location", "https://s3cret-token.example/x"}}, "https://api.example.com/v1?sig=s3cret");
  expect_error(api.follow(response).get(), Errc::refused, "another origin, https://***.example");
}

TEST(Follow, a_202_is_accepted_and_not_finished) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/jobs").reply(202, "");
  const auto api = bench.client();
  const auto made = api.collection("jobs").create<void>(Json(1));
  EXPECT_EQ(message_of(api.follow(made).get()),
            "the response 202 Accepted (not finished) from https://api.example.com/v1/jobs was not followed: there is no "
            "Location: nothing was sent");
}

TEST(Follow, a_failed_call_without_a_location_is_the_error_of_the_item) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/jobs").fail(noun::Error(Errc::connect, "no server", Sent::no)).times(5);
  bench.script->expect(Method::post, "/v1/jobs").reply(409, "taken");
  bench.script->expect(Method::post, "/v1/jobs").reply(303, "", {{"Location", "/v1/jobs/5"}});
  bench.script->expect(Method::get, "/v1/jobs/5").reply(200, "5");
  bench.script->expect(Method::post, "/v1/jobs").reply(201, "", {{"Location", "/v1/jobs/6"}});
  bench.script->expect(Method::get, "/v1/jobs/6").reply(200, "6");
  const auto api = bench.client();
  const auto jobs = api.collection<int>("jobs");
  const auto unsent = jobs.create(1);
  EXPECT_EQ(message_of(api.follow(unsent).get()), message_of(unsent));
  const auto conflict = jobs.create(1);
  EXPECT_EQ(api.follow(conflict).get().error(), conflict.error());
  const auto redirected = api.follow<int>(jobs.create(1)).get();
  ASSERT_TRUE(redirected) << message_of(redirected);
  EXPECT_EQ(*redirected, 5) << "a redirect that the call did not follow";
  const auto bodiless = jobs.create(1);
  EXPECT_EQ(message_of(bodiless),
            "POST https://api.example.com/v1/jobs: the server responded 201: done, without a body; use <void> as the reply "
            "type of the verb, and Client::follow() to read its Location");
  const auto read = api.follow<int>(bodiless).get();
  ASSERT_TRUE(read) << message_of(read);
  EXPECT_EQ(*read, 6);
}

TEST(Follow, takes_a_response_without_a_url_as_one_from_the_base_url) {
  Bench bench;
  static_cast<void>(bench.client().follow(created({{"Location", "/v1/jobs/5"}}, "")).get());
  EXPECT_EQ(bench.last().url, "https://api.example.com/v1/jobs/5");
}

}}  // namespace resource_test::client_follow_test
