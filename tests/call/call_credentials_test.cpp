// Tests of the credentials function: when it is called, what is sent, and what a 401 does.
#include <tuple>

#include "call/call_fixture.hpp"

namespace call_test { namespace call_credentials_test {

/// A bench whose credentials function returns numbered tokens.
class IssuerBench : public CallBench {
 public:
  explicit IssuerBench(Method method = Method::get) : CallBench(method) {
    context.credentials_may_change = true;
    context.prepare = [this](int attempt) -> noun::Result<noun::Headers> {
      calls.push_back(attempt);
      if (fault) return *fault;
      if (nothing) return noun::Headers{};
      return noun::Headers{{"Authorization", "Bearer token-" + std::to_string(calls.size())}};
    };
  }
  std::vector<int> calls;
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
            "GET https://api.example.com/v1/things/7: the credentials function failed: the vault is sealed; check the "
            "source of the credentials");
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
    bench.context.prepare = [&bench, hold = hold, first = true, inner = bench.context.prepare](int n) mutable {
      if (std::exchange(first, false)) bench.exhausted_for(hold);
      return inner(n);
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
  bench.context.prepare = [&](int) -> noun::Result<noun::Headers> {
    bench.spend_elsewhere();
    return noun::Headers{};
  };
  EXPECT_TRUE(bench.begin().sends());
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

}  // namespace call_credentials_test
}  // namespace call_test
