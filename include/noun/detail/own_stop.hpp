#pragma once
/// @file
/// What std::stop_token, std::stop_source and std::stop_callback are, for standard libraries without sound ones
/// ([thread.stoptoken]).

#include <atomic>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace detail { namespace own_stop {

/// Shared by the tokens, sources and callbacks of one stop request.
class State {
 public:
  class Callback {
   public:
    virtual void run() noexcept = 0;

   protected:
    ~Callback() = default;

   private:
    friend State;
    Callback* previous_ = nullptr;
    Callback* next_ = nullptr;
  };

  bool requested() const noexcept { return requested_; }

  bool request() noexcept {
    std::unique_lock lock(mutex_);
    if (requested_.exchange(true)) return false;
    requester_ = std::this_thread::get_id();
    while (first_ != nullptr) {
      running_ = first_;
      unlink(*first_);
      lock.unlock();
      // It may destroy itself: only its address is used after this.
      running_->run();
      lock.lock();
      running_ = nullptr;
      ended_.notify_all();
    }
    return true;
  }

  /// Returns false, and keeps nothing, after a stop request.
  bool add(Callback& callback) noexcept {
    const std::lock_guard lock(mutex_);
    if (requested_) return false;
    callback.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &callback;
    first_ = &callback;
    return true;
  }

  /// Waits while the callback runs on another thread.
  void remove(Callback& callback) noexcept {
    std::unique_lock lock(mutex_);
    if (running_ != &callback) return unlink(callback);
    if (requester_ != std::this_thread::get_id()) ended_.wait(lock, [&] { return running_ != &callback; });
  }

  /// The number of stop sources.
  std::atomic<std::size_t> sources = 1;

 private:
  /// Has no effect on a callback that has run.
  void unlink(Callback& callback) noexcept {
    if (callback.previous_ != nullptr) callback.previous_->next_ = callback.next_;
    if (callback.next_ != nullptr) callback.next_->previous_ = callback.previous_;
    if (first_ == &callback) first_ = callback.next_;
    callback.previous_ = callback.next_ = nullptr;
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::atomic<bool> requested_ = false;
  std::thread::id requester_;
  Callback* first_ = nullptr;
  Callback* running_ = nullptr;
};

struct NoStopState {
  explicit NoStopState() = default;
};

class StopToken {
 public:
  StopToken() noexcept = default;

  bool stop_requested() const noexcept { return state_ && state_->requested(); }
  bool stop_possible() const noexcept { return state_ && (state_->requested() || state_->sources > 0); }
  void swap(StopToken& other) noexcept { state_.swap(other.state_); }
  friend void swap(StopToken& a, StopToken& b) noexcept { a.swap(b); }
  friend bool operator==(const StopToken& a, const StopToken& b) noexcept { return a.state_ == b.state_; }

 private:
  friend class StopSource;
  template <class>
  friend class StopCallback;
  explicit StopToken(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

class StopSource {
 public:
  StopSource() : state_(std::make_shared<State>()) {}
  explicit StopSource(NoStopState) noexcept {}
  StopSource(const StopSource& other) noexcept : state_(other.state_) {
    if (state_) ++state_->sources;
  }
  StopSource(StopSource&&) noexcept = default;
  StopSource& operator=(StopSource other) noexcept {
    swap(other);
    return *this;
  }
  ~StopSource() {
    if (state_) --state_->sources;
  }

  StopToken get_token() const noexcept { return StopToken(state_); }
  bool stop_possible() const noexcept { return state_ != nullptr; }
  bool stop_requested() const noexcept { return state_ && state_->requested(); }
  bool request_stop() const noexcept {
    // A callback may destroy this object.
    const auto state = state_;
    return state && state->request();
  }
  void swap(StopSource& other) noexcept { state_.swap(other.state_); }
  friend void swap(StopSource& a, StopSource& b) noexcept { a.swap(b); }
  friend bool operator==(const StopSource& a, const StopSource& b) noexcept { return a.state_ == b.state_; }

 private:
  std::shared_ptr<State> state_;
};

template <class F>
class StopCallback final : State::Callback {
 public:
  using callback_type = F;

  template <class C>
    requires std::constructible_from<F, C>
  explicit StopCallback(StopToken token, C&& callback) noexcept(std::is_nothrow_constructible_v<F, C>)
      : callback_(std::forward<C>(callback)), state_(std::move(token.state_)) {
    if (!state_ || state_->add(*this)) return;
    // It is not the state's to wait for.
    state_.reset();
    run();
  }
  StopCallback(const StopCallback&) = delete;
  StopCallback& operator=(const StopCallback&) = delete;
  ~StopCallback() {
    if (state_) state_->remove(*this);
  }

 private:
  void run() noexcept override { std::forward<F>(callback_)(); }

  F callback_;
  std::shared_ptr<State> state_;
};
template <class C>
StopCallback(StopToken, C) -> StopCallback<C>;

}}}}  // namespace noun::v0::detail::own_stop
