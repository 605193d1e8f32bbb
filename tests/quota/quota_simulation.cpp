#include "quota/quota_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

namespace quota_tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::ceil;
using std::chrono::floor;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration epoch_of_truth = 1'700'000'000s;

Duration up_to_a_multiple(Duration value, Duration by) {
  const Duration rest = value % by;
  return value - rest + by;
}

noun::quota::Report without_rate_fields(const noun::quota::Report& report) {
  noun::quota::Report bare;
  bare.date = report.date;
  return bare;
}

class Simulation {
 public:
  Simulation(const ServiceSetup& service, const ClientSetup& client, std::uint64_t seed)
      : limiter_(service),
        client_(client),
        random_(seed),
        gate_(std::make_shared<noun::quota::Gate>()),
        waiting_(client.workers) {}

  SimulationReport run() {
    now_ = client_.start;
    for (std::size_t worker = 0; worker < client_.workers; ++worker) acquire(worker);
    while (!events_.empty() && now_ < client_.start + 1h) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      event.action();
    }
    return report();
  }

 private:
  struct Event {
    Duration at;
    std::uint64_t order;
    std::function<void()> action;

    bool operator<(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  struct Waiting {
    bool waits = false;
    std::uint64_t epoch = 0;
    std::optional<Duration> since = {};
    noun::quota::Place place = {};
  };

  noun::Now look() const { return {Instant(1000s + now_), WallTime(epoch_of_truth + now_ - 3h)}; }

  void at(Duration when, std::function<void()> action) { events_.push({when, order_++, std::move(action)}); }

  void acquire(std::size_t worker) {
    Waiting& waiting = waiting_[worker];
    waiting.waits = false;
    if (started_ == client_.requests) return void(waiting.place = {});
    noun::quota::Ask wish{.patient_until = client_.patient ? Instant::max() : Instant::min()};
    if (client_.reports_demand) wish.demand = client_.requests - started_;
    auto decision = gate_->acquire(look(), client_.policy, wish, std::move(waiting.place));
    if (!waiting.since) waiting.since = now_;
    if (auto* permit = std::get_if<noun::quota::Permit>(&decision)) {
      longest_wait_ = std::max(longest_wait_, now_ - *std::exchange(waiting.since, std::nullopt));
      return send(worker, std::move(*permit));
    }
    auto& hold = std::get<noun::quota::Hold>(decision);
    waiting.place = std::move(hold.place);
    waiting.waits = true;
    const std::uint64_t epoch = ++waiting.epoch;
    at(hold.acquire_at - Instant(1000s), [this, worker, epoch] {
      if (!waiting_[worker].waits || waiting_[worker].epoch != epoch) return;
      acquire(worker);
      wake();
    });
  }

  bool chance(double part) { return part > 0 && std::uniform_real_distribution<>(0, 1)(random_) < part; }

  Duration a_stall() {
    return chance(client_.stalled)
               ? Duration(static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(client_.stall.count())))
               : 0ns;
  }

  void send(std::size_t worker, noun::quota::Permit granted) {
    ++started_;
    admitted_.push_back(now_);
    auto permit = std::make_shared<noun::quota::Permit>(std::move(granted));
    Duration took = client_.latency;
    if (client_.jitter > 0ns)
      took += Duration(static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(client_.jitter.count())));
    at(now_ + took / 2 + a_stall(), [=, this] {
      noun::quota::Report report = limiter_.serve(now_);
      at(now_ + took / 2 + a_stall(), [=, this] { receive(worker, permit, report); });
    });
  }

  void receive(std::size_t worker, const std::shared_ptr<noun::quota::Permit>& permit, noun::quota::Report report) {
    if (report.outcome == noun::quota::Outcome::rejected) {
      --started_;  // it has to be sent again
      if (served_ >= client_.unmeasured) ++rejected_settled_;
    } else {
      if (++served_ == client_.unmeasured) unmeasured_until_ = now_;
      if (chance(client_.bare)) report = without_rate_fields(report);
      if (chance(client_.dropped)) report = {{}, noun::quota::Outcome::lost};
    }
    const auto record = [=, this, received = look()] {
      gate_->record(std::move(*permit), received, report);
      wake();
    };
    last_ = now_;
    if (client_.recorded_late == 0ns) record();
    acquire(worker);
    wake();
    if (client_.recorded_late > 0ns)
      at(now_ +
             Duration(static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(client_.recorded_late.count()))),
         record);
  }

  /// An admitted call may allow others to be admitted.
  void wake() {
    for (bool any = true; any;) {
      any = false;
      for (std::size_t worker = 0; worker < waiting_.size(); ++worker) {
        if (!waiting_[worker].waits || !waiting_[worker].place.ticket().overtaken()) continue;
        acquire(worker);
        any = any || !waiting_[worker].waits;
      }
    }
  }

  SimulationReport report() const {
    SimulationReport report;
    report.served = served_;
    report.used = limiter_.used();
    report.elapsed = last_ - client_.start;
    report.settled = last_ - unmeasured_until_;
    report.rejected_settled = rejected_settled_;
    report.longest_wait = longest_wait_;
    report.last = gate_->snapshot(look());
    report.rejected = static_cast<std::int64_t>(report.last.rejected);
    for (const Duration end : limiter_.ends()) {
      const auto first =
          std::find_if(admitted_.begin(), admitted_.end(), [&](Duration when) { return when + 1s / 1000 >= end; });
      if (first != admitted_.end()) report.late.push_back(*first - end);
    }
    return report;
  }

  SimulatedLimiter limiter_;
  ClientSetup client_;
  std::mt19937_64 random_;
  std::shared_ptr<noun::quota::Gate> gate_;
  std::vector<Waiting> waiting_;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  std::vector<Duration> admitted_;
  std::int64_t started_ = 0;
  std::int64_t served_ = 0;
  std::int64_t rejected_settled_ = 0;
  Duration unmeasured_until_ = {};
  Duration now_ = {};
  Duration longest_wait_ = {};
  Duration last_ = {};
};

}  // namespace

Duration SimulationReport::worst_late_from(std::size_t first) const {
  if (late.size() <= first) return Duration::zero();
  return *std::max_element(late.begin() + static_cast<std::ptrdiff_t>(first), late.end());
}

void SimulatedLimiter::refill(Duration now) {
  const auto full = static_cast<double>(size());
  const auto refilled = static_cast<double>(setup_.limit);
  const auto period = static_cast<double>(setup_.period.count());
  tokens_ = std::min(tokens_ + refilled * static_cast<double>((now - refilled_at_).count()) / period, full);
  refilled_at_ = now;
  const double missing = full - tokens_;
  const double awaited = setup_.resets_at_next ? std::min(missing, std::floor(tokens_) + 1 - tokens_) : missing;
  end_ = now + Duration(std::llround(awaited / refilled * period));
  used_ = {size() - static_cast<std::int64_t>(std::floor(tokens_))};
}

void SimulatedLimiter::reset_window(Duration now) {
  if (setup_.windows == Windows::bucket) return refill(now);
  if (slides()) {
    while (!log_.empty() && log_.front() + setup_.period <= now) log_.pop_front();
    used_ = {static_cast<std::int64_t>(log_.size())};
    if (setup_.windows == Windows::sliding_under_resets && now >= end_) end_ = now + setup_.period;
    return;
  }
  if (now < end_) return;
  const Duration on_its_clock = epoch_of_truth + now + setup_.clock_offset;
  const bool aligned = setup_.windows != Windows::from_first_request;
  const Duration ends_on_its_clock = aligned
                                         ? up_to_a_multiple(on_its_clock - setup_.phase, setup_.period) + setup_.phase
                                         : on_its_clock + setup_.period;
  end_ = ends_on_its_clock - setup_.clock_offset - epoch_of_truth;
  used_.push_back(0);
}

bool SimulatedLimiter::count(Duration now) {
  const bool bucket = setup_.windows == Windows::bucket;
  const bool admitted = (bucket ? tokens_ >= 1 : used_.back() < setup_.limit) && now >= blocked_until_;
  if (admitted && bucket) {
    tokens_ -= 1;
    refill(now);
    return true;
  }
  if (admitted) ++used_.back();
  if (slides()) {
    if (admitted) log_.push_back(now);
    if (setup_.windows == Windows::sliding) end_ = (log_.empty() ? now : log_.front()) + setup_.period;
  } else if (admitted && used_.back() == setup_.limit) {
    ends_.push_back(end_);
  }
  return admitted;
}

std::optional<noun::wire::ResetReading> SimulatedLimiter::reset_of(Duration now) const {
  const Duration left = end_ - now;
  const Duration clock = epoch_of_truth + now + setup_.clock_offset;
  const auto in = [](Duration delta) { return noun::wire::ResetReading{.in = delta, .at = {}}; };
  const auto at = [](Duration when) { return noun::wire::ResetReading{.in = {}, .at = WallTime(when)}; };
  switch (setup_.reset) {
    case Reset::seconds_up: return in(ceil<seconds>(left));
    case Reset::seconds_down: return in(floor<seconds>(left));
    case Reset::milliseconds: return in(ceil<milliseconds>(left));
    case Reset::epoch_up: return at(ceil<seconds>(clock + left));
    case Reset::epoch_down: return at(floor<seconds>(clock + left));
    case Reset::epoch_milliseconds: return at(ceil<milliseconds>(clock + left));
    case Reset::now_plus_rest: return at(floor<seconds>(clock) + ceil<seconds>(left));
    case Reset::absent: break;
  }
  return {};
}

noun::quota::Report SimulatedLimiter::serve(Duration now) {
  reset_window(now);
  noun::quota::Report report;
  const Duration clock = epoch_of_truth + now + setup_.clock_offset;
  if (setup_.date) report.date = std::chrono::sys_seconds(floor<seconds>(clock));
  const bool rejected = !count(now);
  if (rejected) report.outcome = noun::quota::Outcome::rejected;
  if (rejected && setup_.blocks_for > 0ns) blocked_until_ = now + setup_.blocks_for;
  if (rejected && setup_.retry_after) report.retry_after = ceil<seconds>(std::max(end_, blocked_until_) - now);
  if (setup_.windows == Windows::unreported || !setup_.reports) return report;
  report.limit = setup_.limit;
  report.remaining = setup_.limit - used_.back();
  report.reset = reset_of(now);
  return report;
}

SimulationReport simulate(const ServiceSetup& service, const ClientSetup& client, std::uint64_t seed) {
  return Simulation(service, client, seed).run();
}

}  // namespace quota_tests
