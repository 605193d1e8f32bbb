#include "loop/loop_inbox.hpp"

#include <new>
#include <system_error>
#include <utility>

namespace noun { inline namespace v0 {

class LoopInbox::Forwarder final : public quota::Sleeper {
 public:
  explicit Forwarder(LoopInbox* inbox) noexcept : inbox_(inbox) {}
  void on_woken(std::uint64_t call) noexcept override {
    // The parent's lock may have been locked.
    if (!process_.is_current()) return;
    const std::lock_guard lock(mutex_);
    if (inbox_ == nullptr) return;
    inbox_->note(call);
    if (inbox_->turn_.is_here())
      inbox_->has_looks_ = true;
    else
      inbox_->wake();
  }
  void forget() noexcept {
    const std::lock_guard lock(mutex_);
    inbox_ = nullptr;
  }

 private:
  const OwnProcess process_;
  std::mutex mutex_;
  LoopInbox* inbox_;
};

void RunningCall::OnStop::operator()() const noexcept {
  if (requests_stop) call->stop.request_stop();
  inbox->look_at(call->id);
}

LoopInbox::LoopInbox(Multiplexer* multiplexer, Clock& clock, const LoopTurn& turn)
    : multiplexer_(multiplexer),
      clock_(clock),
      uses_sleep_(multiplexer == nullptr || &clock != system_clock().get()),
      turn_(turn),
      sleeper_(std::make_shared<Forwarder>(this)) {}

void LoopInbox::forget_sleeper() noexcept { static_cast<Forwarder&>(*sleeper_).forget(); }

void LoopInbox::add(CallStart start) {
  // Allocate here, neither under the lock nor on the loop's thread.
  RunningCalls one;
  auto& call = one[0];
  call.job = std::move(start.job);
  call.start = std::move(start);
  auto node = one.extract(one.begin());
  const std::lock_guard lock(mutex_);
  if (halted_) throw std::system_error(std::make_error_code(std::errc::operation_canceled), "the process ends");
  node.key() = call.id = ++last_id_;
  messages_.calls.insert(std::move(node));
  // Under the lock: the call, once taken, may destroy the loop.
  wake();
}

void LoopInbox::look_at(Id call) noexcept {
  note(call);
  // Also on the loop's thread: a multiplexer may be waiting there, and have called who requests the stop.
  wake();
}

void LoopInbox::note(Id call) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    messages_.looks.push_back(call);
  } catch (const std::bad_alloc&) {
    messages_.look_at_all = true;
  }
}

void LoopInbox::deliver(std::list<Authorized>& one) noexcept {
  {
    const std::lock_guard lock(mutex_);
    messages_.credentials.splice(messages_.credentials.end(), one);
  }
  wake();
}

void LoopInbox::interrupt(std::atomic<bool>& by) noexcept {
  StopSource sending(no_stop_state);
  {
    const std::lock_guard lock(mutex_);
    by = true;
    sending = sending_;
  }
  sending.request_stop();
  wake();
}

void LoopInbox::wake() noexcept {
  wakes_.fetch_add(1);
  if (multiplexer_ != nullptr) multiplexer_->wake();
  if (!uses_sleep_) return;
  // So that a thread that has found no wake is asleep by now.
  { const std::lock_guard lock(asleep_); }
  woken_.notify_all();
  clock_.wake(wakes_);
}

LoopInbox::Messages LoopInbox::take() noexcept {
  has_looks_ = false;
  seen_ = wakes_.load();
  const std::lock_guard lock(mutex_);
  messages_.closing = closing_;
  return std::exchange(messages_, {});
}

void LoopInbox::sleep(Instant until) {
  if (until != Instant::max()) return clock_.wait(until, {&wakes_, seen_}, {});
  std::unique_lock lock(asleep_);
  woken_.wait(lock, [this] { return wakes_ != seen_; });
}

bool LoopInbox::sends(const StopSource& stop) noexcept {
  const std::lock_guard lock(mutex_);
  sending_ = stop;
  return closing_;
}

}}  // namespace noun
