// Tests of which attempts are repeated: every method with every outcome, compared with a second implementation that
// shares no code with the library.
#include <set>

#include "call/call_fixture.hpp"
#include "decision/classify.hpp"

namespace call_test { namespace call_table_test {

using noun::Retryable;

/// How the first attempt ended.
struct Outcome {
  std::string name;
  int status = 0;
  Errc code = Errc::server_error;
  Sent sent = Sent::answered;
  Retryable retryable = Retryable::by_code;
};
/// The request and the options that decide.
struct Situation {
  Method method;
  bool key;
  bool conflict_is_running;
  bool unavailable_is_unprocessed;
  bool credentials_change;
};

constexpr Method all_methods[] = {Method::get,   Method::head,    Method::post,   Method::put,
                                  Method::patch, Method::delete_, Method::options, Method::query};

std::vector<Outcome> all_outcomes() {
  std::vector<Outcome> outcomes;
  for (int status = 200; status < 600; ++status) outcomes.push_back({.name = std::to_string(status), .status = status});
  constexpr Errc failures[] = {Errc::resolve,     Errc::connect,   Errc::send,      Errc::timeout,
                               Errc::truncated,   Errc::protocol,  Errc::resource,  Errc::too_large,
                               Errc::decode,      Errc::refused,   Errc::cancelled, Errc::invalid_argument,
                               Errc::credentials, Errc::no_content};
  for (const auto code : failures)
    for (const auto sent : {Sent::no, Sent::maybe, Sent::answered})
      outcomes.push_back({std::string(to_string(code)) + "/" + std::string(to_string(sent)), 0, code, sent});
  for (const auto code : {Errc::tls, Errc::connect, Errc::protocol})
    for (const auto sent : {Sent::no, Sent::maybe})
      for (const auto retryable : {Retryable::by_code, Retryable::no, Retryable::once, Retryable::yes})
        outcomes.push_back({std::string(to_string(code)) + "/" + std::string(to_string(sent)) + "/" +
                                std::to_string(static_cast<int>(retryable)),
                            0, code, sent, retryable});
  return outcomes;
}

/// The rows of the table. An outcome that is in none of them is never repeated.
bool oracle_repeats(const Outcome& outcome, const Situation& situation) {
  const bool post_or_patch = situation.method == Method::post || situation.method == Method::patch;
  const bool repeatable = !post_or_patch || situation.key;
  if (outcome.status != 0) {
    static const std::set<int> not_processed = {429, 425, 421};
    static const std::set<int> maybe_processed = {408, 500, 502, 503, 504};
    if (not_processed.contains(outcome.status)) return true;
    if (outcome.status == 503 && situation.unavailable_is_unprocessed) return true;
    if (maybe_processed.contains(outcome.status)) return repeatable;
    if (outcome.status == 409) return situation.key && situation.conflict_is_running;
    return outcome.status == 401 && situation.credentials_change;
  }
  static const std::set<Errc> network_errors = {Errc::resolve, Errc::connect,   Errc::send,
                                                Errc::timeout, Errc::truncated, Errc::protocol};
  if (outcome.retryable == Retryable::no) return false;
  const bool broken = network_errors.contains(outcome.code) ||
                      (outcome.code == Errc::tls && outcome.retryable != Retryable::by_code);
  if (outcome.sent == Sent::no) return broken || outcome.code == Errc::resource;
  return broken && repeatable;
}

/// Why it is not repeated: `not_repeatable` if the table allows it for another method.
StopReason oracle_reason(const Outcome& outcome, const Situation& situation) {
  if (outcome.code == Errc::cancelled) return StopReason::cancelled;
  auto other = situation;
  other.method = Method::put;
  return oracle_repeats(outcome, other) ? StopReason::not_repeatable : StopReason::permanent;
}

class TableBench : public CallBench {
 public:
  TableBench(const Outcome& outcome, const Situation& situation) : CallBench(situation.method) {
    context.observed = false;
    context.dialect.retry_conflict_with_key = situation.conflict_is_running;
    context.dialect.unavailable_is_unprocessed = situation.unavailable_is_unprocessed;
    context.credentials_may_change = situation.credentials_change;
    if (situation.key) request.idempotency_key = "a-key";
    begin();
    end(outcome);
  }
  void end(const Outcome& outcome) {
    if (outcome.status != 0) {
      respond(outcome.status);
    } else {
      fail(noun::Error(noun::ErrorDetails{
          .code = outcome.code, .what = "it broke", .sent = outcome.sent, .retryable = outcome.retryable}));
    }
    if (waits_now()) wake();
  }
};

std::vector<Situation> all_situations() {
  std::vector<Situation> situations;
  for (const auto method : all_methods) {
    for (int bits = 0; bits < 8; ++bits)
      situations.push_back({method, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, false});
    situations.push_back({method, false, false, false, true});
  }
  return situations;
}

/// Redirects that are followed have their own tests.
bool is_followed_redirect(const Outcome& outcome) {
  static const std::set<int> followed = {301, 302, 303, 307, 308};
  return followed.contains(outcome.status);
}

std::string words(const Outcome& outcome, const Situation& situation) {
  return std::string(to_string(situation.method)) + " " + outcome.name + (situation.key ? " with key" : "") +
         (situation.conflict_is_running ? " 409 is running" : "") +
         (situation.unavailable_is_unprocessed ? " 503 is unprocessed" : "") +
         (situation.credentials_change ? " credentials change" : "");
}

void check_row(const Outcome& outcome, const Situation& situation) {
  TableBench bench(outcome, situation);
  const bool is_2xx = outcome.status >= 200 && outcome.status < 300;
  ASSERT_EQ(bench.sends(), oracle_repeats(outcome, situation));
  ASSERT_EQ(bench.attempts(), bench.sends() ? 2 : 1);
  ASSERT_EQ(bench.succeeded(), is_2xx);
  ASSERT_EQ(bench.failed(), !is_2xx && !bench.sends());
  if (bench.failed()) {
    ASSERT_EQ(bench.error().stopped_because(), oracle_reason(outcome, situation));
    ASSERT_EQ(bench.error().code(), outcome.status != 0 ? noun::errc_of_status(outcome.status) : outcome.code);
    ASSERT_EQ(bench.error().sent(), outcome.sent);
    ASSERT_EQ(bench.error().status(), outcome.status);
  }
  if (!bench.sends()) ASSERT_EQ(bench.in_flight(), 0U);
}

TEST(CallTable, every_method_and_outcome_is_repeated_exactly_as_the_table_says) {
  const auto outcomes = all_outcomes();
  for (const auto& situation : all_situations())
    for (const auto& outcome : outcomes) {
      if (is_followed_redirect(outcome)) continue;
      check_row(outcome, situation);
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << words(outcome, situation);
    }
}

TEST(CallTable, the_second_outcome_has_the_same_row_unless_it_is_repeated_once) {
  for (const auto& situation : all_situations())
    for (const auto& outcome : all_outcomes()) {
      if (is_followed_redirect(outcome) || !oracle_repeats(outcome, situation)) continue;
      TableBench bench(outcome, situation);
      bench.end(outcome);
      const bool once = outcome.status == 421 || outcome.status == 401 || outcome.retryable == Retryable::once;
      ASSERT_EQ(bench.sends(), !once) << words(outcome, situation);
    }
}

}  // namespace call_table_test
}  // namespace call_test
