#include "run_story.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

namespace recorder {
namespace {

constexpr int too_many_requests = 429;
constexpr int server_fault = 500;

std::string_view without_query(std::string_view url) { return url.substr(0, url.find('?')); }

/// What both begin with, to the end of a segment.
std::string_view common_place(std::string_view place, std::string_view url) {
  if (place == url) return place;
  const auto differ = std::mismatch(place.begin(), place.end(), url.begin(), url.end()).first;
  const auto same = place.substr(0, static_cast<std::size_t>(differ - place.begin()));
  return same.substr(0, same.rfind('/') + 1);
}

class Teller {
 public:
  void take(const Step& step) {
    story_.length = step.t;
    if (step.kind == "sent") return send(step);
    if (step.kind == "answered") return answer(step);
    if (step.kind == "holding" || step.kind == "retrying") return wait(step);
    if (step.kind == "page_delivered") {
      ++story_.pages;
      story_.items += step.items;
    }
  }

  Story finish() {
    end_hold();
    for (const auto& [call, index] : in_flight_) story_.attempts[index].answered = story_.length;
    for (const auto& attempt : story_.attempts) {
      story_.rejected += attempt.outcome == Outcome::rejected ? 1 : 0;
      story_.failed += attempt.outcome == Outcome::failed ? 1 : 0;
    }
    story_.lanes = lane_taken_.size();
    return std::move(story_);
  }

 private:
  void send(const Step& step) {
    end_hold();
    const auto place = without_query(step.url);
    story_.place = story_.attempts.empty() ? place : common_place(story_.place, place);
    in_flight_[step.call] = story_.attempts.size();
    story_.attempts.push_back(
        {.sent = step.t, .answered = step.t, .lane = take_lane(), .what = fmt::format("{} {}", step.method, step.url)});
  }

  std::size_t take_lane() {
    const auto free = std::find(lane_taken_.begin(), lane_taken_.end(), false);
    const auto lane = static_cast<std::size_t>(free - lane_taken_.begin());
    if (free == lane_taken_.end()) lane_taken_.push_back(false);
    lane_taken_[lane] = true;
    return lane;
  }

  void answer(const Step& step) {
    const auto sent = in_flight_.find(step.call);
    if (sent == in_flight_.end()) return;
    auto& attempt = story_.attempts[sent->second];
    attempt.answered = step.t;
    if (step.status == too_many_requests)
      attempt.outcome = Outcome::rejected;
    else if (!step.error.empty() || step.status >= server_fault)
      attempt.outcome = Outcome::failed;
    attempt.what = fmt::format("{}, {}", step.error.empty() ? fmt::to_string(step.status) : step.error, attempt.what);
    lane_taken_[attempt.lane] = false;
    last_answered_[step.call] = {sent->second, step.status};
    in_flight_.erase(sent);
    story_.answers.push_back(step.t);
    take_quota(step);
  }

  void take_quota(const Step& step) {
    if (!step.remaining) return;
    auto& quotas = story_.quotas;
    auto quota =
        std::find_if(quotas.begin(), quotas.end(), [&](const auto& q) { return q.partition == step.partition; });
    if (quota == quotas.end()) quota = quotas.insert(quota, {.partition = step.partition});
    quota->most = std::max({quota->most, step.limit.value_or(0), *step.remaining});
    quota->points.push_back({step.t, *step.remaining});
  }

  void wait(const Step& step) {
    if (step.reason.empty()) return;
    if (hold_ && hold_->reason != step.reason) end_hold();
    if (!hold_) hold_ = Hold{.from = step.t, .reason = step.reason};
    const auto last = last_answered_.find(step.call);
    if (step.kind != "retrying" || last == last_answered_.end()) return;
    // A dialect may reject with another status; a 503 that says how long is a fault all the same.
    const auto [index, status] = last->second;
    const bool rejected = step.reason == "rejected" || (step.reason == "retry_after" && status < server_fault);
    if (rejected) story_.attempts[index].outcome = Outcome::rejected;
  }

  void end_hold() {
    if (!hold_) return;
    hold_->until = story_.length;
    if (hold_->until > hold_->from) story_.holds.push_back(*std::move(hold_));
    hold_.reset();
  }

  struct Answered {
    std::size_t index;
    int status;
  };

  Story story_;
  std::unordered_map<std::uint64_t, std::size_t> in_flight_;
  std::unordered_map<std::uint64_t, Answered> last_answered_;
  std::vector<bool> lane_taken_;
  std::optional<Hold> hold_;
};

}  // namespace

Story tell_story(std::vector<Step> steps) {
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.t < b.t; });
  const double began = steps.empty() ? 0 : steps.front().t;
  Teller teller;
  for (auto& step : steps) {
    step.t -= began;
    teller.take(step);
  }
  return teller.finish();
}

}  // namespace recorder
