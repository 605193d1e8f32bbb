#include "loop/loop_inbox.hpp"

#include <new>
#include <system_error>
#include <utility>

namespace noun { inline namespace v0 {

void RunningCall::Stopper::operator()() const noexcept {
  call->stop.request_stop();
  inbox->look_at(call->id);
}

void RunningCall::UnsentStopper::operator()() const noexcept {
  call->stop_unless_sent = true;
  inbox->look_at(call->id);
}

void RunningCall::listen_for_stops(LoopInbox& inbox) noexcept {
  stopper.emplace(start.stop, Stopper{&inbox, this});
  unsent_stopper.emplace(start.stop_unless_sent, UnsentStopper{&inbox, this});
}

bool RunningCall::must_stop() const noexcept {
  return stop.stop_requested() || start.caller.stop_requested() ||
         (stop_unless_sent && job->call().history().sent == Sent::no);
}

void LoopInbox::add(CallStart start) {
  // Allocate here, neither under the lock nor on the loop's thread.
  Calls one;
  auto& call = one[0];
  call.job = std::move(start.job);
  call.start = std::move(start);
  auto node = one.extract(one.begin());
  const std::lock_guard lock(mutex_);
  if (halted_) throw std::system_error(std::make_error_code(std::errc::operation_canceled), "the process ends");
  node.key() = call.id = ++last_id_;
  added_.insert(std::move(node));
  // Under the lock: the call, once taken, may destroy the loop.
  wake();
}

void LoopInbox::look_at(Id call) noexcept {
  {
    const std::lock_guard lock(mutex_);
    try {
      stopped_.push_back(call);
    } catch (const std::bad_alloc&) {
      look_at_all_ = true;
    }
  }
  wake();
}

void LoopInbox::look_at_all() noexcept {
  const std::lock_guard lock(mutex_);
  look_at_all_ = true;
}

void LoopInbox::deliver(std::list<Authorized>& one) noexcept {
  {
    const std::lock_guard lock(mutex_);
    authorized_.splice(authorized_.end(), one);
  }
  wake();
}

void LoopInbox::interrupt(std::atomic<bool>& by) noexcept {
  std::stop_source sending(std::nostopstate);
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
  if (multiplexer_ != nullptr) return multiplexer_->wake();
  wakes_.notify_all();
  clock_.wake(wakes_);
}

bool LoopInbox::take_calls(Calls& calls) noexcept {
  const std::lock_guard lock(mutex_);
  calls.merge(added_);
  return closing_;
}

std::optional<std::vector<LoopInbox::Id>> LoopInbox::take_stopped() noexcept {
  const std::lock_guard lock(mutex_);
  auto stopped = std::exchange(stopped_, {});
  if (std::exchange(look_at_all_, false)) return std::nullopt;
  return stopped;
}

std::list<Authorized> LoopInbox::take_credentials() noexcept {
  const std::lock_guard lock(mutex_);
  return std::exchange(authorized_, {});
}

void LoopInbox::listen(const WakeCounter& counter) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto room = 2 * listens_ + 16; woken_.capacity() < room || taken_.capacity() < room) {
      woken_.reserve(2 * room);
      taken_.reserve(2 * room);
    }
  }
  wake_board().listen(counter, *this);
  ++listens_;
}

void LoopInbox::on_woken(const WakeCounter& counter) noexcept {
  {
    const std::lock_guard lock(mutex_);
    // listen() has reserved the capacity; push_back() must not allocate here.
    if (woken_.size() < woken_.capacity()) woken_.push_back(&counter);
  }
  if (turn_.is_here())
    has_woken_ = true;
  else
    wake();
}

const std::vector<const WakeCounter*>& LoopInbox::take_woken() noexcept {
  has_woken_ = false;
  taken_.clear();
  const std::lock_guard lock(mutex_);
  std::swap(woken_, taken_);
  return taken_;
}

bool LoopInbox::sends(const std::stop_source& stop) noexcept {
  const std::lock_guard lock(mutex_);
  sending_ = stop;
  return closing_;
}

}}  // namespace noun
