// Tests of which attempts are repeated, when, and how the call ends: every method with every outcome, and what bounds
// the retries, compared with a second implementation that shares no code with the library.
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
  explicit TableBench(const Situation& situation) : CallBench(situation.method) {
    context.observed = false;
    context.dialect.retry_conflict_with_key = situation.conflict_is_running;
    context.dialect.unavailable_is_unprocessed = situation.unavailable_is_unprocessed;
    context.credentials_may_change = situation.credentials_change;
    if (situation.key) request.idempotency_key = "a-key";
  }
  TableBench(const Outcome& outcome, const Situation& situation) : TableBench(situation) {
    begin();
    end(outcome);
  }
  void end(const Outcome& outcome, const noun::Headers& headers = {}, Duration took = 0s) {
    if (outcome.status != 0) {
      respond(outcome.status, headers, {}, took);
    } else {
      fail(noun::Error(noun::ErrorDetails{
               .code = outcome.code, .what = "it broke", .sent = outcome.sent, .retryable = outcome.retryable}),
           took);
    }
    while (waits_now()) wake();
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

// The same table over time: each attempt takes a while and has the same outcome, until the call ends.

constexpr Duration attempt_time = 100ms;
constexpr Duration give_up_after = 10s;
constexpr Duration max_wait = 40s;

/// What bounds the retries of a call, and what the responses ask for.
struct Terms {
  int max_attempts;
  double tokens;
  std::optional<Duration> deadline;
  const char* retry_after;  ///< null: absent
};

/// When the call sends and how it ends. Instants count from its start.
struct Course {
  std::vector<Duration> sends = {};
  Errc code = {};
  StopReason reason = {};
  std::optional<Duration> retry_at = {};

  friend bool operator==(const Course&, const Course&) = default;
  friend void PrintTo(const Course& course, std::ostream* out) {
    const auto seconds = [](Duration span) { return std::chrono::duration<double>(span).count(); };
    *out << "sends at";
    for (const auto sent : course.sends) *out << ' ' << seconds(sent);
    *out << ", " << to_string(course.code) << " (" << to_string(course.reason) << ")";
    if (course.retry_at) *out << ", again at " << seconds(*course.retry_at);
  }
};

std::optional<Duration> oracle_reads(const char* retry_after) {
  const auto text = std::string_view(retry_after == nullptr ? "" : retry_after);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return std::chrono::seconds(std::stoi(retry_after));
}

Course oracle_course(const Outcome& outcome, const Situation& situation, const Terms& terms) {
  const bool rejected = outcome.status == 429;
  const bool at_once = outcome.status == 421 || outcome.status == 401;
  const bool only_once = at_once || outcome.retryable == Retryable::once;
  const auto asked = outcome.status == 0 || at_once ? std::nullopt : oracle_reads(terms.retry_after);
  const auto give_up_at = attempt_time + (rejected ? max_wait : give_up_after);
  Course course{.code = outcome.status == 0 ? outcome.code : noun::errc_of_status(outcome.status)};
  double tokens = terms.tokens;
  Duration backoff = 1s;
  for (Duration now{};;) {
    course.sends.push_back(now);
    now += attempt_time;
    const auto sent = static_cast<int>(course.sends.size());
    const auto ends = [&](StopReason reason, std::optional<Duration> wait = {}) {
      course.reason = reason;
      if (reason != StopReason::permanent && wait && *wait > 0s) course.retry_at = now + *wait;
      return course;
    };
    if (!oracle_repeats(outcome, situation)) return ends(oracle_reason(outcome, situation), asked);
    if (only_once && sent == 2) return ends(StopReason::permanent);
    if (!rejected && outcome.status != 401 && sent >= terms.max_attempts) return ends(StopReason::attempts, asked);
    auto wait = at_once ? Duration(0) : asked.value_or(backoff);
    // A rejection after a wait that the server gave: at least the backoff.
    if (rejected && sent > 1) wait = std::max(wait, backoff);
    if (!(rejected && asked && sent == 1)) backoff *= 2;
    if (now + wait > give_up_at || (terms.deadline && now + wait >= *terms.deadline))
      return ends(StopReason::time, wait);
    if (!rejected && outcome.status != 401 && tokens-- < 1) return ends(StopReason::budget, asked);
    now += wait;
  }
}

Course course_of(const Outcome& outcome, const Situation& situation, const Terms& terms) {
  TableBench bench(situation);
  bench.context.retry = {.max_attempts = terms.max_attempts, .jitter = 0, .give_up_after = give_up_after};
  bench.context.quota.max_wait = max_wait;
  bench.tokens(terms.tokens);
  if (terms.deadline) bench.deadline_in(*terms.deadline);
  const auto headers = terms.retry_after ? noun::Headers{{"Retry-After", terms.retry_after}} : noun::Headers();
  Course course;
  bench.begin();
  while (bench.sends() && course.sends.size() < 100) {
    course.sends.push_back(bench.now.steady - bench_begin);
    bench.end(outcome, headers, attempt_time);
  }
  if (!bench.failed()) return course;
  course.code = bench.error().code();
  course.reason = bench.error().stopped_because();
  if (const auto again = bench.error().retry_at()) course.retry_at = *again - bench_wall_begin;
  EXPECT_EQ(bench.error().attempts(), static_cast<int>(course.sends.size()));
  EXPECT_EQ(bench.error().sent(), outcome.sent);
  EXPECT_EQ(bench.in_flight() + bench.held(), 0U);
  return course;
}

std::vector<Terms> all_terms() {
  std::vector<Terms> all;
  for (const int max_attempts : {1, 2, 5})
    for (const double tokens : {0.0, 1.0, 100.0})
      // Before the first wait ends, when it ends, before the second one ends, and after all.
      for (const std::optional<Duration> deadline : {std::optional<Duration>(), {500ms}, {2100ms}, {3500ms}, {1h}})
        for (const char* retry_after : {static_cast<const char*>(nullptr), "0", "2", "100", "soon"})
          all.push_back({max_attempts, tokens, deadline, retry_after});
  return all;
}

TEST(CallTable, every_retry_is_sent_when_the_table_says_and_the_call_ends_as_it_says) {
  const std::set<std::string> kinds = {
      "401", "404", "408", "409", "421", "425", "429", "500", "501", "502", "503", "504", "resolve/no", "connect/no",
      "connect/no/2", "resource/no", "send/maybe", "timeout/maybe", "tls/no/3", "tls/no", "truncated/answered",
      "protocol/maybe", "decode/answered", "resource/maybe"};
  // The other methods have the rows of these.
  const std::set<Method> methods = {Method::get, Method::delete_, Method::post, Method::patch};
  const auto terms = all_terms();
  std::size_t rows = 0;
  for (const auto& outcome : all_outcomes())
    for (const auto& situation : all_situations()) {
      if (!kinds.contains(outcome.name) || !methods.contains(situation.method)) continue;
      for (const auto& each : terms) {
        ++rows;
        ASSERT_EQ(course_of(outcome, situation, each), oracle_course(outcome, situation, each))
            << words(outcome, situation) << ", max_attempts " << each.max_attempts << ", tokens " << each.tokens
            << ", deadline " << each.deadline.value_or(0s) / 1ms << " ms, Retry-After "
            << (each.retry_after ? each.retry_after : "absent");
      }
    }
  RecordProperty("rows", std::to_string(rows));
}

}  // namespace call_table_test
}  // namespace call_test
