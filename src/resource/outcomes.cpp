#include <noun/operation.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <stop_token>
#include <utility>

#include <fmt/format.h>

#include "call/report.hpp"
#include "resource/client_core.hpp"
#include "resource/request_builder.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// A converted -1 is above it.
constexpr std::size_t most_in_flight = 1'000'000;

/// Notifies the consumer of new results. It must not own a client: the release of the last one waits for the driver.
struct Board {
  std::mutex mutex;
  std::condition_variable changed;
};

/// An operation that was started.
struct Slot {
  explicit Slot(const ErasedOperation& operation) : target(operation.target), reader(operation.reader) {}

  std::shared_ptr<void> target;
  Reader reader;
  std::stop_source stop;
  /// Passes the caller's stop request on.
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  std::optional<Result<void>> result;
};

Result<void> read_response(const ClientCore& core, const Slot& slot, Done done, const Call& call) {
  if (done.error) return *std::move(done.error);
  DecodeFault fault;
  if (!core.read(slot.reader, *done.response, fault))
    return call.error_for(ClientCore::failure_of(std::move(fault), std::move(done.response)));
  return Result<void>(std::move(done.response));
}

void post(Board& board, Slot& slot, Result<void> result) noexcept {
  const std::lock_guard lock(board.mutex);
  slot.result = std::move(result);
  board.changed.notify_all();
}

}  // namespace

struct OutcomeSource::State {
  void fill();
  void start(const std::shared_ptr<Slot>& slot, const OperationRequest& request) const noexcept;
  Error not_started(const std::exception_ptr& why) const noexcept;

  Next next;
  std::size_t in_flight = 1;
  /// Set if the options are invalid: the result of every operation.
  std::optional<Error> refused = {};
  /// Made in advance, for when memory runs out.
  const Error exhausted =
      Error(Errc::resource, "out of memory while starting the call", "lower RunOptions::in_flight", Sent::maybe);
  const Error undecoded =
      Error(Errc::resource, "the decoder of the response threw an exception", "fix the decoder", Sent::answered);
  /// The one to start next.
  std::optional<ErasedOperation> operation = {};
  std::deque<std::shared_ptr<Slot>> slots = {};
  bool no_more = false;
  std::shared_ptr<Board> board = std::make_shared<Board>();
};

/// Starts as many as allowed. If memory runs out, the operation stays the next one to start.
void OutcomeSource::State::fill() {
  while (!no_more && slots.size() < in_flight) {
    if (!operation) operation = next();
    no_more = !operation;
    if (!operation) break;
    slots.push_back(std::make_shared<Slot>(*operation));
    const auto started = std::exchange(operation, std::nullopt);
    start(slots.back(), started->request);
  }
}

/// Posts a result to the slot in every case: the consumer waits for it.
void OutcomeSource::State::start(const std::shared_ptr<Slot>& slot, const OperationRequest& request) const noexcept
    try {
  if (refused) return post(*board, *slot, *refused);
  auto& core = *AddressAccess::core_of(request.address);
  // A callback on the driver's thread cannot wait for that thread.
  if (request.refused || core.on_driver_thread()) return post(*board, *slot, perform(request, slot->reader));
  auto call_request = build_request(core, request);
  if (!call_request) return post(*board, *slot, call_request.error());
  slot->on_stop.emplace(request.options.stop, [&stop = slot->stop] { stop.request_stop(); });
  core.start(*std::move(call_request), slot->stop.get_token(),
             [board = board, slot, &core, undecoded = undecoded](Done done, const Call& call) {
               Result<void> result = undecoded;
               try {
                 result = read_response(core, *slot, std::move(done), call);
               } catch (...) {
               }
               post(*board, *slot, std::move(result));
             });
} catch (...) {
  post(*board, *slot, not_started(std::current_exception()));
}

Error OutcomeSource::State::not_started(const std::exception_ptr& why) const noexcept try {
  std::rethrow_exception(why);
} catch (const std::bad_alloc&) {
  return exhausted;
} catch (const std::exception& exception) {
  try {
    return Error(Errc::resource, fmt::format("the call could not be started in the background: {}", exception.what()),
                 "lower RunOptions::in_flight");
  } catch (...) {
    return exhausted;
  }
} catch (...) {
  return exhausted;
}

OutcomeSource::OutcomeSource(Next next, RunOptions options)
    : state_(std::make_unique<State>(
          State{.next = std::move(next), .in_flight = std::max<std::size_t>(options.in_flight, 1)})) {
  if (options.in_flight <= most_in_flight) return;
  state_->refused =
      refusal(Errc::invalid_argument, "RunOptions::in_flight must be 0 to 1,000,000", "fix RunOptions::in_flight");
  state_->in_flight = 1;
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
  for (const auto& slot : state_->slots) {
    slot->on_stop.reset();
    slot->stop.request_stop();
  }
}

std::optional<ErasedResult> OutcomeSource::next() {
  auto& state = *state_;
  state.fill();
  if (state.slots.empty()) return std::nullopt;
  const auto slot = state.slots.front();
  std::unique_lock lock(state.board->mutex);
  state.board->changed.wait(lock, [&] { return slot->result.has_value(); });
  state.slots.pop_front();
  slot->on_stop.reset();
  return ErasedResult{*std::move(slot->result), slot->target};
}

}}}  // namespace noun::detail
