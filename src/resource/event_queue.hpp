#pragma once
/// @file
/// The events of a stream between the thread that receives them and the one that takes them.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <noun/detail/stream_source.hpp>
#include <noun/result.hpp>
#include <noun/stop.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// Keeps no more than 64 KiB of events and one event. Both sides exchange many events at once, so that a short event
/// does not cost a lock and a wake-up.
/// @threadsafety  safe; put() by one thread at a time, and the functions that take by one thread at a time.
class [[gnu::visibility("hidden")]] EventQueue {
 public:
  using Next = StreamSource::Next;

  /// As much as put() should be given at once, by size_of().
  static constexpr std::size_t most_at_once = std::size_t{16} * 1024;
  /// What an event occupies. A server may send events without data, and repeat a long id with each.
  static std::size_t size_of(const RawEvent& event) noexcept {
    return sizeof(event) + event.data.size() + event.event.size() + event.id.size();
  }

  /// Adds these events and clears `events`.
  /// @param waits  whether it waits while enough of them wait for the program, until stop().
  void put(std::vector<RawEvent>& events, bool waits = true);
  /// After the last put(), or in place of all; again it has no effect.
  void end(std::optional<Error> error) noexcept;
  /// put() does not wait any more.
  void stop() noexcept;

  /// Waits for the next event. After the last one the error, once, and then nothing.
  Next take();
  /// Whether take() would not wait, or a stop is requested.
  /// @param then  called once when that is so, unless it is so now; in put(), end() or cancel_take().
  bool start_take(const StopToken& stop, std::function<void()> then);
  /// Ends start_take(). From any thread.
  void cancel_take() noexcept;
  /// What take() would return, or the error `cancelled` if it would wait.
  Next take_now();
  /// Nothing more is taken.
  void finish() noexcept { is_over_ = true; }

 private:
  bool may_take() const noexcept { return !waiting_.empty() || ended_; }
  std::optional<Next> take_of_batch();
  Next take_last_of_batch();
  Next take_waiting();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RawEvent> waiting_;
  std::size_t bytes_ = 0;  // of waiting_ and of the batch that is being taken
  bool stopped_ = false;
  bool ended_ = false;
  std::optional<Error> error_;
  std::function<void()> then_;

  // Used by who takes. The batch that is being taken is not empty while events of it are left.
  bool is_over_ = false;
  std::vector<RawEvent> batch_;
  std::size_t taken_ = 0;
  std::size_t batch_bytes_ = 0;
};

}}}  // namespace noun::detail
