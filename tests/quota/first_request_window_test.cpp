// A window that opens with its first request: which period is inferred, and when a request may be sent.
#include "quota/estimators/first_request_window.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace quota_tests { namespace first_request_window_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;
using std::chrono::floor;
using std::chrono::seconds;

constexpr Instant begin{1000s};
/// At `begin` the server's clock is in the middle of a second.
constexpr std::chrono::sys_seconds server_begin{1'700'000'000s};

enum class Reported { at_instants, as_spans };

/// A quota of ten.
class FirstRequestWindowOfTen : public ::testing::Test {
 protected:
  Account account;
  FirstRequestWindow window;
  Reported reported = Reported::at_instants;

  /// One request and its response 5 ms later.
  void exchange(Duration at, std::int64_t used, Observation seen) {
    const auto sending = account.send({.at = begin + at});
    seen.sent_at = begin + at;
    seen.received_at = begin + at + 5ms;
    if (!seen.limit) seen.limit = 10;
    seen.remaining = *seen.limit - used;
    seen.news = used == 1 ? WindowNews::opened : WindowNews::same;
    account.log().keep(*seen.limit);
    account.finish(sending);
    account.record(sending, Outcome::served, seen.received_at);
    seen.in_flight = account.in_flight();
    seen.perhaps_after = account.perhaps_after(sending);
    seen.sent = account.sent();
    seen.sent_before = sending.before;
    window.on_response(seen, account);
  }
  /// A response from a window that ends at `end`, with the reset rounded up.
  void spend(Duration at, std::int64_t used, Duration end, bool at_once = true, Duration grain = 1s) {
    const Instant up = begin + (grain == 1s ? std::chrono::ceil<seconds>(end) : end);
    const ResetInterval reset =
        reported == Reported::at_instants
            ? ResetInterval{.earliest = up, .latest = up, .at = WallTime(up.time_since_epoch()), .grain = grain}
            : ResetInterval{.earliest = up - grain, .latest = up, .grain = grain};
    exchange(at, used, {.reset = reset, .began_at_once = at_once});
  }
  void use_up(Duration at, Duration period, bool at_once = true, Duration grain = 1s) {
    for (std::int64_t used = 1; used <= 10; ++used) spend(at + (used - 1) * 10ms, used, at + period, at_once, grain);
  }
  /// A response with a reset in whole seconds of the server's clock, which is known only from Date.
  void spend_rounded(Duration at, std::int64_t used, seconds reset) {
    exchange(at, used,
             {.reset = ResetInterval{.earliest = begin + reset - 1s,
                                     .latest = begin + reset,
                                     .at = WallTime(server_begin + reset),
                                     .grain = 1s},
              .date = server_begin + floor<seconds>(at + 500ms)});
  }
  void use_up_rounded(Duration at, seconds reset) {
    for (std::int64_t used = 1; used <= 10; ++used) spend_rounded(at + (used - 1) * 5ms, used, reset);
  }
  /// The earliest time of a request, relative to `begin`.
  std::optional<Duration> free_at(std::int64_t cost) const {
    const auto claim = window.claim(begin, {.cost = cost}, account);
    return claim ? std::optional<Duration>(claim->earliest - begin) : std::nullopt;
  }
};

TEST_F(FirstRequestWindowOfTen, the_only_round_period_that_resets_allow_is_guessed) {
  struct Case {
    const char* what;
    Reported reported;
    std::vector<Duration> periods;  // windows start 3.4 s apart
    bool at_once;
    Duration grain;
    std::optional<Duration> guess;
  };
  const Case cases[] = {
      {"one window", Reported::at_instants, {2s}, true, 1s, 2s},
      {"no round number", Reported::at_instants, {2500ms, 2500ms}, true, 1s, {}},
      {"the last window counts", Reported::at_instants, {2s, 5s}, true, 1s, 5s},
      {"not started at once", Reported::at_instants, {2s, 2s}, false, 1s, {}},
      {"by spans one window is not enough", Reported::as_spans, {2s}, true, 1ms, {}},
      {"by spans it takes two", Reported::as_spans, {2s, 2s}, true, 1ms, 2s},
      {"by spans two have to agree", Reported::as_spans, {2s, 5s}, true, 1ms, {}},
      {"a span known to the second is too wide", Reported::as_spans, {2s, 2s}, true, 1s, {}},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    window = {};
    account = {};
    reported = one.reported;
    EXPECT_FALSE(free_at(1));
    for (std::size_t i = 0; i < one.periods.size(); ++i)
      use_up(300ms + i * 3400ms, one.periods[i], one.at_once, one.grain);
    EXPECT_EQ(window.period(), one.guess);
  }
}

TEST_F(FirstRequestWindowOfTen, two_round_periods_that_a_reset_allows_are_no_guess) {
  const ResetInterval reset{
      .earliest = begin + 5950ms, .latest = begin + 6050ms, .at = WallTime(server_begin + 6s), .grain = 1s};
  exchange(4s, 1, {.reset = reset, .began_at_once = true});  // 1 and 2 seconds are possible
  EXPECT_FALSE(window.period());
}

TEST_F(FirstRequestWindowOfTen, a_reported_window_is_used_up_to_two_minutes_and_a_limit_of_ten_thousand) {
  using Case = std::tuple<Duration, std::int64_t, bool>;
  for (const auto& [length, limit, taken] :
       {Case{7s, 10'000, true}, Case{2min, 10, true}, Case{2min + 1s, 10, false}, Case{7s, 10'001, false}}) {
    exchange(1s, 1, {.limit = limit, .window = length});
    EXPECT_EQ(free_at(limit).has_value(), taken) << limit;
  }
}

TEST_F(FirstRequestWindowOfTen, one_may_be_sent_a_period_after_the_first_response) {
  use_up(300ms, 2s);
  use_up(3700ms, 2s);
  EXPECT_EQ(free_at(1), 3705ms + 2s);
  EXPECT_EQ(free_at(3), 3725ms + 2s);
  for (int i = 0; i < 2; ++i) account.send({.at = begin + 4s});
  EXPECT_EQ(free_at(1), 3725ms + 2s) << "requests in flight count too";
  for (int i = 0; i < 8; ++i) account.send({.at = begin + 4s});
  EXPECT_FALSE(free_at(1)) << "not before a response";
}

TEST_F(FirstRequestWindowOfTen, a_claim_is_conclusive_where_the_whole_limit_was_sent_in_the_window) {
  use_up(300ms, 2s);
  EXPECT_TRUE(window.claim(begin, {}, account)->conclusive);
  for (std::int64_t used = 1; used <= 3; ++used) spend(3700ms + used * 10ms, used, 5710ms);
  ASSERT_TRUE(free_at(10));
  EXPECT_FALSE(window.claim(begin, {.cost = 10}, account)->conclusive);
}

TEST_F(FirstRequestWindowOfTen, a_refuted_period_is_not_claimed_again_but_a_longer_one_may_be) {
  use_up(300ms, 2s);
  use_up(3700ms, 2s);
  window.on_refuted();
  EXPECT_FALSE(window.period());
  use_up(6100ms, 2s);
  EXPECT_FALSE(window.period());
  use_up(12100ms, 5s);
  use_up(18300ms, 5s);
  EXPECT_EQ(window.period(), 5s);
}

TEST_F(FirstRequestWindowOfTen, nothing_is_claimed_if_other_clients_use_it_too) {
  use_up(300ms, 2s);
  use_up(3700ms, 2s);
  ASSERT_TRUE(free_at(1));
  exchange(5800ms, 10, {});
  EXPECT_FALSE(free_at(1)) << "ten are counted, and one is ours";
}

TEST_F(FirstRequestWindowOfTen, two_windows_opened_late_give_the_period_and_a_third_is_doubtful) {
  use_up_rounded(0s, 3s);  // 0.5 s + 2 s, rounded up
  EXPECT_FALSE(window.period());
  EXPECT_FALSE(window.outruns_resets());
  use_up_rounded(3s, 6s);
  EXPECT_EQ(window.period(), 2s);
  EXPECT_TRUE(window.outruns_resets());
  EXPECT_EQ(free_at(1), 3005ms + 2s);
  use_up_rounded(5010ms, 8s);
  EXPECT_FALSE(window.is_doubtful());
  use_up_rounded(7020ms, 11s);
  EXPECT_TRUE(window.is_doubtful()) << "sent by the guess, and still a second late";
}

TEST_F(FirstRequestWindowOfTen, a_reset_centuries_before_the_last_one_is_not_late) {
  use_up_rounded(0s, 3s);
  use_up_rounded(3s, 6s);
  use_up_rounded(5010ms, 8s);
  const auto past = std::chrono::sys_days(std::chrono::year(1678) / 1 / 1);
  exchange(7020ms, 1,
           {.reset = ResetInterval{.earliest = begin + 10s, .latest = begin + 11s, .at = past, .grain = 1s},
            .date = past - 2s});
  EXPECT_FALSE(window.is_doubtful());
}

TEST_F(FirstRequestWindowOfTen, other_pairs_of_windows_give_no_period) {
  using Response = std::tuple<Duration, std::int64_t, seconds>;  // used 0: a whole window
  struct Case {
    const char* what;
    std::vector<Response> first;
    Response second;
  };
  const Case cases[] = {
      {"aligned ones: four seconds long, and less than three of them left", {{1s, 0, 4s}}, {5s, 0, 8s}},
      {"one that we joined", {{0s, 4, 3s}, {5ms, 10, 3s}}, {3s, 0, 6s}},
      {"a reset that moves with each request", {{0s, 1, 3s}, {5ms, 2, 5s}, {10ms, 10, 21s}}, {3s, 0, 6s}},
      {"two that contradict each other", {{0s, 0, 6s}}, {6s, 0, 9s}},  // 5 s
      {"another server's count: more was served than the limit",
       {{0s, 0, 3s}, {110ms, 2, 3s}, {120ms, 3, 3s}, {130ms, 4, 3s}},
       {3s, 0, 6s}},
  };
  for (const auto& [what, first, second] : cases) {
    SCOPED_TRACE(what);
    window = {};
    account = {};
    for (const auto& [at, used, reset] : first) used == 0 ? use_up_rounded(at, reset) : spend_rounded(at, used, reset);
    use_up_rounded(std::get<Duration>(second), std::get<seconds>(second));
    EXPECT_FALSE(window.period());
    EXPECT_FALSE(window.outruns_resets());
  }
  window = {};
  use_up_rounded(0s, 3s);
  account.send({.at = begin + 3s});
  spend_rounded(3s, 1, 6s);
  EXPECT_FALSE(window.period()) << "others are in flight";
}

}  // namespace first_request_window_test
}  // namespace quota_tests
