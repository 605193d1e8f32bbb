#pragma once
/// @file
/// A transport that measures the requests to a simulated server: the time since the start of the window, and since a
/// rejection.

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <noun/noun.hpp>
#include <noun/stop.hpp>
#include <noun/testing.hpp>

namespace journeys {

using namespace std::chrono_literals;
namespace kit = noun::testing;
using noun::Duration;

/// A rejection: its Retry-After, and the time until the next request was sent.
struct Rejection {
  std::optional<Duration> retry_after;
  Duration waited;
};

class WindowMonitor final : public noun::Transport {
 public:
  WindowMonitor(std::shared_ptr<kit::ManualClock> clock, kit::ServiceOptions options)
      : service(std::make_shared<kit::SimulatedService>(clock, options)),
        clock_(std::move(clock)),
        options_(std::move(options)) {}

  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken& stop) override {
    const auto now = clock_->now();
    if (open_rejection_) {
      rejections.push_back({retry_after_, now.steady - *open_rejection_});
      open_rejection_.reset();
    }
    note_arrival(now);
    auto response = service->send(attempt, stop);
    if (response && response->status == 429) {
      open_rejection_ = clock_->now().steady;
      const auto retry_after = response->headers.get("Retry-After");
      retry_after_ = retry_after ? std::optional<Duration>(std::chrono::seconds(std::stoi(std::string(*retry_after))))
                                 : std::nullopt;
    }
    return response;
  }

  /// Time from the start of each window except the first to its first request.
  std::vector<Duration> late;
  /// Number of requests in each window.
  std::vector<std::size_t> used;
  std::vector<Rejection> rejections;
  std::shared_ptr<kit::SimulatedService> service;

 private:
  void note_arrival(noun::Now now) {
    const auto wall = std::chrono::duration_cast<Duration>(now.wall.time_since_epoch()) + options_.latency / 2 +
                      options_.clock_offset - options_.phase;
    const auto window = wall / options_.period;
    if (window_ != window) {
      if (window_) late.push_back(wall - window * options_.period);
      used.push_back(0);
      window_ = window;
    }
    ++used.back();
  }

  std::shared_ptr<kit::ManualClock> clock_;
  kit::ServiceOptions options_;
  std::optional<std::int64_t> window_;
  std::optional<noun::Instant> open_rejection_;
  std::optional<Duration> retry_after_;
};

struct Language {
  int id = 0;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Language, id, name)

inline constexpr int all_languages = 7900;

inline void fill(kit::SimulatedService& service, int count = all_languages) {
  for (int id = 1; id <= count; ++id)
    service.add_json("/languages", std::to_string(id), "{\"id\":" + std::to_string(id) + ",\"name\":\"language\"}");
}

}  // namespace journeys
