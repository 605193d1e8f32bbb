// The gate under random orders of events, compared with a second, naive reading of the contract of quotas. It shares no
// code with the gate, and knows only what holds however the gate decides. A failure names its setting and its seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "quota/quota_bench.hpp"
#include "quota/quota_simulation.hpp"

namespace quota_tests { namespace gate_model_test {

using noun::Priority;
using noun::quota::Gate;
using noun::quota::Hold;
using noun::quota::Outcome;
using noun::quota::Permit;
using noun::quota::Place;

/// A server, and how its clients use it.
struct Setting {
  std::string name;
  ServiceSetup service;
  noun::QuotaPolicy policy = {};
  bool others = false;  ///< another client, whose requests the gate does not see, spends the quota too
  bool patient = false;
  Duration slowest = 300ms;  ///< how long a response may take
  std::int64_t guesses = 0;  ///< rejections that a search for the length of a window may cost
  bool certain = true;       ///< while anything is certainly left, no call waits

  friend void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }
};

std::vector<Setting> settings() {
  const auto server = [](Windows windows, std::int64_t limit, Duration period, Reset reset) {
    return ServiceSetup{.windows = windows, .limit = limit, .period = period, .reset = reset};
  };
  const auto aligned = server(Windows::aligned, 6, 4s, Reset::milliseconds);
  const auto bucket = server(Windows::bucket, 5, 5s, Reset::milliseconds);
  auto next_token = bucket;
  next_token.resets_at_next = true;
  const auto unreported = server(Windows::unreported, 1'000'000, 4s, Reset::absent);
  const auto sliding = server(Windows::sliding, 5, 4s, Reset::milliseconds);
  const noun::QuotaPolicy nothing_inferred{.inference = noun::Inference::reported_only};
  return {
      {.name = "aligned_nothing_inferred", .service = aligned, .policy = nothing_inferred},
      {.name = "aligned", .service = aligned},
      {.name = "aligned_in_a_second", .service = aligned, .slowest = 999ms, .certain = false},
      {.name = "aligned_slow", .service = aligned, .slowest = 1h, .certain = false},
      {.name = "aligned_patient", .service = aligned, .patient = true, .certain = false},
      {.name = "aligned_epoch",
       .service = server(Windows::aligned, 4, 5s, Reset::epoch_milliseconds),
       .policy = nothing_inferred},
      {.name = "aligned_limit_of_one", .service = server(Windows::aligned, 1, 2s, Reset::milliseconds)},
      {.name = "aligned_reserve",
       .service = server(Windows::aligned, 8, 4s, Reset::milliseconds),
       .policy = {.reserve = 3}},
      {.name = "aligned_with_others", .service = aligned, .others = true, .certain = false},
      {.name = "aligned_with_others_nothing_inferred",
       .service = aligned,
       .policy = nothing_inferred,
       .others = true,
       .certain = false},
      {.name = "from_first_request", .service = server(Windows::from_first_request, 5, 4s, Reset::milliseconds)},
      {.name = "token_bucket", .service = bucket, .guesses = 1, .certain = false},
      {.name = "token_bucket_next_token", .service = next_token, .guesses = 4, .certain = false},
      {.name = "sliding", .service = sliding, .guesses = 3, .certain = false},
      {.name = "sliding_slow", .service = sliding, .slowest = 1h, .guesses = 3, .certain = false},
      {.name = "unreported", .service = unreported, .policy = {.in_flight_unknown = 3}},
  };
}

/// A request in flight.
struct Flight {
  Permit permit;
  Duration sent_at;
  std::int64_t losses;      ///< until then
  std::int64_t number = 0;  ///< as the server counted it
  Duration served_at = {};
  std::optional<Report> report = {};
};

/// What is certainly left, from the reports alone.
class KnownQuota {
 public:
  void receive(const Flight& flight, Duration now) {
    const auto& reset = flight.report->reset;
    if (!flight.report->remaining || !reset) return;
    included_losses_ = std::max(included_losses_, flight.losses);
    sent_at_ = std::max(sent_at_, flight.sent_at);
    const auto ends = reset->in ? flight.served_at + *reset->in
                                : Duration(reset->at->time_since_epoch() - server_epoch.time_since_epoch());
    if (ends_ && ends < *ends_ - 1ms) return;
    const bool same = ends_ && ends <= *ends_ + 1ms;
    over_at_ = std::min(same ? over_at_ : Duration::max(), ends + (now - flight.served_at));
    if (flight.number < seen_) return;
    seen_ = flight.number;
    remaining_ = *flight.report->remaining;
    ends_ = ends;
  }
  /// Of a request that the server may have counted.
  void lose() { ++losses_; }
  void forget() { ends_.reset(); }

  std::int64_t losses() const { return losses_; }
  /// Of which no report shows whether the server has counted them.
  std::int64_t unknown_losses() const { return losses_ - included_losses_; }
  /// When a client that knows no latency can be sure that the window has ended.
  Duration over_at() const { return over_at_; }
  /// The reset is rounded up to milliseconds.
  bool is_current(Duration now) const { return ends_ && now < *ends_ - 1ms; }
  /// Zero if it is not known what is left: no request that was sent in this window has a response.
  std::int64_t certain(Duration now, Duration period, std::int64_t in_flight) const {
    return is_current(now) && sent_at_ >= *ends_ - period ? remaining_ - in_flight - unknown_losses() : 0;
  }
  /// When the window ends, if all of it is used up.
  std::optional<Duration> used_up_until(Duration now) const {
    return is_current(now) && remaining_ == 0 ? ends_ : std::nullopt;
  }

 private:
  std::int64_t seen_ = 0;
  Duration sent_at_ = Duration::min();
  std::optional<Duration> ends_;
  Duration over_at_ = Duration::max();
  std::int64_t remaining_ = 0;
  std::int64_t losses_ = 0;
  std::int64_t included_losses_ = 0;
};

/// A call, and when it went.
using Gone = std::pair<int, Duration>;

/// Calls on one gate, in an order drawn by the seed.
class Sequence {
 public:
  /// @param passers_by  whether other calls acquire, and leave the queue or release their permits.
  Sequence(const Setting& setting, std::uint64_t seed, bool passers_by)
      : setting_(setting), limiter_(setting.service), random_(seed), passers_by_(passers_by), random_passers_(seed) {
    now_ = Duration(std::chrono::milliseconds(draw(setting.service.period / 1ms)));
  }

  void run() {
    for (auto left = 50 + draw(151); left > 0 && !::testing::Test::HasFailure(); --left) {
      step();
      settle();
      check();
      ++events;
    }
    drain();
  }

  std::vector<Gone> gone;
  std::size_t events = 0;
  std::int64_t rejected = 0;

 private:
  /// No two events are at the same instant.
  static constexpr Duration tick = 1us;

  struct Waiting {
    int call;
    Priority priority;
    Place place = {};
    Duration acquire_at = {};

    bool is_ahead_of(const Waiting& other) const {
      return priority != other.priority ? priority > other.priority : call < other.call;
    }
  };

  std::int64_t draw(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  template <class List>
  std::size_t pick(const List& list) {
    return static_cast<std::size_t>(draw(static_cast<std::int64_t>(list.size())));
  }
  template <class List>
  static void remove(List& list, std::size_t index) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
  }

  noun::quota::Ask ask(Priority priority) const {
    return {.priority = priority, .patient_until = setting_.patient ? Instant::max() : Instant::min()};
  }

  void step() {
    now_ += tick;
    const auto choice = draw(100);
    if (choice < 30) return ask_for_one();
    if (choice < 62 && !flights_.empty()) {
      const auto index = pick(flights_);
      return flights_[index].report ? respond(index) : serve(flights_[index]);
    }
    if (choice < 66 && !flights_.empty()) return choice < 64 ? lose(pick(flights_)) : release(pick(flights_));
    if (choice < 70 && !waiting_.empty()) return leave(pick(waiting_));
    if (choice < 74 && setting_.others) return void(limiter_.serve(now_));
    if (choice < 80 && !waiting_.empty()) return pass_to(next_promise());
    pass_to(now_ + Duration(std::chrono::milliseconds(1 + draw(300))));
  }

  void ask_for_one() {
    constexpr Priority priorities[] = {Priority::bulk, Priority::normal, Priority::normal, Priority::interactive};
    Waiting call{.call = ++calls_, .priority = priorities[draw(4)]};
    if (!goes(call)) waiting_.push_back(std::move(call));
  }
  void serve(Flight& flight) {
    flight.number = ++counted_;
    flight.served_at = now_;
    flight.report = limiter_.serve(now_);
    if (flight.report->outcome == Outcome::rejected)
      ++rejected;
    else
      served_.push_back(now_);
  }
  void respond(std::size_t index) {
    auto flight = std::move(flights_[index]);
    remove(flights_, index);
    if (flight.report->outcome == Outcome::rejected) {
      known_.forget();
      // What a later response has shown is newer.
      if (flight.number > last_served_)
        closed_until_ = std::max(closed_until_, now_ + flight.report->retry_after.value());
    } else {
      last_served_ = std::max(last_served_, flight.number);
      known_.receive(flight, now_);
    }
    gate_->record(std::move(flight.permit), bench_now(now_), *flight.report);
  }
  void lose(std::size_t index) {
    known_.lose();
    gate_->record(std::move(flights_[index].permit), bench_now(now_), dropped());
    remove(flights_, index);
  }
  void release(std::size_t index) {
    if (flights_[index].report) return respond(index);
    gate_->release(std::move(flights_[index].permit));
    remove(flights_, index);
  }
  void leave(std::size_t index) {
    if (index % 2 == 0) waiting_[index].place.leave(bench_now(now_).steady);
    remove(waiting_, index);
  }

  /// What was sent and is not in the server's count of this window: all of it may be.
  std::int64_t unserved() const {
    return std::count_if(flights_.begin(), flights_.end(), [](const Flight& flight) { return !flight.report; });
  }
  std::int64_t in_flight() const { return static_cast<std::int64_t>(flights_.size()); }

  bool goes(Waiting& call) {
    now_ += tick;
    const auto now = bench_now(now_);
    told_.erase(call.place.ticket().counter);
    const auto earliest = gate_->earliest(now, setting_.policy, ask(call.priority), call.place);
    auto acquired = gate_->acquire(now, setting_.policy, ask(call.priority), std::move(call.place));
    const auto* const hold = std::get_if<Hold>(&acquired);
    EXPECT_EQ(earliest.at > now.steady, hold != nullptr) << "earliest() and acquire() differ";
    if (hold) {
      EXPECT_GT(hold->earliest.at, now.steady);
      EXPECT_GE(hold->acquire_at, hold->earliest.at);
      EXPECT_NE(hold->earliest.reason, WaitReason::none);
      if (const auto ends = known_.used_up_until(now_); ends && hold->earliest.reason == WaitReason::quota)
        if (exact_windows() && setting_.policy.inference == noun::Inference::reported_only)
          EXPECT_GE(hold->earliest.at - bench_begin, *ends - *ends % setting_.service.period) << "before the reset";
      call.acquire_at = hold->acquire_at - bench_begin;
      call.place = std::move(std::get<Hold>(acquired).place);
      pass_by();
      return false;
    }
    check_going(call);
    pass_by();
    gone.emplace_back(call.call, now_);
    flights_.push_back({.permit = std::get<Permit>(std::move(acquired)), .sent_at = now_, .losses = known_.losses()});
    last_went_ = now_;
    return true;
  }

  Duration window_began() const { return now_ - now_ % setting_.service.period; }
  bool is_slow() const { return setting_.slowest > 1s; }
  bool exact_windows() const { return setting_.service.windows == Windows::aligned; }

  void check_going(const Waiting& call) {
    if (!is_slow()) EXPECT_GE(now_, closed_until_) << "Retry-After is undercut";
    // A permit that is held back for a measurement goes to any call.
    for (const auto& other : waiting_)
      if (other.is_ahead_of(call) && !setting_.patient) owed_.insert(other.call);
    // Another probe follows after a second of silence, or if one is lost: the server may have counted both.
    const bool is_probe = (is_slow() || !known_.is_current(now_)) &&
                          ((last_went_ < known_.over_at() && known_.over_at() <= now_) || now_ >= last_went_ + 1s);
    if (is_probe && !flights_.empty()) ++further_probes_;
    if (!exact_windows() || setting_.others || is_slow() || is_probe) return;
    const auto is_current = [&](Duration at) { return at >= window_began(); };
    const auto served = std::count_if(served_.begin(), served_.end(), is_current);
    const auto reserve = call.priority == Priority::interactive ? 0 : setting_.policy.reserve;
    EXPECT_LE(served + unserved() + 1, setting_.service.limit - reserve + known_.unknown_losses())
        << "more than the limit, call " << call.call;
  }

  bool is_due(const Waiting& call) const { return call.place.ticket().overtaken() || call.acquire_at <= now_; }

  /// All calls that were woken, or whose time has come, acquire again, in any order.
  void settle() {
    for (int rounds = 0;; ++rounds) {
      for (const auto& woken : gate_->take_woken()) told_.insert(woken.counter.get());
      std::vector<int> due;
      for (const auto& call : waiting_) {
        if (call.place.ticket().overtaken())
          EXPECT_TRUE(told_.contains(call.place.ticket().counter)) << "take_woken() lacks call " << call.call;
        if (is_due(call)) due.push_back(call.call);
      }
      if (due.empty()) break;
      ASSERT_LT(rounds, 100) << "calls are woken and held for ever";
      std::shuffle(due.begin(), due.end(), random_);
      for (const int number : due) {
        const auto call = std::find_if(waiting_.begin(), waiting_.end(), [&](auto& one) { return one.call == number; });
        auto taken = std::move(*call);
        waiting_.erase(call);
        if (goes(taken))
          owed_.erase(number);
        else
          waiting_.push_back(std::move(taken));
      }
    }
    for (const auto& call : waiting_)
      EXPECT_FALSE(owed_.contains(call.call)) << "call " << call.call << " was overtaken";
    owed_.clear();
  }

  Duration next_promise() const {
    return std::min_element(waiting_.begin(), waiting_.end(),
                            [](auto& one, auto& other) { return one.acquire_at < other.acquire_at; })
        ->acquire_at;
  }
  void pass_to(Duration until) {
    while (!::testing::Test::HasFailure()) {
      const auto oldest = std::min_element(flights_.begin(), flights_.end(),
                                           [](auto& one, auto& other) { return one.sent_at < other.sent_at; });
      const auto arrives = flights_.empty() ? Duration::max() : oldest->sent_at + setting_.slowest;
      const auto promised = waiting_.empty() ? Duration::max() : next_promise();
      if (std::min(arrives, promised) >= until) break;
      now_ = std::max(now_, std::min(arrives, promised));
      if (arrives < promised) {
        if (!oldest->report) serve(*oldest);
        respond(static_cast<std::size_t>(oldest - flights_.begin()));
      }
      settle();
    }
    now_ = std::max(now_, until);
  }

  void check() {
    const auto snapshot = gate_->snapshot(bench_now(now_));
    EXPECT_EQ(snapshot.in_flight, flights_.size());
    EXPECT_EQ(snapshot.held, waiting_.size());
    if (!setting_.others) EXPECT_LE(rejected, further_probes_ + known_.losses() + setting_.guesses);
    if (!setting_.certain) return;
    auto certain = known_.certain(now_, setting_.service.period, in_flight());
    if (setting_.service.windows == Windows::unreported)
      certain = last_served_ > 0 ? static_cast<std::int64_t>(setting_.policy.in_flight_unknown) - in_flight() : 0;
    for (const auto& call : waiting_)
      EXPECT_LE(certain, call.priority == Priority::interactive ? 0 : setting_.policy.reserve)
          << "call " << call.call << " waits";
  }

  /// All responses arrive, and nobody asks any more: each call goes.
  void drain() {
    const auto calls = static_cast<int>(waiting_.size());
    const auto latest = now_ + (calls + 3) * (setting_.service.period + 2s);
    while (!::testing::Test::HasFailure() && !(flights_.empty() && waiting_.empty())) {
      while (!flights_.empty()) {
        if (!flights_.front().report) serve(flights_.front());
        respond(0);
        settle();
      }
      if (!waiting_.empty()) pass_to(next_promise());
      settle();
      check();
      ASSERT_LT(now_, latest) << waiting_.size() << " calls starve";
    }
  }

  void pass_by() {
    // Held calls that are patient plan when the reset is measured.
    if (!passers_by_ || setting_.patient) return;
    constexpr Priority priorities[] = {Priority::bulk, Priority::normal, Priority::interactive};
    const auto priority = priorities[random_passers_() % 3];
    // A released probe would count as one that is silent.
    if (is_slow() &&
        gate_->earliest(bench_now(now_), setting_.policy, {.priority = priority}).at == bench_now(now_).steady)
      return;
    const auto acquired = gate_->acquire(bench_now(now_), setting_.policy, {.priority = priority});
  }

  Setting setting_;
  SimulatedLimiter limiter_;
  std::mt19937_64 random_;
  bool passers_by_;
  std::mt19937_64 random_passers_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  KnownQuota known_;
  Duration now_ = {};
  Duration closed_until_ = Duration::min();
  Duration last_went_ = {};
  std::int64_t last_served_ = 0;
  std::int64_t further_probes_ = 0;
  int calls_ = 0;
  std::int64_t counted_ = 0;
  std::vector<Duration> served_;
  std::vector<Waiting> waiting_;
  std::vector<Flight> flights_;
  std::set<int> owed_;
  std::set<const noun::WakeCounter*> told_;
};

class GateModel : public ::testing::TestWithParam<Setting> {};

TEST_P(GateModel, holds_in_every_order_of_events_and_calls_that_give_up_leave_no_trace) {
  std::size_t events = 0;
  std::int64_t rejected = 0;
  constexpr std::uint64_t sequences = 300;
  for (std::uint64_t seed = 1; seed <= sequences; ++seed) {
    SCOPED_TRACE(GetParam().name + ", seed " + std::to_string(seed));
    Sequence alone(GetParam(), seed, false);
    alone.run();
    ASSERT_FALSE(HasFailure());
    Sequence crowded(GetParam(), seed, true);
    crowded.run();
    ASSERT_EQ(crowded.gone, alone.gone);
    ASSERT_FALSE(HasFailure());
    events += alone.events + crowded.events;
    rejected += alone.rejected;
  }
  RecordProperty("sequences", std::to_string(2 * sequences));
  RecordProperty("events", std::to_string(events));
  RecordProperty("rejected", std::to_string(rejected));
}

INSTANTIATE_TEST_SUITE_P(servers, GateModel, ::testing::ValuesIn(settings()),
                         [](const auto& each) { return each.param.name; });

}  // namespace gate_model_test
}  // namespace quota_tests
