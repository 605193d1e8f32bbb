#include <noun/start.hpp>

#include <atomic>
#include <memory>
#include <utility>

#include "loop/workers.hpp"
#include "os/process_exit.hpp"
#include "resource/background_call.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// Keeps its client alive until its completion is called.
class StartedCall final : public BackgroundCall {
 public:
  StartedCall(const ErasedOperation& operation, Executor executor, std::unique_ptr<Completion> completion)
      : BackgroundCall(operation),
        client_(AddressAccess::core_of(operation.request.address)),
        executor_(std::move(executor)),
        completion_(std::move(completion)),
        is_awaited_(completion_->is_awaited()) {}

  StartedCall(const StartedCall&) = delete;
  StartedCall& operator=(const StartedCall&) = delete;
  /// An executor may drop the completion: what is left of the call goes before its client.
  ~StartedCall() override { forget(); }

  /// The completion is not called any more. What it would have received is left to the next operation of its listing or
  /// stream.
  void disarm() noexcept {
    const auto before = state_.fetch_or(taken);
    if ((before & taken) != 0) return;
    completion_.reset();
    if ((before & has_ended) != 0) forget();
  }

 private:
  /// What the executor was given. If it drops it, the completion is destroyed too, whoever holds the call.
  struct Posted {
    explicit Posted(std::shared_ptr<StartedCall> of) noexcept : call(std::move(of)) {}
    Posted(const Posted&) = delete;
    Posted& operator=(const Posted&) = delete;
    ~Posted() {
      if (accepted) call->drop();
    }
    const std::shared_ptr<StartedCall> call;
    std::atomic<bool> accepted = true;
  };

  Executor executor() const override { return executor_; }
  bool is_awaited() const noexcept override { return is_awaited_; }

  void ended() noexcept override {
    if ((state_.fetch_or(has_ended) & taken) != 0) return forget();
    if (process_ends()) {
      if (is_awaited_) complete_here();
      return;
    }
    const auto self = std::static_pointer_cast<StartedCall>(shared_from_this());
    if (executor_) try {
        const auto posted = std::make_shared<Posted>(self);
        try {
          return executor_([posted] { posted->call->complete(); });
        } catch (...) {
          posted->accepted = false;
        }
      } catch (...) {
      }
    try {
      post_completion([self] { self->complete(); });
    } catch (...) {
      // No memory and no thread: there is no other place.
      complete_here();
    }
  }

  void complete_here() noexcept try {
    complete();
  } catch (...) {
  }

  /// Whether the result is the caller's, once.
  bool take() noexcept { return (state_.fetch_or(taken) & taken) == 0; }

  void drop() noexcept {
    if (!take()) return;
    completion_.reset();
    forget();
    client_.reset();
  }

  void complete() {
    if (!take()) return;
    auto result = read();
    const auto completion = std::move(completion_);
    client_.reset();
    completion->complete(std::move(result));
  }

  std::shared_ptr<ClientCore> client_;
  const Executor executor_;
  std::unique_ptr<Completion> completion_;
  const bool is_awaited_;
  static constexpr unsigned taken = 1;
  static constexpr unsigned has_ended = 2;
  std::atomic<unsigned> state_ = 0;
};

void StartedAccess::start(const ErasedOperation& operation, Executor executor,
                          std::unique_ptr<Completion> completion, Started& started) {
  if (!executor) start_completion_thread();
  const auto call = std::make_shared<StartedCall>(operation, std::move(executor), std::move(completion));
  started.call_ = call;
  call->begin(operation.request);
}

void StartedAccess::stop_unless_sent(const Started& started) noexcept {
  if (started.call_) started.call_->stop_unless_sent();
}

void StartedAccess::disarm(const Started& started) noexcept {
  if (!started.call_) return;
  started.call_->disarm();
  started.call_->stop();
}

}  // namespace detail

Started::Started() noexcept = default;
Started::Started(const Started&) noexcept = default;
Started& Started::operator=(const Started&) noexcept = default;
Started::Started(Started&&) noexcept = default;
Started& Started::operator=(Started&&) noexcept = default;
Started::~Started() = default;

void Started::stop() const noexcept {
  // The completion may destroy this object.
  if (const auto call = call_) call->stop();
}

}}  // namespace noun
