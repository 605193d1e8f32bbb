#include "run_timeline.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

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
  void take(const Step& step) {
    timeline_.length = step.t;
    if (step.kind == "sent") return send(step);
    if (step.kind == "attempt_ended") return end(step);
    if (step.kind == "holding" || step.kind == "retrying") return wait(step);
    if (step.kind == "page_delivered") {
      ++timeline_.pages;
      timeline_.items += step.items;
    }
  }

  Timeline finish() {
    end_hold();
    for (const auto& [call, index] : in_flight_) timeline_.attempts[index].ended = timeline_.length;
    for (const auto& attempt : timeline_.attempts) {
      timeline_.rejected += attempt.outcome == Outcome::rejected ? 1 : 0;
      timeline_.failed += attempt.outcome == Outcome::failed ? 1 : 0;
    }
    timeline_.lanes = lane_taken_.size();
    return std::move(timeline_);
  }

 private:
  void send(const Step& step) {
    end_hold();
    const auto url = without_query(step.url);
    timeline_.url_prefix = timeline_.attempts.empty() ? url : common_prefix(timeline_.url_prefix, url);
    in_flight_[step.call] = timeline_.attempts.size();
    timeline_.attempts.push_back(
        {.sent = step.t, .ended = step.t, .lane = take_lane(), .what = fmt::format("{} {}", step.method, step.url)});
  }

  std::size_t take_lane() {
    const auto free = std::find(lane_taken_.begin(), lane_taken_.end(), false);
    const auto lane = static_cast<std::size_t>(free - lane_taken_.begin());
    if (free == lane_taken_.end()) lane_taken_.push_back(false);
    lane_taken_[lane] = true;
    return lane;
  }

  void end(const Step& step) {
    const auto sent = in_flight_.find(step.call);
    if (sent == in_flight_.end()) return;
    auto& attempt = timeline_.attempts[sent->second];
    attempt.ended = step.t;
    if (step.status == too_many_requests)
      attempt.outcome = Outcome::rejected;
    else if (!step.error.empty() || step.status >= internal_server_error)
      attempt.outcome = Outcome::failed;
    attempt.what = fmt::format("{}, {}", step.error.empty() ? fmt::to_string(step.status) : step.error, attempt.what);
    lane_taken_[attempt.lane] = false;
    last_ended_[step.call] = {sent->second, step.status};
    in_flight_.erase(sent);
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

  void wait(const Step& step) {
    if (step.reason.empty()) return;
    if (hold_ && hold_->reason != step.reason) end_hold();
    if (!hold_) hold_ = Hold{.from = step.t, .reason = step.reason};
    const auto last = last_ended_.find(step.call);
    if (step.kind != "retrying" || last == last_ended_.end()) return;
    // A dialect may define another status as a rejection. A 503 with Retry-After is still a fault.
    const auto [index, status] = last->second;
    const bool rejected = step.reason == "rejected" || (step.reason == "retry_after" && status < internal_server_error);
    if (rejected) timeline_.attempts[index].outcome = Outcome::rejected;
  }

  void end_hold() {
    if (!hold_) return;
    hold_->until = timeline_.length;
    if (hold_->until > hold_->from) timeline_.holds.push_back(*std::move(hold_));
    hold_.reset();
  }

  struct Ended {
    std::size_t index;
    int status;
  };

  Timeline timeline_;
  std::unordered_map<std::uint64_t, std::size_t> in_flight_;
  std::unordered_map<std::uint64_t, Ended> last_ended_;
  std::vector<bool> lane_taken_;
  std::optional<Hold> hold_;
};

}  // namespace

Timeline timeline_of(std::vector<Step> steps) {
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.t < b.t; });
  const double started = steps.empty() ? 0 : steps.front().t;
  TimelineBuilder builder;
  for (auto& step : steps) {
    step.t -= started;
    builder.take(step);
  }
  return builder.finish();
}

}  // namespace recorder
