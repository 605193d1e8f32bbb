#pragma once
/// @file
/// Our own requests of the last while, and the period in which the service counts them. A window that begins with its
/// first request, and one that slides, both free a permit one period after a request was counted: who keeps to that is
/// safe in either, whatever the rounding of the told reset says. Learns the period; admits nothing.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include <noun/time.hpp>

#include "quota/server_clock.hpp"
#include "quota/turn_signs.hpp"

namespace noun { inline namespace v0 {

/// What an answer says about the requests before it.
struct SpendReport {
  Instant sent = {};
  Instant received = {};
  std::int64_t limit = 0;
  std::int64_t used = 0;    ///< limit - remaining
  std::int64_t others = 0;  ///< in flight when it was answered: perhaps counted, perhaps not
  /// No other request was in flight from when it was sent, and the window that it was counted in was begun by us as
  /// soon as the one before had ended.
  bool tells_period = false;
  std::optional<InstantSpan> reset = {};  ///< when the service frees what it counts, rounded up at most
  bool absolute = false;                  ///< the reset is an instant on the service's clock, not a span
  std::optional<Duration> window = {};    ///< the period, where the service tells it
  bool alone = false;                     ///< no other request was in flight with it
  std::optional<DurationSpan> told = {};  ///< how far ahead a reset in whole seconds was, by the server's clock
  std::optional<std::chrono::sys_seconds> told_at = {};  ///< the reset, where it is a whole second of that clock
};

/// The log of one quota.
class SpendLog {
 public:
  /// A request was counted, or may have been, between these instants; in the order of `received`.
  void record(Instant sent, Instant received);
  /// Takes in an answer, whose request was recorded just before.
  void learn(const SpendReport& report);
  /// A request that went by this log alone was served, or rejected: a rejected guess is never made again.
  void confirm() noexcept { confirmed_ = confirmed_ || !signs_.doubtful(); }
  void refute() noexcept;
  bool confirmed() const noexcept { return confirmed_; }

  /// The period, if it is told or a good guess: the one round number that the answers of this window allow, and where
  /// resets are told as spans, that those of the window before allowed as well.
  std::optional<Duration> period() const noexcept;
  /// When the service will have forgotten enough of what we sent for `cost` more requests, `in_flight` being under way;
  /// nothing if that cannot be told.
  std::optional<Instant> free_at(std::int64_t limit, std::int64_t in_flight, std::int64_t cost) const noexcept;
  /// Whether what we sent is forgotten at instants that this log knows better than any told reset does.
  bool outruns_resets() const noexcept;
  /// Whether the service forgets our requests one by one, so that no reset frees them all.
  bool slides() const noexcept;

 private:
  struct Entry {
    Instant sent;
    Instant received;
  };

  void learn_signs(const SpendReport& report);
  std::int64_t certainly_counted(const SpendReport& report, Duration period) const noexcept;
  std::int64_t counted_since(Instant when) const noexcept;
  void narrow(Duration shortest, Duration longest, Instant oldest) noexcept;
  std::optional<Duration> guess() const noexcept;

  std::deque<Entry> entries_;
  std::size_t kept_ = 0;    // entries that are worth keeping: the limit, and what may be in flight
  Duration shortest_ = {};  // the period is longer, by the answers of this window
  Duration longest_ = {};   // and not longer
  bool absolute_ = false;
  Instant oldest_ = {};                  // what the last answer counted from
  std::optional<Duration> before_ = {};  // the guess of the window before
  std::optional<Duration> told_ = {};
  TurnSigns signs_;
  Duration closest_ = Duration::max();    // one more than the limit was served within so long
  Instant before_sent_ = Instant::min();  // when the last request went of which an answer told
  Duration refuted_ = Duration::zero();   // it is longer than this
  bool explained_ = false;                // all that the service counts is ours
  bool confirmed_ = false;
};

}}  // namespace noun
