#pragma once
/// @file
/// A multiplexer for any test transport: each wait makes one attempt with send(). Without an attempt to make, virtual
/// time passes.

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include <noun/testing.hpp>
#include <noun/transport.hpp>

namespace noun_test {

class PlayedMultiplexer final : public noun::Multiplexer {
 public:
  PlayedMultiplexer(noun::Transport& transport, noun::testing::ManualClock& clock)
      : transport_(transport), clock_(clock) {}

  void start(Id id, const noun::Attempt& attempt) override { begun_.push_back({id, attempt, {}}); }
  void cancel(Id id) override {
    for (auto& one : begun_)
      if (one.id == id) one.stop.request_stop();
  }
  std::vector<Ended> wait(noun::Duration at_most) override {
    std::vector<Ended> ended;
    if (!begun_.empty()) {
      auto one = std::move(begun_.front());
      begun_.pop_front();
      if (one.stop.stop_requested())
        ended.push_back({one.id, noun::Error(noun::Errc::cancelled, "cancelled")});
      else
        ended.push_back({one.id, transport_.send(one.attempt, one.stop.get_token())});
      return ended;
    }
    std::unique_lock lock(mutex_);
    if (at_most == noun::Duration::max()) changed_.wait(lock, [&] { return woken_; });
    if (!std::exchange(woken_, false)) clock_.advance(at_most);
    return ended;
  }
  void wake() noexcept override {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }

 private:
  struct Begun {
    Id id;
    noun::Attempt attempt;
    noun::StopSource stop;
  };

  noun::Transport& transport_;
  noun::testing::ManualClock& clock_;
  std::deque<Begun> begun_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

/// A transport with such a multiplexer.
class MultiplexedTransport final : public noun::Transport {
 public:
  MultiplexedTransport(std::shared_ptr<noun::Transport> transport, std::shared_ptr<noun::testing::ManualClock> clock)
      : transport_(std::move(transport)), clock_(std::move(clock)) {}

  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken& stop) override {
    return transport_->send(attempt, stop);
  }
  std::unique_ptr<noun::Multiplexer> multiplexer() override {
    return std::make_unique<PlayedMultiplexer>(*transport_, *clock_);
  }

 private:
  std::shared_ptr<noun::Transport> transport_;
  std::shared_ptr<noun::testing::ManualClock> clock_;
};

}  // namespace noun_test
