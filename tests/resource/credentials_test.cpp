// Tests of credentials: what is sent, what is refused when the client is created, and credentials functions.
#include <noun/credentials.hpp>
#include <noun/stop.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "curl/proxy_choice.hpp"
#include "joining_thread.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace credentials_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using namespace std::literals;
using Asked = noun::CredentialsRequest;

/// The Authorization header of one GET.
std::string authorization_of(noun::Credentials credentials) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1");
  static_cast<void>(bench.client({.credentials = std::move(credentials)}).singleton("x").get());
  return std::string(bench.last().headers.get("Authorization").value_or("none"));
}

TEST(Credentials, are_sent_according_to_their_scheme) {
  const std::pair<noun::Credentials, const char*> cases[] = {
      {{}, "none"},
      {noun::bearer("s3cret"), "Bearer s3cret"},
      {noun::basic("Aladdin", "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
      {noun::basic("a", "b:c"), "Basic YTpiOmM="},
      {noun::basic("", ""), "Basic Og=="},
      {noun::header("Authorization", "token abc"), "token abc"},
      // A function may return no fields; then none are sent.
      {[](const auto&) { return noun::Headers{}; }, "none"},
      {noun::Credentials::Function{}, "none"},
  };
  for (const auto& [credentials, field] : cases) EXPECT_EQ(authorization_of(credentials), field);
}

TEST(Credentials, in_a_custom_header_are_sent_with_the_headers_of_a_call) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/x").with_header("X-Api-Key", "k").with_header("X-Trace", "1").reply(200, "1");
  const auto item = bench.client({.credentials = noun::header("X-Api-Key", "k")}).singleton("x");
  EXPECT_TRUE(item.get({.headers = {{"X-Trace", "1"}}}));
}

TEST(Credentials, that_are_empty_or_invalid_are_refused_when_the_client_is_created) {
  const char* null = nullptr;
  const std::pair<noun::Credentials, const char*> cases[] = {
      {noun::bearer(null), "the bearer token is empty"},
      {noun::bearer(""), "the bearer token is empty"},
      {noun::bearer("s3cret\r\nX: y"), "control character"},
      {noun::bearer("s3cret\0"sv), "control character"},
      {noun::basic("us:er", "s3cret"), "has a colon"},
      {noun::header("X-Api-Key", null), "X-Api-Key has no value"},
      {noun::header("X-Api-Key", ""), "X-Api-Key has no value"},
      {noun::header("X-Api-Key", "s3cret\n"), "control character"},
      {noun::header("X Api Key", "s3cret"), "has an invalid character"},
      {noun::header("", "s3cret"), "has no name"},
      {noun::header(null, "s3cret"), "has no name"},
      {noun::header("Host", "s3cret"), "is reserved: noun sets it"},
      {noun::Credentials::fixed({{"", "s3cret"}}), "has no name"},
      {noun::Credentials::fixed({{"X", "1"}, {"", "s3cret"}}), "has no name"},
  };
  for (const auto& [credentials, because] : cases)
    expect_error(Bench().create("https://api.example.com", {.credentials = credentials}), Errc::invalid_argument,
                 because);
}

TEST(Credentials, are_refused_over_plain_http_except_to_this_machine) {
  for (const char* base : {"http://api.example.com", "http://10.0.0.1", "http://localhost.example.com", "http://[::2]",
                           "http://128.0.0.1", "http://localhost.", "http://[::ffff:127.0.0.1]", "http://0.0.0.0",
                           "http://xlocalhost", "http://127.0.0.1.example.com"}) {
    SCOPED_TRACE(base);
    expect_error(Bench().create(base, {.credentials = noun::bearer("s3cret")}), Errc::invalid_argument,
                 "credentials would be sent over plain http");
    EXPECT_FALSE(Bench().create(base, {.credentials = [](const auto&) { return noun::Headers{}; }}));
    EXPECT_FALSE(Bench().create(base, {.headers = {{"authorization", "Bearer s3cret"}}}));
    EXPECT_TRUE(Bench().create(base, {.credentials = noun::bearer("s3cret"), .credentials_over_http = true}));
    EXPECT_TRUE(Bench().create(base));
  }
  for (const char* base : {"http://localhost", "http://localhost:8080", "http://127.0.0.1", "http://127.9.9.9:1",
                           "http://[::1]:80", "http://api.localhost", "http://127.1", "http://2130706433", "http://0x7f.0.0.1",
                           "http://[0:0:0:0:0:0:0:1]", "http://LOCALHOST"})
    EXPECT_TRUE(Bench().create(base, {.credentials = noun::bearer("s3cret")})) << base;
  EXPECT_FALSE(Bench().create(
      "http://localhost", {.credentials = noun::bearer("s3cret"), .trusted_origins = {"http://mirror.example.com"}}));
}

TEST(Credentials, are_refused_to_this_machine_through_a_proxy) {
  const auto token = noun::bearer("s3cret");
  const auto of_environment = noun::proxy_setting({.http = "http://proxy.example.com", .none = "localhost"});
  for (const char* base : {"http://localhost", "http://127.0.0.1", "http://[::1]:80"}) {
    SCOPED_TRACE(base);
    expect_error(noun::Client::create(base, {.credentials = token, .proxy = "http://proxy.example.com:3128"}),
                 Errc::invalid_argument, "credentials would be sent over plain http to a proxy");
    EXPECT_EQ(noun::Client::create(base, {.credentials = token, .proxy = of_environment}).has_value(),
              base == std::string_view("http://localhost"));
    EXPECT_TRUE(noun::Client::create(
        base, {.credentials = token, .proxy = "http://proxy.example.com:3128", .credentials_over_http = true}));
  }
  EXPECT_TRUE(
      noun::Client::create("https://localhost", {.credentials = token, .proxy = "http://proxy.example.com:3128"}));
  expect_refused(noun::Client("http://localhost", {.proxy = "http://proxy.example.com:3128"})
                     .singleton("x")
                     .get({.headers = {{"Authorization", "Bearer s3cret"}}}),
                 "would be sent over plain http to a proxy");
}

TEST(Credentials, are_guarded_in_every_header_that_is_named_like_them) {
  for (const char* name : {"Cookie", "X-Api-Key", "PRIVATE-TOKEN", "X-Auth", "X-Session-Id"}) {
    SCOPED_TRACE(name);
    const noun::Headers own = {{name, "s3cret"}};
    const auto because = "the secret header " + std::string(name) + " would be sent over plain http";
    expect_error(Bench().create("http://api.example.com", {.headers = own}), Errc::invalid_argument, because);
    EXPECT_TRUE(Bench().create("http://localhost", {.headers = own}));
    EXPECT_TRUE(Bench().create("https://api.example.com", {.headers = own}));
    EXPECT_TRUE(Bench().create("http://api.example.com", {.headers = own, .credentials_over_http = true}));
    Bench bench;
    expect_refused(bench.client({}, "http://api.example.com").singleton("x").get({.headers = own}), because);
    EXPECT_EQ(bench.sent(), 0U);
  }
  Bench bench;
  bench.script->expect(Method::post, "/x").reply(200, "1");
  EXPECT_TRUE(bench.client({.headers = {{"X-Request-Id", 7}, {"Idempotency-Key", "a"}, {"Keyword", "b"}}},
                           "http://api.example.com")
                  .collection("x")
                  .create(1, {.idempotency_key = "c"}));
}

TEST(Credentials, in_the_headers_of_a_call_are_refused_over_plain_http) {
  Bench bench;
  const auto open = bench.client({}, "http://api.example.com");
  const noun::Headers own = {{"Authorization", "Bearer s3cret"}};
  const auto because = "the secret header Authorization would be sent over plain http";
  expect_refused(open.singleton("x").get({.headers = own}), because);
  expect_refused(open.send({.path = "x", .headers = own}), because);
  auto listing = open.collection("x").list({.headers = own});
  expect_refused(*listing.begin(), because);
  EXPECT_EQ(bench.sent(), 0U);
  bench.script->expect(Method::get, "/x").reply(200, "1").times(2);
  EXPECT_TRUE(bench.client({}, "http://localhost").singleton("x").get({.headers = own}));
  EXPECT_TRUE(
      bench.client({.credentials_over_http = true}, "http://api.example.com").singleton("x").get({.headers = own}));
}

TEST(CredentialsFunction, is_called_with_the_number_of_each_attempt) {
  WholeScript bench;
  bench.script->expect(Method::get, "/v1/x").with_header("X-Token", "1").reply(503);
  bench.script->expect(Method::get, "/v1/x").with_header("X-Token", "2").reply(429, "", {{"Retry-After", 7}});
  bench.script->expect(Method::get, "/v1/x").with_header("X-Token", "3").reply(200, "1");
  std::vector<int> attempts;
  const auto api = bench.client({.credentials = [&](const Asked& asked) -> noun::Result<noun::Headers> {
    attempts.push_back(asked.attempt);
    return noun::Headers{{"X-Token", asked.attempt}};
  }});
  EXPECT_TRUE(api.singleton("x").get());
  EXPECT_THAT(attempts, ElementsAre(1, 2, 3));
}

TEST(CredentialsFunction, is_called_once_more_after_a_401) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/x").with_header("Authorization", "Bearer 1").reply(401);
  bench.script->expect(Method::post, "/v1/x").with_header("Authorization", "Bearer 2").reply(201, "1");
  const auto renewing = [](const Asked& asked) {
    return noun::Headers{{"Authorization", "Bearer " + std::to_string(asked.attempt)}};
  };
  const auto api = bench.client({.credentials = renewing});
  EXPECT_TRUE(api.collection("x").create(Json(1)));
  EXPECT_TRUE(bench.clock->waits().empty());
  bench.script->expect(Method::get, "/v1/x").reply(401).times(2);
  const auto got = api.singleton("x").get();
  EXPECT_EQ(code_of(got), Errc::unauthorized);
  EXPECT_EQ(got.error().attempts(), 2);
  bench.script->expect(Method::get, "/v1/x").reply(401);
  EXPECT_EQ(code_of(bench.client({.credentials = noun::bearer("fixed")}).singleton("x").get()), Errc::unauthorized);
}

TEST(CredentialsFunction, that_fails_throws_or_returns_invalid_headers_is_an_error_and_nothing_is_sent) {
  const auto field = [](const char* name, const char* value) { return noun::Headers{{name, value}}; };
  const std::pair<noun::Credentials::Function, const char*> cases[] = {
      {[](const Asked&) -> noun::Headers { throw std::runtime_error("the vault is shut"); },
       "an exception: the vault is shut"},
      {[](const Asked&) -> noun::Headers { throw 7; }, "it threw an exception"},
      {[](const Asked&) { return noun::Error(Errc::timeout, "the vault is slow"); }, "the vault is slow"},
      {[&](const Asked&) { return field("X", "s3cret\r\n"); }, "control character"},
      {[&](const Asked&) { return field("", "s3cret"); }, "has no name"},
      {[&](const Asked&) { return field("Content-Length", "s3cret"); }, "is reserved: noun sets it"},
  };
  for (const auto& [credentials, because] : cases) {
    WholeScript bench;
    const auto got = bench.client({.credentials = credentials}).singleton("x").get();
    expect_error(got, Errc::credentials, because);
    EXPECT_EQ(got.error().sent(), Sent::no);
  }
}

TEST(CredentialsFunction, may_call_noun_on_the_same_quota) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/tokens").reply(201, R"("fresh")");
  bench.script->expect(Method::get, "/v1/x").with_header("Authorization", "Bearer fresh").reply(200, "1");
  auto options = bench.filled({.identity = "me"});
  const noun::Client issuer("https://api.example.com/v1", options);
  options.credentials = [issuer](const Asked&) -> noun::Result<noun::Headers> {
    return issuer.collection("tokens").create<std::string>(noun::no_body).transform([](const std::string& token) {
      return noun::Headers{{"Authorization", "Bearer " + token}};
    });
  };
  const noun::Client api("https://api.example.com/v1", std::move(options));
  const auto got = api.singleton("x").get();
  EXPECT_TRUE(got) << message_of(got);
}

TEST(CredentialsFunction, sees_the_request_that_it_is_for) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/x?q=a%20b").with_header("X-Signature", "POST 9").reply(201, "1");
  const auto sign = [](const Asked& asked) {
    EXPECT_EQ(asked.url, "https://api.example.com/v1/x?q=a%20b");
    EXPECT_EQ(asked.body, R"({"a":"b"})");
    EXPECT_EQ(asked.headers.get("X-Trace"), "7");
    EXPECT_EQ(asked.headers.get("Content-Type"), "application/json");
    const auto size = std::to_string(asked.body.size());
    return noun::Headers{{"X-Signature", std::string(to_string(asked.method)) + " " + size}};
  };
  const auto api = bench.client({.credentials = sign});
  EXPECT_TRUE(api.collection("x").create(Json{{"a", "b"}}, {.query = {{"q", "a b"}}, .headers = {{"X-Trace", 7}}}));
}

TEST(CredentialsFunction, that_calls_its_own_client_is_an_error_and_not_a_recursion) {
  std::optional<noun::Client> api;
  const std::function<noun::Result<noun::Headers>()> calls[] = {
      [&] { return api->singleton("token").get().transform([](const Json&) { return noun::Headers{}; }); },
      [&] { return api->send({.path = "token"}).transform([](const noun::Response&) { return noun::Headers{}; }); },
      [&]() -> noun::Result<noun::Headers> {
        for (auto& each : api->collection("tokens").list({.prefetch = 2})) return each.error();
        return noun::Headers{};
      },
      [&]() -> noun::Result<noun::Headers> {
        const std::vector operations = {noun::op::get(api->singleton("token"))};
        for (auto& each : api->run_all(operations)) return each.error();
        return noun::Headers{};
      }};
  for (const auto& call : calls) {
    WholeScript bench;
    api = bench.client({.credentials = [&](const Asked&) { return call(); }});
    expect_error(api->singleton("x").get(), Errc::credentials, "the credentials function called the client");
    const std::vector operations = {noun::op::get(api->singleton("x"))};
    for (auto& each : api->run_all(operations))
      expect_error(each, Errc::credentials, "the credentials function called the client");
  }
}

TEST(CredentialsFunction, that_continues_a_listing_of_its_own_client_is_an_error_and_not_a_recursion) {
  Bench bench;
  int depth = 0;
  std::optional<noun::Listing<Json>> listing;
  const auto api = bench.client({.credentials = [&](const Asked&) -> noun::Result<noun::Headers> {
    if (++depth > 3) return noun::Headers{};
    for (auto& each : *listing) return each.error();
    return noun::Headers{};
  }});
  listing.emplace(api.collection("tokens").list());
  expect_error(api.singleton("x").get(), Errc::credentials, "the credentials function called the client");
  EXPECT_EQ(depth, 1);
}

TEST(CredentialsFunction, runs_for_calls_in_the_background_off_their_loop_and_several_at_once) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200, "1").times(8);
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0;
  const auto meets_another = [&](const Asked&) -> noun::Result<noun::Headers> {
    std::unique_lock lock(mutex);
    ++inside;
    changed.notify_all();
    const bool met = changed.wait_for(lock, 20s, [&] { return inside >= 4; });
    return met ? noun::Result<noun::Headers>(noun::Headers{}) : noun::Error(Errc::timeout, "nobody came");
  };
  const auto api = bench.client({.credentials = meets_another});
  const std::vector operations(8, noun::op::get(api.singleton("x")));
  for (auto& each : api.run_all(operations, {.in_flight = 8})) EXPECT_TRUE(each) << message_of(each);
}

TEST(CredentialsFunction, that_runs_when_its_calls_are_cancelled_is_waited_for_by_the_last_copy_of_the_client) {
  std::promise<void> began;
  std::atomic<bool> ended = false;
  noun::StopSource stop;
  {
    Bench bench;
    const auto slow = [&](const Asked&) {
      began.set_value();
      std::this_thread::sleep_for(100ms);
      ended = true;
      return noun::Headers{};
    };
    const auto api = bench.client({.credentials = slow});
    const std::vector operations = {noun::op::get(api.singleton("x"), {.stop = stop.get_token()})};
    noun_test::JoiningThread stopper([&] { began.get_future().wait(), stop.request_stop(); });
    for (auto& each : api.run_all(operations)) EXPECT_EQ(code_of(each), Errc::cancelled);
    EXPECT_FALSE(ended);
    EXPECT_EQ(bench.sent(), 0U);
  }
  EXPECT_TRUE(ended);
}

/// Counts requests without credentials, and yields so that other threads can interleave.
class Guarded final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    if (!attempt.headers.get("Authorization")) ++bare;
    std::this_thread::yield();
    noun::Response response;
    response.status = 200;
    response.body = "{}";
    return response;
  }
  std::atomic<int> bare = 0;
};

TEST(CredentialsFunction, is_called_for_every_request_of_many_threads_with_few_permits) {
  const auto transport = std::make_shared<Guarded>();
  noun::Client api{"https://api.example.com",
                   {.credentials = [](const auto&) { return noun::Headers{{"Authorization", "Bearer t"}}; },
                    .quota = {.in_flight_unknown = 4},
                    .transport = transport}};
  std::vector<noun_test::JoiningThread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&] {
      for (int call = 0; call < 50; ++call) EXPECT_TRUE(api.collection("items")[call].get());
    });
  threads.clear();
  EXPECT_EQ(transport->bare, 0);
}

TEST(Credentials, are_not_visible_in_errors) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(403, R"({"message": "token s3cret-token is not allowed"})");
  const auto got = bench.client({.credentials = noun::bearer("s3cret-token")}).singleton("x").get();
  expect_error(got, Errc::forbidden, "is not allowed");
  EXPECT_THAT(got.error().request().curl, AllOf(Not(HasSubstr("s3cret")), HasSubstr("Authorization: ***")));
}

}  // namespace credentials_test
}  // namespace resource_test
