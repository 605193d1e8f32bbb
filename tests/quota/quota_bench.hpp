// A quota under the test's hand: time stands still until it is moved, and answers say what the test lets them say.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "quota/quota_state.hpp"

namespace quota_tests {

using namespace std::chrono_literals;
using noun::Duration;
using noun::Instant;
using noun::QuotaAnswer;
using noun::WaitReason;
using noun::WallTime;

/// The service's clock shows this when the bench begins; the client's is a day off.
constexpr std::chrono::sys_seconds server_epoch{1'700'000'000s};
constexpr Instant bench_begin{1000s};

inline noun::Now bench_now(Duration at) { return {bench_begin + at, WallTime(server_epoch) + at - 24h}; }

/// Remaining, and a reset in so long.
inline QuotaAnswer told(std::optional<std::int64_t> remaining, std::optional<Duration> resets_in = {}) {
  QuotaAnswer answer;
  answer.reading.limit = 100;
  answer.reading.remaining = remaining;
  if (resets_in) answer.reading.reset = noun::wire::ResetReading{.in = *resets_in, .at = {}};
  return answer;
}
inline QuotaAnswer bare() { return {}; }
inline QuotaAnswer dropped() { return {.reading = {}, .rejected = false, .answered = false}; }
inline QuotaAnswer rejected(QuotaAnswer answer = {}) {
  answer.rejected = true;
  return answer;
}
inline QuotaAnswer rejected_for(Duration retry_after, QuotaAnswer answer = {}) {
  answer.rejected = true;
  answer.reading.retry_after = retry_after;
  return answer;
}

/// A request of the bench's.
struct BenchRequest {
  noun::PermitTicket ticket;
  Duration sent;
};

/// One bucket, and a time that only the test moves.
class QuotaBench {
 public:
  noun::QuotaState state;
  noun::QuotaPolicy policy = {};
  Duration now = 0s;
  Instant patient_until = Instant::min();

  noun::QuotaState::Decision ask(noun::Priority priority = noun::Priority::normal) {
    return state.admit(bench_begin + now, policy, {.priority = priority, .patient_until = patient_until});
  }
  /// Admits, or fails the test.
  BenchRequest go(noun::Priority priority = noun::Priority::normal) {
    const auto decision = ask(priority);
    EXPECT_TRUE(decision.admitted) << "held at " << now.count() << " ns: " << to_string(decision.reason);
    return {decision.ticket, now};
  }
  noun::QuotaNote answer(const BenchRequest& request, const QuotaAnswer& answer) {
    return state.settle(request.ticket, bench_now(request.sent), bench_now(now), answer);
  }
  /// One request that is answered within no time.
  noun::QuotaNote exchange(const QuotaAnswer& said) { return answer(go(), said); }
  /// Why and how long it holds now, in words and milliseconds; `admitted` if it does not.
  std::string hold(noun::Priority priority = noun::Priority::normal) {
    const auto decision = ask(priority);
    if (decision.admitted) {
      state.give_back(decision.ticket);
      return "admitted";
    }
    EXPECT_GT(decision.until, bench_begin + now);
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(decision.until - bench_begin - now);
    return name_of(decision.reason) + " " + std::to_string(ms.count());
  }
  std::optional<std::int64_t> remaining() const { return state.snapshot(bench_begin + now).remaining; }

 private:
  static std::string name_of(WaitReason reason) {
    switch (reason) {
      case WaitReason::quota: return "quota";
      case WaitReason::learning: return "learning";
      case WaitReason::first_answer: return "first_answer";
      case WaitReason::probe: return "probe";
      case WaitReason::concurrency: return "concurrency";
      case WaitReason::rejected: return "rejected";
      default: return "?";
    }
  }
};

}  // namespace quota_tests
