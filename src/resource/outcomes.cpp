#include <noun/outcomes.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>

#include <fmt/format.h>

#include "call/report.hpp"
#include "resource/client_core.hpp"
#include "resource/request_builder.hpp"

namespace noun::inline v0 {
namespace {

/// Where the driver's thread leaves what has come. Owns no client: whoever drops the last one waits for the driver.
struct Board {
  std::mutex mutex;
  std::condition_variable changed;
};

/// An errand that was begun.
struct Slot {
  explicit Slot(const Errand& errand) : target(errand.target), reader(errand.reader) {}

  std::shared_ptr<void> target;
  Reader reader;
  std::stop_source stop;
  /// Hands the caller's wish to stop on.
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  std::optional<Result<void>> result;
};

Result<void> read_answer(const Slot& slot, Done done, const Call& call, std::size_t json_depth) {
  if (done.error) return *std::move(done.error);
  DecodeFault fault;
  if (slot.reader.read != nullptr && !slot.reader.read(slot.reader.target, *done.response, json_depth, fault))
    return call.error_for(ClientCore::finding_of(std::move(fault), std::move(done.response)));
  return Result<void>(std::move(done.response));
}

void post(Board& board, Slot& slot, Result<void> result) {
  const std::lock_guard lock(board.mutex);
  slot.result = std::move(result);
  board.changed.notify_all();
}

}  // namespace

struct OutcomeSource::State {
  void begin(const std::shared_ptr<Slot>& slot, const Intent& intent) const;

  Next next;
  std::size_t in_flight = 1;
  std::deque<std::shared_ptr<Slot>> slots = {};
  bool exhausted = false;
  std::shared_ptr<Board> board = std::make_shared<Board>();
};

void OutcomeSource::State::begin(const std::shared_ptr<Slot>& slot, const Intent& intent) const try {
  auto& core = *intent.address.core();
  // A callback of the driver cannot wait for it.
  if (intent.refused || core.on_driver_thread()) return post(*board, *slot, perform(intent, slot->reader));
  auto request = build_request(core, intent);
  if (!request) return post(*board, *slot, request.error());
  slot->on_stop.emplace(intent.options.stop, [&stop = slot->stop] { stop.request_stop(); });
  const auto depth = core.environment.limits.json_depth;
  core.start(*std::move(request), slot->stop.get_token(), [board = board, slot, depth](Done done, const Call& call) {
    Result<void> result =
        Error(Errc::resource, "the decoder of the answer threw an exception; mend it", Sent::answered);
    try {
      result = read_answer(*slot, std::move(done), call, depth);
    } catch (...) {
    }
    post(*board, *slot, std::move(result));
  });
} catch (const std::exception& exception) {
  post(*board, *slot,
       Error(Errc::resource,
             fmt::format("the call could not be begun in the background: {}; run fewer at a time", exception.what())));
}

OutcomeSource::OutcomeSource(Next next, RunOptions options)
    : state_(std::make_unique<State>(
          State{.next = std::move(next), .in_flight = std::max<std::size_t>(options.in_flight, 1)})) {}
OutcomeSource::OutcomeSource(OutcomeSource&&) noexcept = default;
OutcomeSource& OutcomeSource::operator=(OutcomeSource&& other) noexcept {
  if (this == &other) return *this;
  std::swap(state_, other.state_);
  static_cast<void>(OutcomeSource(std::move(other)));  // what was in flight here is broken off at once
  return *this;
}

OutcomeSource::~OutcomeSource() {
  if (!state_) return;
  for (const auto& slot : state_->slots) {
    slot->on_stop.reset();
    slot->stop.request_stop();
  }
}

std::optional<ErrandOutcome> OutcomeSource::next() {
  auto& state = *state_;
  while (!state.exhausted && state.slots.size() < state.in_flight) {
    const auto errand = state.next();
    state.exhausted = !errand;
    if (!errand) break;
    state.slots.push_back(std::make_shared<Slot>(*errand));
    state.begin(state.slots.back(), errand->intent);
  }
  if (state.slots.empty()) return std::nullopt;
  const auto slot = state.slots.front();
  std::unique_lock lock(state.board->mutex);
  state.board->changed.wait(lock, [&] { return slot->result.has_value(); });
  state.slots.pop_front();
  slot->on_stop.reset();
  return ErrandOutcome{*std::move(slot->result), slot->target};
}

}  // namespace noun::inline v0
