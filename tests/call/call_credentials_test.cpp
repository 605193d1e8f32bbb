// Tests of the credentials function: when it is called, what is sent, and what a 401 does.
#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "call/call_fixture.hpp"

namespace call_test { namespace call_credentials_test {

using noun::CredentialsReason;
using noun::CredentialsRequest;

/// A bench whose credentials function returns numbered tokens.
class IssuerBench : public CallBench {
 public:
  explicit IssuerBench(Method method = Method::get) : CallBench(method) {
    context.credentials_may_change = true;
    credentials = [this](const CredentialsRequest& asking) -> noun::Result<noun::Headers> {
      calls.push_back(asking.attempt);
      reasons.push_back(asking.reason);
      if (fault) return *fault;
      if (nothing) return noun::Headers{};
      return noun::Headers{{"Authorization", "Bearer token-" + std::to_string(calls.size())}};
    };
  }
  std::vector<int> calls;
  std::vector<CredentialsReason> reasons;
  std::optional<noun::Error> fault;
  bool nothing = false;

  std::string_view authorization() const { return send().headers->get("Authorization").value_or("none"); }
};

TEST(CallCredentials, the_function_is_called_before_each_attempt) {
  IssuerBench bench;
  bench.begin();
  EXPECT_EQ(bench.authorization(), "Bearer token-1");
  EXPECT_EQ(bench.send().headers->get("Accept"), "application/json");
  bench.respond(503).wake();
  EXPECT_EQ(bench.authorization(), "Bearer token-2");
  EXPECT_EQ(bench.calls, (std::vector{1, 2}));
}

TEST(CallCredentials, credentials_replace_a_header_of_the_same_name_in_the_attempt_only) {
  IssuerBench bench;
  bench.request.headers.add("authorization", "Bearer stale");
  bench.begin();
  EXPECT_EQ(bench.send().headers->values("Authorization").size(), 1U);
  EXPECT_EQ(bench.authorization(), "Bearer token-1");
  EXPECT_EQ(bench.request.headers.get("Authorization"), "Bearer stale");
}

TEST(CallCredentials, without_credentials_the_request_is_sent_unchanged) {
  IssuerBench bench;
  bench.begin();
  bench.nothing = true;
  bench.respond(503).wake();
  EXPECT_EQ(bench.authorization(), "none");
}

TEST(CallCredentials, a_401_gets_new_credentials_and_is_repeated_once) {
  IssuerBench bench(Method::post);
  ASSERT_TRUE(bench.begin().respond(401).sends());
  EXPECT_EQ(bench.authorization(), "Bearer token-2");
  EXPECT_EQ(bench.respond(401).outcome(),
            "fails: unauthorized (permanent), sent answered, 2 attempts in 0 s, status 401");
}

TEST(CallCredentials, a_repeated_401_takes_no_token_from_the_budget) {
  IssuerBench bench;
  EXPECT_TRUE(bench.tokens(0).begin().respond(401).respond(200).succeeded());
}

TEST(CallCredentials, a_401_with_fixed_credentials_is_final) {
  IssuerBench bench;
  bench.context.credentials_may_change = false;
  EXPECT_EQ(bench.begin().respond(401).outcome(),
            "fails: unauthorized (permanent), sent answered, 1 attempt in 0 s, status 401");
}

TEST(CallCredentials, a_function_that_fails_before_the_first_attempt_sends_nothing) {
  IssuerBench bench;
  bench.fault = noun::Error(Errc::credentials, "the vault is sealed");
  EXPECT_EQ(bench.begin().outcome(), "fails: credentials (permanent), sent no, 0 attempts in 0 s");
  EXPECT_EQ(bench.message(),
            "GET https://api.example.com/v1/things/7: the vault is sealed; check the source of the credentials");
  EXPECT_EQ(bench.context.gate->snapshot(bench.now).sent, 0U);
}

TEST(CallCredentials, a_function_that_fails_later_keeps_what_was_sent) {
  IssuerBench bench;
  bench.begin().fail(Errc::timeout, Sent::maybe);
  bench.fault = noun::Error(Errc::timeout, "the vault is slow");
  EXPECT_EQ(bench.wake().outcome(), "fails: credentials (permanent), sent maybe, 1 attempt in 1 s");
}

TEST(CallCredentials, the_function_is_called_once_after_a_hold) {
  IssuerBench bench;
  bench.exhausted_for(40s).begin().wake(10s).wake(10s).wake(10s);
  EXPECT_TRUE(bench.calls.empty());
  ASSERT_TRUE(bench.wake().sends());
  EXPECT_EQ(bench.calls, std::vector{1});
  EXPECT_EQ(bench.authorization(), "Bearer token-1");
}

TEST(CallCredentials, the_function_is_called_again_if_it_exhausts_the_quota_for_long) {
  using Case = std::tuple<Duration, Duration, std::size_t>;
  for (const auto& [before, hold, times] : {Case{0s, 40s, 2}, Case{0s, 1s, 1}, Case{40s, 1s, 1}}) {
    IssuerBench bench;
    if (before > 0s) bench.exhausted_for(before);
    bench.credentials = [&bench, hold = hold, first = true, inner = bench.credentials](const auto& request) mutable {
      // A call of the function goes when the turn of this one has lapsed.
      if (std::exchange(first, false)) bench.pass(300ms).exhausted_for(hold);
      return inner(request);
    };
    bench.begin();
    while (bench.waits_now()) bench.wake();
    EXPECT_EQ(bench.calls, std::vector(times, 1));
    EXPECT_EQ(bench.authorization(), "Bearer token-" + std::to_string(times));
  }
}

TEST(CallCredentials, the_function_may_use_the_same_quota) {
  IssuerBench bench;
  bench.context.quota.in_flight_unknown = 1;
  bench.credentials = [&](const auto&) -> noun::Result<noun::Headers> {
    bench.spend_elsewhere();
    return noun::Headers{};
  };
  EXPECT_TRUE(bench.begin().sends());
}

TEST(CallCredentials, the_request_to_sign_is_the_one_that_is_sent) {
  IssuerBench bench(Method::post);
  bench.request.body = "{}";
  bench.request.has_body = true;
  std::string asked_for;
  bench.credentials = [&](const CredentialsRequest& request) {
    EXPECT_EQ(request.method, Method::post);
    EXPECT_EQ(request.headers, bench.request.headers) << "without the credentials of the attempt before";
    EXPECT_EQ(request.body, "{}");
    asked_for = request.url;
    return noun::Headers{{"Authorization", "Bearer token-1"}};
  };
  bench.begin();
  EXPECT_EQ(asked_for, bench.request.url);
  bench.respond(307, {{"Location", "/v1/moved?a=b"}});
  EXPECT_EQ(asked_for, "https://api.example.com/v1/moved?a=b");
  EXPECT_EQ(bench.send().url, asked_for);
}

TEST(CallCredentials, the_request_to_sign_has_no_fields_of_a_body_that_a_redirect_dropped) {
  IssuerBench bench(Method::query);
  bench.request.headers.add("Content-Type", "application/json");
  bench.request.body = "{}";
  bench.request.has_body = true;
  std::vector<noun::Headers> asked;
  bench.credentials = [&](const CredentialsRequest& request) {
    asked.push_back(request.headers);
    return noun::Headers{};
  };
  ASSERT_TRUE(bench.begin().respond(303, {{"Location", "/v1/results/1"}}).sends());
  EXPECT_EQ(asked, (std::vector<noun::Headers>{bench.request.headers, {{"Accept", "application/json"}}}));
}

TEST(CallCredentials, the_request_to_sign_has_the_url_and_the_fields_of_a_continued_body) {
  struct Feed final : noun::Continuation {
    void add_fields(noun::Headers& fields) override { fields.set("Accept", "text/since-" + std::to_string(last)); }
    std::string url(std::string_view original) const override {
      return std::string(original) + "?since=" + std::to_string(last);
    }
    Next on_end() override { return Next::nothing; }
    noun::BodyFault early_end() const override { return stuck_fault(); }
    bool stuck() const noexcept override { return false; }
    noun::BodyFault stuck_fault() const override { return {Errc::truncated, "it broke"}; }
    bool take_progress() noexcept override { return false; }
    std::uint64_t received() const noexcept override { return 0; }
    int last = 0;
  };
  Feed feed;
  IssuerBench bench;
  bench.request.continuation = &feed;
  std::vector<std::string> asked;
  std::vector<std::string> accepted;
  bench.credentials = [&](const CredentialsRequest& request) {
    asked.emplace_back(request.url);
    accepted.emplace_back(request.headers.get("Accept").value_or("none"));
    return noun::Headers{{"Signature", "a"}};
  };
  bench.begin();
  feed.last = 1;
  ASSERT_TRUE(bench.respond(503).wake().sends());
  EXPECT_EQ(asked, (std::vector<std::string>{bench.request.url + "?since=0", bench.request.url + "?since=1"}));
  EXPECT_EQ(bench.sent_urls, asked);
  EXPECT_EQ(accepted, (std::vector<std::string>{"text/since-0", "text/since-1"}));
  EXPECT_EQ(bench.send().headers->get("Accept"), "text/since-1");
  EXPECT_EQ(bench.send().headers->get("Signature"), "a");
}

TEST(CallCredentials, the_reason_says_what_came_before) {
  IssuerBench bench;
  bench.begin().respond(503).wake().respond(401);
  bench.respond(429, {{"Retry-After", "3"}}).wake();
  EXPECT_EQ(bench.calls, (std::vector{1, 2, 3, 4}));
  EXPECT_EQ(bench.reasons, (std::vector{CredentialsReason::first, CredentialsReason::retry,
                                        CredentialsReason::unauthorized, CredentialsReason::retry}));
}

TEST(CallCredentials, a_reason_is_kept_through_a_hold_and_the_rejected_ones_are_given) {
  IssuerBench bench;
  std::vector<std::string> rejected;
  bench.credentials = [&bench, &rejected, inner = bench.credentials](const CredentialsRequest& request) {
    rejected.emplace_back(request.rejected.get("Authorization").value_or("none"));
    // Its own calls use up the quota once, after the 401.
    if (bench.calls.size() == 1) bench.exhausted_for(40s);
    return inner(request);
  };
  ASSERT_TRUE(bench.begin().respond(401).waits_now());
  ASSERT_TRUE(bench.wake().sends());
  EXPECT_EQ(rejected, (std::vector<std::string>{"none", "Bearer token-1", "Bearer token-1"}));
  EXPECT_EQ(bench.reasons, (std::vector{CredentialsReason::first, CredentialsReason::unauthorized,
                                        CredentialsReason::unauthorized}));
  EXPECT_EQ(bench.authorization(), "Bearer token-3");
}

TEST(CallCredentials, a_call_that_asks_holds_no_permit_and_can_be_cancelled) {
  IssuerBench bench;
  noun::Call call(bench.context, bench.request, 1, 42);
  const auto asks = call.begin(bench.now);
  ASSERT_TRUE(std::holds_alternative<noun::Authorize>(asks));
  EXPECT_EQ(bench.in_flight(), 0U);
  EXPECT_EQ(bench.held(), 0U);
  const auto done = call.on_cancel(bench.now);
  ASSERT_TRUE(std::holds_alternative<noun::Done>(done));
  EXPECT_EQ(call.error_of(std::get<noun::Done>(done))->code(), Errc::cancelled);
}

TEST(CallCredentials, the_function_is_called_once_for_each_call_that_waits_for_a_connection) {
  struct Running {
    std::unique_ptr<noun::Call> call;
    noun::Step step;
    noun::Instant sent;
  };
  IssuerBench bench;
  bench.context.limits.connections = 1;
  bench.spend_elsewhere();
  std::vector<Running> all(12);
  std::size_t asked = 0;
  const auto take = [&](Running& one, noun::Step step) {
    if (std::holds_alternative<noun::Authorize>(step)) ++asked;
    one.sent = bench.now.steady;
    one.step = std::move(step);
    return true;
  };
  const auto is_woken = [&](Running& one) {
    const auto* wait = std::get_if<noun::Wait>(&one.step);
    return wait != nullptr && (wait->ticket.overtaken() || wait->until <= bench.now.steady) &&
           take(one, one.call->on_wake(bench.now));
  };
  const auto is_authorized = [&](Running& one) {
    return std::holds_alternative<noun::Authorize>(one.step) &&
           take(one, one.call->on_credentials(bench.now, noun::Headers{}));
  };
  const auto is_served = [&](Running& one) {
    return std::holds_alternative<noun::Send>(one.step) && bench.now.steady - one.sent >= 1200ms &&
           take(one, one.call->on_response(bench.now, noun::Response{200, {}, "1", {}}));
  };
  const auto any = [&](const auto& event) { return std::any_of(all.begin(), all.end(), event); };
  for (auto& one : all) {
    one.call = std::make_unique<noun::Call>(bench.context, bench.request, 1, 42);
    take(one, one.call->begin(bench.now));
    is_authorized(one);
  }
  for (int i = 0; i < 1000; ++i)
    if (!any(is_woken) && !any(is_authorized) && !any(is_served)) bench.pass(100ms);
  for (const auto& one : all) EXPECT_TRUE(std::holds_alternative<noun::Done>(one.step));
  EXPECT_EQ(asked, all.size());
}

TEST(CallCredentials, a_function_that_passes_the_deadline_sends_nothing) {
  for (const bool fails : {false, true}) {
    IssuerBench bench;
    bench.deadline_in(5s);
    bench.credentials = [&](const auto&) -> noun::Result<noun::Headers> {
      bench.pass(6s);
      if (fails) return noun::Error(Errc::deadline_exceeded, "no token in time");
      return noun::Headers{};
    };
    EXPECT_EQ(bench.begin().outcome(), "fails: deadline_exceeded (time), sent no, 0 attempts in 6 s");
  }
}

TEST(CallCredentials, fixed_ones_are_in_every_attempt_and_never_asked_for) {
  IssuerBench bench;
  bench.context.credentials_may_change = false;
  bench.context.credentials = {{"Authorization", "Bearer fixed"}};
  bench.begin().respond(503).wake();
  EXPECT_EQ(bench.authorization(), "Bearer fixed");
  EXPECT_TRUE(bench.calls.empty());
}

TEST(CallCredentials, the_repeated_attempt_is_an_event) {
  for (const int status : {401, 421}) {
    IssuerBench bench;
    bench.begin().respond(status);
    const auto event = bench.only_event(noun::EventKind::retrying);
    EXPECT_EQ(event.reason, WaitReason::none) << status;
    EXPECT_EQ(event.wait, 0s) << status;
    EXPECT_EQ(event.until, bench.now.wall) << status;
  }
}

TEST(CallCredentials, are_asked_for_with_the_time_and_whether_the_body_is_streamed) {
  IssuerBench bench(Method::post);
  bench.request.has_body = true;
  std::vector<std::pair<WallTime, bool>> asked;
  bench.credentials = [&](const CredentialsRequest& request) {
    asked.emplace_back(request.at, request.body_is_streamed);
    return noun::Headers{};
  };
  bench.begin().respond(429, {{"Retry-After", "3"}}).wake();
  EXPECT_EQ(asked, (std::vector<std::pair<WallTime, bool>>{{bench_wall_begin, false}, {bench_wall_begin + 3s, false}}));
}

/// A bench whose credentials have the time, by the server's clock.
class TimedBench : public IssuerBench {
 public:
  TimedBench() {
    context.clock_offset = std::make_shared<noun::ClockOffset>();
    credentials = [this, inner = credentials](const CredentialsRequest& asking) {
      times.push_back(asking.at - bench_wall_begin);
      return inner(asking);
    };
  }
  std::vector<Duration> times;
};

constexpr auto* half_an_hour_later = "Tue, 14 Nov 2023 22:43:20 GMT";

TEST(CallCredentials, with_the_time_are_asked_for_once_more_if_the_clock_of_the_server_differs) {
  for (const int status : {400, 401, 403}) {
    TimedBench bench;
    bench.begin().respond(status, {{"Date", half_an_hour_later}});
    ASSERT_TRUE(bench.sends()) << status;
    EXPECT_EQ(bench.times, (std::vector<Duration>{0s, 30min}));
    EXPECT_EQ(bench.reasons.back(), CredentialsReason::unauthorized);
    bench.respond(status, {{"Date", "Tue, 14 Nov 2023 23:43:20 GMT"}});
    EXPECT_TRUE(bench.failed()) << "once";
    EXPECT_EQ(bench.attempts(), 2);
  }
}

TEST(CallCredentials, with_the_time_have_that_of_the_server_in_later_calls) {
  TimedBench bench;
  bench.begin().respond(403, {{"Date", half_an_hour_later}}).respond(200);
  bench.begin().respond(403, {{"Date", half_an_hour_later}});
  EXPECT_TRUE(bench.failed()) << "the time was right";
  EXPECT_EQ(bench.times, (std::vector<Duration>{0s, 30min, 30min}));
}

TEST(CallCredentials, with_the_time_are_asked_for_once_more_though_another_call_has_set_the_clock) {
  TimedBench bench;
  bench.begin();
  const noun::Headers date{{"Date", half_an_hour_later}};
  ASSERT_TRUE(bench.context.clock_offset->correct(date, bench.now.wall, bench.now.wall));
  EXPECT_TRUE(bench.respond(403, date).sends());
  EXPECT_EQ(bench.times, (std::vector<Duration>{0s, 30min}));
}

TEST(CallCredentials, with_the_time_have_that_of_the_client_if_that_of_the_server_is_rejected_too) {
  TimedBench bench;
  bench.begin().respond(403, {{"Date", half_an_hour_later}}).respond(403, {{"Date", half_an_hour_later}});
  EXPECT_TRUE(bench.failed());
  EXPECT_TRUE(bench.begin().respond(200).succeeded());
  EXPECT_EQ(bench.times, (std::vector<Duration>{0s, 30min, 0s}));
}

TEST(CallCredentials, do_not_have_the_time_of_another_origin) {
  TimedBench bench;
  bench.request.redirect_scope = noun::RedirectScope::https;
  bench.begin().respond(302, {{"Location", "https://cdn.example.com/x"}});
  EXPECT_TRUE(bench.respond(403, {{"Date", half_an_hour_later}}).failed());
  EXPECT_EQ(bench.context.clock_offset->ahead(), 0s);
}

TEST(CallCredentials, are_not_asked_for_again_for_another_reason_than_the_time) {
  TimedBench bench;
  bench.begin().respond(403, {{"Date", date_at_begin}});
  EXPECT_TRUE(bench.failed());
  bench.begin().respond(404, {{"Date", half_an_hour_later}});
  EXPECT_TRUE(bench.failed());
  EXPECT_EQ(bench.attempts(), 1);
  IssuerBench without_time;
  without_time.begin().respond(403, {{"Date", half_an_hour_later}});
  EXPECT_TRUE(without_time.failed());
  EXPECT_EQ(without_time.attempts(), 1);
}

}  // namespace call_credentials_test
}  // namespace call_test
