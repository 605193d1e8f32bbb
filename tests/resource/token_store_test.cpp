// Tokens of the OAuth 2.0 client credentials grant: when they are fetched, by whom, and what is seen of them.
#include <noun/credentials.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "joining_thread.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace token_store_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* token_url = "https://login.example.com/token";
/// base64 of `my%20id:s3cret%2Fword`.
constexpr const char* basic = "Basic bXklMjBpZDpzM2NyZXQlMkZ3b3Jk";

noun::OAuth2ClientCredentials options() {
  return {.token_url = token_url, .client_id = "my id", .client_secret = "s3cret/word"};
}

std::string token(int number, const std::string& life = "3600") {
  return R"({"access_token": "s3cret-)" + std::to_string(number) + R"(", "token_type": "bearer", "expires_in": )" +
         life + "}";
}

struct TokenBench : WholeScript {
  /// Expects a token request and responds with this token.
  void issues(int number, const std::string& life = "3600") {
    script->expect(Method::post, "/token").reply(200, token(number, life));
  }
  /// Expects a GET with this token.
  kit::Expectation& get(int number) {
    return script->expect(Method::get, "/v1/x")
        .with_header("Authorization", "Bearer s3cret-" + std::to_string(number))
        .reply(200, "1");
  }
  noun::Item<Json> x(noun::OAuth2ClientCredentials own = options()) {
    return client({.credentials = noun::oauth2_client_credentials(std::move(own))}).singleton("x");
  }
};

TEST(TokenStore, asks_the_token_endpoint_as_the_standard_says) {
  TokenBench bench;
  auto own = options();
  own.scope = {"read", "write"};
  own.parameters = {{"audience", "https://api.example.com"}};
  bench.script->expect(Method::post, "/token")
      .with_header("Authorization", basic)
      .with_header("Content-Type", "application/x-www-form-urlencoded")
      .with_header("Accept", "application/json")
      .with_body("grant_type=client_credentials&scope=read%20write&audience=https%3A%2F%2Fapi.example.com")
      .reply(200, token(1));
  bench.get(1);
  EXPECT_TRUE(bench.x(own).get());
  EXPECT_EQ(bench.script->requests().at(0).url, token_url);
}

TEST(TokenStore, sends_the_secret_in_the_body_if_asked_to) {
  TokenBench bench;
  auto own = options();
  own.token_url = "http://localhost:8080/token?v=2";
  own.auth = noun::ClientAuthentication::body;
  bench.script->expect(Method::post, "/token?v=2")
      .with_body("grant_type=client_credentials&client_id=my%20id&client_secret=s3cret%2Fword")
      .reply(200, token(1));
  bench.get(1);
  EXPECT_TRUE(bench.x(own).get());
  EXPECT_FALSE(bench.script->requests().at(0).headers.contains("Authorization"));
}

TEST(TokenStore, keeps_a_token_until_a_minute_before_its_end) {
  const std::pair<const char*, noun::Duration> cases[] = {
      {"3600", 3540s}, {"3600.0", 3540s}, {"\"3600\"", 3540s}, {"100", 50s}, {"120", 60s}};
  for (const auto& [life, kept] : cases) {
    TokenBench bench;
    bench.issues(1, life);
    bench.get(1).times(2);
    bench.issues(2);
    bench.get(2);
    const auto x = bench.x();
    EXPECT_TRUE(x.get());
    bench.clock->advance(kept - 1ms);
    EXPECT_TRUE(x.get());
    bench.clock->advance(1ms);
    EXPECT_TRUE(x.get()) << life;
  }
}

TEST(TokenStore, keeps_a_token_without_a_known_end_until_it_is_rejected) {
  for (const char* life : {"null", "-1", "\"soon\"", "1e400"}) {
    TokenBench bench;
    bench.issues(1, life);
    bench.get(1);
    bench.get(1).reply(401);
    bench.issues(2);
    bench.get(2);
    const auto x = bench.x();
    EXPECT_TRUE(x.get());
    bench.clock->advance(std::chrono::hours(1000));
    EXPECT_TRUE(x.get()) << life;
  }
}

TEST(TokenStore, replaces_a_rejected_token_once) {
  TokenBench bench;
  bench.issues(1);
  bench.get(1).reply(401);
  bench.issues(2);
  bench.get(2).reply(401);
  const auto got = bench.x().get();
  expect_error(got, Errc::unauthorized, "401");
  EXPECT_EQ(got.error().attempts(), 2);
}

/// Responds by a function.
class Server final : public noun::Transport {
 public:
  using Respond = std::function<noun::Result<noun::Response>(const noun::Attempt& attempt)>;
  explicit Server(Respond respond) : respond_(std::move(respond)) {}
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    return respond_(attempt);
  }

 private:
  Respond respond_;
};

noun::Response response(int status, std::string body) { return {.status = status, .body = std::move(body)}; }

TEST(TokenStore, keeps_a_token_that_has_replaced_the_rejected_one) {
  Bench bench;
  std::optional<noun::Client> api;
  int fetched = 0;
  bool nested = false;
  const auto server = std::make_shared<Server>([&](const noun::Attempt& attempt) -> noun::Result<noun::Response> {
    if (attempt.url == token_url) return response(200, token(++fetched));
    if (attempt.headers.get("Authorization") != "Bearer s3cret-1") return response(200, "1");
    // While this one is in flight, another call finds out first.
    if (!std::exchange(nested, true)) EXPECT_TRUE(api->singleton("y").get());
    return response(401, "");
  });
  api = bench.client({.credentials = noun::oauth2_client_credentials(options()), .transport = server});
  EXPECT_TRUE(api->singleton("x").get());
  EXPECT_EQ(fetched, 2);
}

TEST(TokenStore, is_shared_by_the_clients_of_one_set_of_credentials) {
  TokenBench bench;
  bench.issues(1);
  bench.get(1).times(2);
  const auto credentials = noun::oauth2_client_credentials(options());
  EXPECT_TRUE(bench.client({.credentials = credentials}).singleton("x").get());
  EXPECT_TRUE(bench.client({.credentials = credentials}).singleton("x").get());
}

TEST(TokenStore, has_a_quota_of_its_own) {
  TokenBench bench;
  bench.script->expect(Method::post, "/token")
      .reply(200, token(1),
             {{"X-RateLimit-Limit", 1}, {"X-RateLimit-Remaining", 0}, {"X-RateLimit-Reset", 3600}});
  bench.get(1);
  EXPECT_TRUE(bench.x().get());
  EXPECT_THAT(bench.clock->waits(), IsEmpty());
}

TEST(TokenStore, retries_the_token_request_as_a_call) {
  TokenBench bench;
  bench.script->expect(Method::post, "/token").fail(Errc::truncated, Sent::maybe);
  bench.script->expect(Method::post, "/token").reply(503, "", {{"Retry-After", 7}});
  bench.issues(1);
  bench.get(1);
  EXPECT_TRUE(bench.x().get());
  EXPECT_EQ(bench.clock->waited(), 8s);
}

TEST(TokenStore, says_that_the_token_endpoint_failed_and_never_shows_its_response) {
  const std::string echo = R"({"error": "invalid_client", "error_description": "s3cret/word is wrong"})";
  struct Case {
    int status;
    std::string body;
    const char* words;
  };
  const Case cases[] = {
      {401, echo, "responded 401 (invalid_client); check client_id, client_secret and auth"},
      {400, R"({"error": "invalid_scope"})", "responded 400 (invalid_scope); check scope"},
      {400, R"({"error": "s3cret/word"})", "responded 400; check the options of oauth2_client_credentials()"},
      {404, "s3cret/word", "responded 404"},
      {307, "", "responded 307; set token_url to the address that it redirects to"},
      {200, R"({"token": "s3cret-1"})", "responded without an access_token"},
      {200, "s3cret-1", "responded without an access_token"},
      {200, R"({"access_token": "s3cret-1", "token_type": "mac"})", "not a Bearer token"},
      {200, R"({"access_token": "s3cret\r\n-1"})", "control character"},
  };
  for (const auto& [status, body, words] : cases) {
    TokenBench bench;
    bench.script->expect(Method::post, "/token").reply(status, body, {{"Location", "/other"}});
    const auto got = bench.x().get();
    expect_error(got, Errc::credentials, words);
    EXPECT_THAT(got.error().message(),
                AllOf(HasSubstr("the token endpoint https://login.example.com/token, not the API, "),
                      Not(HasSubstr("is wrong"))));
    EXPECT_EQ(got.error().sent(), Sent::no);
    EXPECT_EQ(got.error().response(), nullptr);
  }
  TokenBench bench;
  bench.script->expect(Method::post, "/token").fail(Errc::connect, Sent::no, "connection refused").times(5);
  const auto got = bench.x().get();
  expect_error(got, Errc::credentials, "not the API, failed: connection refused, after 5 attempts");
  EXPECT_EQ(got.error().stopped_because(), noun::StopReason::attempts);
}

TEST(TokenStore, ends_at_the_deadline_of_its_call) {
  TokenBench bench;
  bench.script->expect(Method::post, "/token").after(30s);
  const auto begin = bench.clock->now().steady;
  const auto got = bench.x().get({.deadline = begin + 5s});
  expect_error(got, Errc::deadline_exceeded, "deadline");
  EXPECT_EQ(got.error().sent(), Sent::no);
  EXPECT_EQ(bench.clock->now().steady - begin, 5s);
}

TEST(TokenStore, is_refused_with_bad_options_when_the_client_is_made) {
  const char* null = nullptr;
  const auto with = [](auto change) {
    auto own = options();
    change(own);
    return noun::oauth2_client_credentials(own);
  };
  const std::pair<noun::Credentials, const char*> cases[] = {
      {noun::oauth2_client_credentials({}), "token_url of oauth2_client_credentials() is not an http or https URL"},
      {with([&](auto& own) { own.token_url = null; }), "is not an http or https URL"},
      {with([](auto& own) { own.token_url = "http://login.example.com/token"; }), "is not https"},
      {with([](auto& own) { own.token_url = "https://me:s3cret@login.example.com/"; }), "not an http"},
      {with([](auto& own) { own.token_url = "https://login.example.com/#s3cret"; }), "fragment"},
      {with([&](auto& own) { own.client_id = null; }), "client_id of oauth2_client_credentials() is empty"},
      {with([&](auto& own) { own.client_secret = null; }), "client_secret of oauth2_client_credentials() is empty"},
  };
  for (const auto& [credentials, because] : cases)
    expect_error(Bench().create("https://api.example.com", {.credentials = credentials}), Errc::invalid_argument,
                 because);
  expect_error(Bench().create("http://api.example.com", {.credentials = noun::oauth2_client_credentials(options())}),
               Errc::invalid_argument, "over plain http");
}

TEST(TokenStore, sends_the_secret_over_plain_http_to_this_machine_only_without_a_proxy) {
  auto own = options();
  own.token_url = "http://localhost/token";
  const auto credentials = noun::oauth2_client_credentials(own);
  EXPECT_TRUE(Bench().create("https://api.example.com", {.credentials = credentials}));
  expect_error(
      noun::Client::create("https://api.example.com", {.credentials = credentials, .proxy = "http://proxy:3128"}),
      Errc::invalid_argument, "is not https");
}

TEST(TokenStore, hides_the_secret_and_earlier_tokens_in_what_the_api_sends) {
  TokenBench bench;
  bench.issues(1, "100");
  bench.get(1);
  bench.issues(2);
  bench.get(2).reply(302, "", {{"Location", "/v1/s3cret-1/s3cret%2Fword"}});
  bench.script->expect(Method::get, "/v1/s3cret-1/s3cret%2Fword")
      .reply(403, R"({"message": "s3cret-1 replaced by s3cret-2, issued to s3cret\/word"})");
  std::string shown;
  const auto x = bench
                     .client({.credentials = noun::oauth2_client_credentials(options()),
                              .observer = [&](const noun::Event& event) { shown += event.url + event.note; }})
                     .singleton("x");
  EXPECT_TRUE(x.get());
  bench.clock->advance(60s);
  const auto got = x.get();
  expect_error(got, Errc::forbidden, "*** replaced by ***, issued to ***");
  EXPECT_THAT(shown + got.error().request().curl, AllOf(Not(HasSubstr("s3cret")), HasSubstr("/v1/***/***")));
}

TEST(TokenStore, fetches_for_one_thread_and_the_others_wait_or_share_its_failure) {
  constexpr int threads = 8;
  for (const bool fails : {false, true}) {
    Bench bench;
    std::atomic<int> arrived = 0;
    std::atomic<int> fetched = 0;
    const auto server = std::make_shared<Server>([&](const noun::Attempt& attempt) -> noun::Result<noun::Response> {
      if (attempt.url != token_url) return response(200, "1");
      ++fetched;
      while (arrived < threads) std::this_thread::yield();
      std::this_thread::sleep_for(200ms);
      return fails ? response(400, "") : response(200, token(1));
    });
    const auto x = bench.client({.credentials = noun::oauth2_client_credentials(options()), .transport = server})
                       .singleton("x");
    std::vector<noun_test::JoiningThread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&] {
        ++arrived;
        EXPECT_EQ(code_of(x.get()), fails ? std::optional(Errc::credentials) : std::nullopt);
      });
    all.clear();
    EXPECT_EQ(fetched, 1) << fails;
  }
}

TEST(TokenStore, lets_a_thread_that_waits_be_stopped_and_another_take_over_from_one_that_was) {
  Bench bench;
  std::atomic<int> fetched = 0;
  std::promise<void> fetches;
  std::promise<void> may_end;
  noun::StopSource first;
  noun::StopSource second;
  const auto server = std::make_shared<Server>([&](const noun::Attempt& attempt) -> noun::Result<noun::Response> {
    if (attempt.url != token_url) return response(200, "1");
    if (++fetched > 1) return response(200, token(2));
    fetches.set_value();
    may_end.get_future().wait();
    return noun::Error(Errc::cancelled, "cancelled by the caller", Sent::maybe);
  });
  const auto x =
      bench.client({.credentials = noun::oauth2_client_credentials(options()), .transport = server}).singleton("x");
  noun_test::JoiningThread fetching([&] { EXPECT_EQ(code_of(x.get({.stop = first.get_token()})), Errc::cancelled); });
  fetches.get_future().wait();
  noun_test::JoiningThread stopped([&] { EXPECT_EQ(code_of(x.get({.stop = second.get_token()})), Errc::cancelled); });
  noun_test::JoiningThread waiting([&] { EXPECT_EQ(code_of(x.get()), std::nullopt); });
  second.request_stop();
  stopped.join();
  first.request_stop();
  may_end.set_value();
  fetching.join();
  waiting.join();
  EXPECT_EQ(fetched, 2);
}

/// Issues tokens that live two minutes, and counts requests with one that does not live, or is not the newest.
class Issuer final : public noun::Transport {
 public:
  explicit Issuer(std::shared_ptr<kit::ManualClock> clock) : clock_(std::move(clock)) {}

  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    std::this_thread::yield();
    const std::lock_guard lock(mutex_);
    const auto now = clock_->now().steady;
    if (attempt.url == token_url) {
      ends = now + 120s;
      return response(200, token(++fetched, "120"));
    }
    ++requests;
    const auto newest = "Bearer s3cret-" + std::to_string(fetched);
    if (now >= ends || attempt.headers.get("Authorization") != newest) ++expired;
    if (requests % 5 == 0) return response(403, R"({"message": ")" + newest + R"( of s3cret\/word"})");
    return response(200, "1");
  }

  int fetched = 0;
  int requests = 0;
  int expired = 0;

 private:
  std::shared_ptr<kit::ManualClock> clock_;
  std::mutex mutex_;
  noun::Instant ends = {};
};

TEST(TokenStore, serves_many_threads_with_one_fetch_for_each_expiry_and_shows_no_token) {
  constexpr int threads = 64;
  constexpr int rounds = 30;
  Bench bench;
  const auto issuer = std::make_shared<Issuer>(bench.clock);
  std::mutex mutex;
  std::string shown;
  const auto api = bench.client({.credentials = noun::oauth2_client_credentials(options()),
                                 .quota = {.in_flight_unknown = threads},
                                 .observer =
                                     [&](const noun::Event& event) {
                                       const std::lock_guard lock(mutex);
                                       shown += event.url + event.note + event.partition;
                                     },
                                 .transport = issuer});
  // The first response shows that there is no quota: after it no call waits.
  EXPECT_TRUE(api.singleton("x").get());
  const auto step = [&]() noexcept { bench.clock->advance(20s); };
  std::barrier round(threads, step);
  const auto work = [&](bool in_background) {
    // Half of the threads use a copy of the client, and its background.
    const auto own = api;
    for (int i = 0; i < rounds; ++i) {
      noun::Result<Json> got = Json();
      if (in_background) {
        const std::vector operations = {noun::op::get(own.singleton("x"))};
        for (auto& each : own.run_all(operations)) got = std::move(each);
      } else {
        got = own.singleton("x").get();
      }
      if (!got) {
        const std::lock_guard lock(mutex);
        EXPECT_EQ(got.error().code(), Errc::forbidden) << got.error().message();
        shown += got.error().message() + got.error().request().curl;
      }
      round.arrive_and_wait();
    }
  };
  std::vector<noun_test::JoiningThread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(work, i % 2 == 0);
  all.clear();
  EXPECT_EQ(issuer->requests, 1 + threads * rounds);
  EXPECT_EQ(issuer->expired, 0);
  // Every minute of ten, as the tokens are replaced a minute before their end.
  EXPECT_EQ(issuer->fetched, 10);
  EXPECT_THAT(bench.clock->waits(), IsEmpty());
  EXPECT_THAT(shown, AllOf(HasSubstr("***"), Not(HasSubstr("s3cret"))));
}

}  // namespace token_store_test
}  // namespace resource_test
