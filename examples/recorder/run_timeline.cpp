#include "run_timeline.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace recorder {
namespace {

constexpr int too_many_requests = 429;
constexpr int internal_server_error = 500;

std::string_view without_query(std::string_view url) { return url.substr(0, url.find('?')); }

/// The common prefix, cut after a complete path segment.
std::string_view common_prefix(std::string_view prefix, std::string_view url) {
  if (prefix == url) return prefix;
  const auto differ = std::mismatch(prefix.begin(), prefix.end(), url.begin(), url.end()).first;
  const auto same = prefix.substr(0, static_cast<std::size_t>(differ - prefix.begin()));
  return same.substr(0, same.rfind('/') + 1);
}

class TimelineBuilder {
 public:
  void take(const Step& step, std::size_t index) {
    timeline_.length = step.t;
    if (step.kind == "sent") return send(step, index);
    if (step.kind == "attempt_ended") return end(step, index);
    if (step.kind == "cached") return end_wait(state_of(step, index), step.t);
    if (step.kind == "ended") return end_call(step);
    if (step.kind == "polling" && step.call != 0) return wait_in(state_of(step, index), step, "polling");
    if (step.kind == "holding" || step.kind == "retrying") return wait(step, index);
    if (step.kind == "page_delivered") {
      ++timeline_.pages;
      timeline_.items += step.items;
    }
  }

  Timeline finish() {
    end_hold();
    for (const auto& [id, state] : states_)
      if (state.in_flight) touch(state, timeline_.attempts[*state.in_flight].ended = timeline_.length);
    for (const auto& attempt : timeline_.attempts) {
      timeline_.rejected += attempt.outcome == Outcome::rejected ? 1 : 0;
      timeline_.failed += attempt.outcome == Outcome::failed ? 1 : 0;
    }
    finish_waits();
    timeline_.lanes = lane_taken_.size();
    give_lanes();
    return std::move(timeline_);
  }

 private:
  /// A call while it is read; indices of the timeline.
  struct CallState {
    std::size_t call = 0;
    std::optional<std::size_t> in_flight = {};
    std::optional<std::size_t> last_ended = {};
    int last_status = 0;
    std::optional<std::size_t> wait = {};
  };

  CallState& state_of(const Step& step, std::size_t index) {
    const auto [found, is_new] = states_.try_emplace(step.call);
    if (is_new) {
      found->second.call = timeline_.calls.size();
      timeline_.calls.push_back({.id = step.call, .first_step = index, .from = step.t});
    }
    touch(found->second, step.t);
    return found->second;
  }

  void end_call(const Step& step) {
    const auto found = states_.find(step.call);
    if (found == states_.end()) return;
    end_wait(found->second, step.t);
    touch(found->second, step.t);
  }

  void touch(const CallState& state, double t) {
    auto& until = timeline_.calls[state.call].until;
    until = std::max(until, t);
  }

  void send(const Step& step, std::size_t index) {
    end_hold();
    const auto url = without_query(step.url);
    timeline_.url_prefix = timeline_.attempts.empty() ? url : common_prefix(timeline_.url_prefix, url);
    auto& state = state_of(step, index);
    end_wait(state, step.t);
    state.in_flight = timeline_.attempts.size();
    timeline_.attempts.push_back({.sent = step.t,
                                  .ended = step.t,
                                  .lane = take_lane(),
                                  .call = state.call,
                                  .sent_step = index,
                                  .what = fmt::format("{} {}", step.method, step.url)});
  }

  std::size_t take_lane() {
    const auto free = std::find(lane_taken_.begin(), lane_taken_.end(), false);
    const auto lane = static_cast<std::size_t>(free - lane_taken_.begin());
    if (free == lane_taken_.end()) lane_taken_.push_back(false);
    lane_taken_[lane] = true;
    return lane;
  }

  void end(const Step& step, std::size_t index) {
    const auto found = states_.find(step.call);
    if (found == states_.end() || !found->second.in_flight) return;
    auto& state = found->second;
    auto& attempt = timeline_.attempts[*state.in_flight];
    touch(state, step.t);
    attempt.ended = step.t;
    attempt.ended_step = index;
    if (step.status == too_many_requests)
      attempt.outcome = Outcome::rejected;
    else if (!step.error.empty() || step.status >= internal_server_error)
      attempt.outcome = Outcome::failed;
    attempt.what = fmt::format("{}, {}", step.error.empty() ? fmt::to_string(step.status) : step.error, attempt.what);
    lane_taken_[attempt.lane] = false;
    state.last_ended = std::exchange(state.in_flight, std::nullopt);
    state.last_status = step.status;
    timeline_.ended.push_back(step.t);
    take_quota(step);
  }

  void take_quota(const Step& step) {
    if (!step.remaining) return;
    auto& quotas = timeline_.quotas;
    auto quota =
        std::find_if(quotas.begin(), quotas.end(), [&](const auto& q) { return q.partition == step.partition; });
    if (quota == quotas.end()) quota = quotas.insert(quota, {.partition = step.partition});
    quota->limit = std::max({quota->limit, step.limit.value_or(0), *step.remaining});
    quota->readings.push_back({step.t, *step.remaining});
  }

  void wait(const Step& step, std::size_t index) {
    if (step.reason.empty()) return;
    if (hold_ && hold_->reason != step.reason) end_hold();
    if (!hold_) hold_ = Hold{.from = step.t, .reason = step.reason};
    auto& state = state_of(step, index);
    wait_in(state, step, step.reason);
    if (step.kind != "retrying" || !state.last_ended) return;
    // A dialect may define another status as a rejection. A 503 with Retry-After is still a fault.
    const bool rejected =
        step.reason == "rejected" || (step.reason == "retry_after" && state.last_status < internal_server_error);
    if (rejected) timeline_.attempts[*state.last_ended].outcome = Outcome::rejected;
  }

  void wait_in(CallState& state, const Step& step, const std::string& reason) {
    auto& waits = timeline_.waits;
    if (state.wait && waits[*state.wait].reason == reason) return void(waits[*state.wait].until = step.t + step.wait);
    end_wait(state, step.t);
    state.wait = waits.size();
    waits.push_back({.call = state.call, .from = step.t, .until = step.t + step.wait, .reason = reason});
  }

  void end_wait(CallState& state, double t) {
    if (state.wait) timeline_.waits[*state.wait].until = t;
    state.wait.reset();
  }

  void finish_waits() {
    for (auto& wait : timeline_.waits) {
      auto& until = timeline_.calls[wait.call].until;
      wait.until = std::min(wait.until, timeline_.length);
      until = std::max(until, wait.until);
    }
    std::erase_if(timeline_.waits, [](const Wait& wait) { return wait.until <= wait.from; });
  }

  void give_lanes() {
    using Busy = std::pair<double, std::size_t>;  // until when, and which lane
    std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
    std::set<std::size_t> free;
    for (auto& call : timeline_.calls) {
      for (; !busy.empty() && busy.top().first <= call.from; busy.pop()) free.insert(busy.top().second);
      if (free.empty()) free.insert(timeline_.call_lanes++);
      call.lane = *free.begin();
      free.erase(free.begin());
      busy.emplace(call.until, call.lane);
    }
  }

  void end_hold() {
    if (!hold_) return;
    hold_->until = timeline_.length;
    if (hold_->until > hold_->from) timeline_.holds.push_back(*std::move(hold_));
    hold_.reset();
  }

  Timeline timeline_;
  std::unordered_map<std::uint64_t, CallState> states_;
  std::vector<bool> lane_taken_;
  std::optional<Hold> hold_;
};

}  // namespace

double put_in_order(std::vector<Step>& steps) {
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.t < b.t; });
  const double started = steps.empty() ? 0 : steps.front().t;
  for (auto& step : steps) step.t -= started;
  return started;
}

Timeline timeline_of(std::vector<Step> steps) {
  put_in_order(steps);
  return timeline_of_ordered(steps);
}

Timeline timeline_of_ordered(const std::vector<Step>& steps) {
  TimelineBuilder builder;
  for (std::size_t i = 0; i < steps.size(); ++i) builder.take(steps[i], i);
  return builder.finish();
}

}  // namespace recorder
