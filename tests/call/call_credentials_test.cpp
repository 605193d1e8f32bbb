// When the credentials function is asked, what becomes of its answer, and what a 401 does.
#include "call/call_fixture.hpp"

namespace call_test {
namespace call_credentials_test {

/// A function that names each of its answers by number.
struct Issuer {
  std::vector<int> asked;
  std::optional<noun::Error> fault;
  bool nothing = false;

  void serve(CallBench& bench) {
    bench.environment.credentials_may_change = true;
    bench.environment.prepare = [this](int attempt) -> noun::Result<noun::Headers> {
      asked.push_back(attempt);
      if (fault) return *fault;
      if (nothing) return noun::Headers{};
      return noun::Headers{{"Authorization", "Bearer token-" + std::to_string(asked.size())}};
    };
  }
};

std::string authorization(const CallBench& bench) {
  return std::string(bench.send().headers->get("Authorization").value_or("none"));
}

TEST(CallCredentials, they_are_asked_for_before_each_attempt) {
  CallBench bench;
  Issuer issuer;
  issuer.serve(bench);
  bench.begin();
  EXPECT_EQ(authorization(bench), "Bearer token-1");
  EXPECT_EQ(bench.send().headers->get("Accept"), "application/json");
  bench.answer(503).wake();
  EXPECT_EQ(authorization(bench), "Bearer token-2");
  EXPECT_EQ(issuer.asked, (std::vector{1, 2}));
}

TEST(CallCredentials, they_replace_a_header_of_the_same_name_and_leave_the_request_alone) {
  CallBench bench;
  bench.request.headers.add("authorization", "Bearer stale");
  Issuer issuer;
  issuer.serve(bench);
  bench.begin();
  EXPECT_EQ(bench.send().headers->values("Authorization").size(), 1U);
  EXPECT_EQ(authorization(bench), "Bearer token-1");
  EXPECT_EQ(bench.request.headers.get("Authorization"), "Bearer stale");
}

TEST(CallCredentials, none_means_the_request_as_it_is_also_after_some) {
  CallBench bench;
  Issuer issuer;
  issuer.serve(bench);
  bench.begin();
  issuer.nothing = true;
  bench.answer(503).wake();
  EXPECT_EQ(authorization(bench), "none");
}

TEST(CallCredentials, a_401_asks_once_more_and_sends_once_more) {
  CallBench bench(Method::post);
  Issuer issuer;
  issuer.serve(bench);
  bench.begin().answer(401);
  ASSERT_TRUE(bench.sends());
  EXPECT_EQ(authorization(bench), "Bearer token-2");
  bench.answer(401);
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::unauthorized);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::permanent);
  EXPECT_EQ(bench.error().attempts(), 2);
  EXPECT_EQ(bench.error().sent(), Sent::answered);
}

TEST(CallCredentials, a_renewed_attempt_takes_no_token_from_the_budget) {
  CallBench bench;
  bench.environment.budget = std::make_shared<noun::BudgetAccount>(noun::RetryBudget{.capacity = 0});
  Issuer issuer;
  issuer.serve(bench);
  bench.begin().answer(401).answer(200);
  EXPECT_TRUE(bench.succeeded());
}

TEST(CallCredentials, a_401_to_credentials_that_cannot_change_is_final) {
  CallBench bench;
  bench.environment.prepare = [](int) -> noun::Result<noun::Headers> {
    return noun::Headers{{"Authorization", "Bearer fixed-token"}};
  };
  bench.begin().answer(401);
  EXPECT_TRUE(bench.failed());
  EXPECT_EQ(bench.attempts(), 1);
}

TEST(CallCredentials, a_function_that_fails_before_the_first_attempt_sends_nothing) {
  CallBench bench;
  Issuer issuer;
  issuer.fault = noun::Error(Errc::credentials, "the vault is sealed");
  issuer.serve(bench);
  bench.begin();
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::credentials);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::permanent);
  EXPECT_EQ(bench.error().sent(), Sent::no);
  EXPECT_EQ(bench.error().attempts(), 0);
  EXPECT_EQ(bench.message(),
            "GET https://api.example.com/v1/things/7: the credentials function failed: the vault is "
            "sealed; mend what it depends on");
  EXPECT_EQ(bench.environment.gate->snapshot(bench.now).sent, 0U);
}

TEST(CallCredentials, a_function_that_fails_later_leaves_the_truth_about_what_was_sent) {
  CallBench bench;
  Issuer issuer;
  issuer.serve(bench);
  bench.begin().fail(Errc::timeout, Sent::maybe);
  issuer.fault = noun::Error(Errc::timeout, "the vault is slow");
  bench.wake();
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::credentials);
  EXPECT_EQ(bench.error().sent(), Sent::maybe);
  EXPECT_EQ(bench.error().attempts(), 1);
}

TEST(CallCredentials, they_are_asked_for_behind_a_hold_and_not_at_each_wake_up_within_it) {
  CallBench bench;
  Issuer issuer;
  issuer.serve(bench);
  exhaust_elsewhere(bench, 40s);
  bench.begin();
  for (int times = 0; times < 3; ++times) {
    ASSERT_TRUE(bench.waits_now());
    bench.wake(10s);
  }
  EXPECT_TRUE(issuer.asked.empty());
  bench.wake();
  ASSERT_TRUE(bench.sends());
  EXPECT_EQ(issuer.asked, std::vector{1});
  EXPECT_EQ(authorization(bench), "Bearer token-1");
}

TEST(CallCredentials, they_are_asked_for_again_if_their_function_used_the_quota_up_for_long) {
  for (const auto& [hold, times] : {std::pair{Duration(40s), 2U}, std::pair{Duration(1s), 1U}}) {
    CallBench bench;
    Issuer issuer;
    issuer.serve(bench);
    bench.environment.prepare = [&bench, hold = hold, first = true, inner = bench.environment.prepare](int n) mutable {
      if (std::exchange(first, false)) exhaust_elsewhere(bench, hold);
      return inner(n);
    };
    bench.begin();
    ASSERT_TRUE(bench.waits_now());
    bench.wake();
    ASSERT_TRUE(bench.sends());
    EXPECT_EQ(issuer.asked, std::vector(times, 1));
    EXPECT_EQ(authorization(bench), "Bearer token-" + std::to_string(times));
  }
}

TEST(CallCredentials, their_function_may_spend_the_same_quota) {
  CallBench bench;
  bench.environment.credentials_may_change = true;
  bench.environment.quota.in_flight_unknown = 1;
  bench.environment.prepare = [&](int) -> noun::Result<noun::Headers> {
    spend_elsewhere(bench, {});
    return noun::Headers{};
  };
  EXPECT_TRUE(bench.begin().sends());
}

TEST(CallCredentials, the_one_more_attempt_is_told_to_the_observer) {
  for (const int status : {401, 421}) {
    CallBench bench;
    Issuer issuer;
    issuer.serve(bench);
    bench.begin().answer(status);
    const auto told = bench.events_of(noun::EventKind::retrying);
    ASSERT_EQ(told.size(), 1U) << status;
    EXPECT_EQ(told[0].reason, WaitReason::none) << status;
    EXPECT_EQ(told[0].wait, 0s) << status;
    EXPECT_EQ(told[0].until, bench.now.wall) << status;
  }
}

}  // namespace call_credentials_test
}  // namespace call_test
