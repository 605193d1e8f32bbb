#include <noun/operation.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "call/report.hpp"
#include "resource/background_call.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// A converted -1 is above it.
constexpr std::size_t most_in_flight = 1'000'000;

class Slot;

/// Wakes the consumer when the operation that it waits for has ended, and for no other. The consumer runs the calls
/// while it waits; it sleeps if another thread runs them.
struct Board {
  std::mutex mutex;
  std::condition_variable ended;
  const Slot* awaited = nullptr;
};

/// An operation that was started. It must not own its client: the release of the last one waits for the driver.
class Slot final : public BackgroundCall {
 public:
  Slot(const ErasedOperation& operation, std::shared_ptr<Board> board)
      : BackgroundCall(operation), board_(std::move(board)) {}

  void wait() {
    const auto has_ended = [this] {
      const std::lock_guard lock(board_->mutex);
      board_->awaited = ended_ ? nullptr : this;
      return ended_;
    };
    if (has_ended()) return;
    core().driver().run_until(has_ended);
    std::unique_lock lock(board_->mutex);
    board_->ended.wait(lock, [this] { return ended_; });
    board_->awaited = nullptr;
  }

 private:
  bool waiter_runs_loop() const noexcept override { return true; }
  bool is_awaited() const noexcept override { return true; }
  void ended() noexcept override {
    const std::lock_guard lock(board_->mutex);
    ended_ = true;
    if (board_->awaited != this) return;
    board_->ended.notify_one();
    core().driver().wake();
  }

  const std::shared_ptr<Board> board_;
  bool ended_ = false;
};

}  // namespace

struct OutcomeSource::State {
  /// An operation in flight, and its client, which may have no other owner left.
  struct Started {
    std::shared_ptr<ClientCore> client;
    std::shared_ptr<Slot> slot;
  };

  std::optional<ErasedOperation> take();
  void fill();

  Next next;
  /// What `next` has thrown, other than std::bad_alloc.
  std::exception_ptr failed = {};
  std::size_t in_flight = 1;
  /// Set if the options are invalid: the result of every operation.
  std::optional<Error> refused = {};
  /// The one to start next.
  std::optional<ErasedOperation> operation = {};
  std::deque<Started> started = {};
  bool no_more = false;
  std::shared_ptr<Board> board = std::make_shared<Board>();
};

/// The next operation; nothing after the last, nor where `next` failed as long as results before that are not read.
std::optional<ErasedOperation> OutcomeSource::State::take() {
  if (!failed) try {
      return next();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      failed = std::current_exception();
    }
  if (started.empty()) std::rethrow_exception(failed);
  return std::nullopt;
}

/// Starts as many as allowed. If memory runs out, the operation stays the next one to start.
void OutcomeSource::State::fill() {
  while (!no_more && started.size() < in_flight) {
    if (!operation) operation = take();
    no_more = !operation && !failed;
    if (!operation) break;
    started.push_back({AddressAccess::core_of(operation->request.address), std::make_shared<Slot>(*operation, board)});
    const auto next_one = std::exchange(operation, std::nullopt);
    started.back().slot->begin(next_one->request);
  }
}

OutcomeSource::OutcomeSource(Next next, RunOptions options)
    : state_(std::make_unique<State>(
          State{.next = std::move(next), .in_flight = std::max<std::size_t>(options.in_flight, 1)})) {
  if (options.in_flight <= most_in_flight) return;
  state_->refused = refusal(Errc::invalid_argument, "in_flight must be 0 to 1,000,000",
                            "fix in_flight in the options of run_all() or get_all()");
}
OutcomeSource::OutcomeSource(OutcomeSource&&) noexcept = default;
OutcomeSource& OutcomeSource::operator=(OutcomeSource&& other) noexcept {
  if (this == &other) return *this;
  std::swap(state_, other.state_);
  static_cast<void>(OutcomeSource(std::move(other)));  // cancels what was in flight here
  return *this;
}

OutcomeSource::~OutcomeSource() {
  if (!state_) return;
  for (const auto& one : state_->started) one.slot->stop();
}

std::optional<ErasedResult> OutcomeSource::next() {
  auto& state = *state_;
  if (state.refused) {
    const auto operation = state.take();
    return operation ? std::optional(ErasedResult{*state.refused, nullptr}) : std::nullopt;
  }
  if (on_a_loop_thread()) {
    std::optional<ErasedOperation> operation;
    if (state.started.empty()) operation = std::exchange(state.operation, std::nullopt);
    if (state.started.empty() && !operation) operation = state.take();
    if (state.started.empty() && !operation) return std::nullopt;
    if (!state.started.empty()) {
      state.started.front().slot->stop();
      state.started.pop_front();
    }
    return ErasedResult{refusal_to_wait(), nullptr};
  }
  state.fill();
  if (state.started.empty()) return std::nullopt;
  const auto front = state.started.front();
  front.slot->wait();
  state.started.pop_front();
  return front.slot->read();
}

}}}  // namespace noun::detail
