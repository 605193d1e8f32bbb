#include "transport/authorizer.hpp"

#include <csignal>
#include <system_error>
#include <utility>

namespace noun { inline namespace v0 {
namespace {

constexpr std::size_t most_threads = 16;

/// The authorizer whose thread this is.
thread_local const Authorizer* own_authorizer = nullptr;

}  // namespace

std::thread thread_without_signals(std::function<void()> work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread(std::move(work));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

void Authorizer::start(Request request) {
  std::list<Request> one;
  one.push_back(std::move(request));
  const std::lock_guard lock(mutex_);
  if (idle_ <= waiting_.size() && threads_.size() < most_threads) try {
      threads_.reserve(most_threads);
      threads_.push_back(thread_without_signals([this] { work(); }));
    } catch (const std::system_error&) {
      // The threads that there are take it in turn.
      if (threads_.empty()) throw;
    }
  waiting_.splice(waiting_.end(), one);
  changed_.notify_one();
}

std::list<Authorizer::Request> Authorizer::take_ended() noexcept {
  const std::lock_guard lock(mutex_);
  return std::exchange(ended_, {});
}

void Authorizer::join() noexcept {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  for (auto& thread : threads_)
    if (thread.joinable()) thread.join();
  // Their calls must not outlive the client.
  waiting_.clear();
  ended_.clear();
}

bool Authorizer::on_own_thread() const noexcept { return own_authorizer == this; }

void Authorizer::work() noexcept {
  own_authorizer = this;
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    --idle_;
    if (closed_) return;
    std::list<Request> one;
    one.splice(one.end(), waiting_, waiting_.begin());
    lock.unlock();
    ask(one.front());
    lock.lock();
    ended_.splice(ended_.end(), one);
    lock.unlock();
    on_ended_();
    lock.lock();
  }
}

void Authorizer::ask(Request& request) noexcept try {
  // Its call has ended, or is about to.
  const bool late = context_.clock->now().steady >= request.step.deadline;
  request.credentials = late || request.stop.stop_requested()
                            ? Error(Errc::deadline_exceeded, "the credentials were not asked for in time")
                            : context_.credentials(request.step, request.stop);
} catch (...) {
  request.credentials = exhausted_;
}

}}  // namespace noun
