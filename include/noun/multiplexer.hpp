#pragma once
/// @file
/// What carries many attempts at once on one thread: the transport's part of the concurrent driver. A transport that
/// has none is asked for one attempt after the other.

#include <cstdint>
#include <vector>

#include <noun/result.hpp>
#include <noun/time.hpp>
#include <noun/transport.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Attempts under way, each with the promises of Transport::send(). Made by Transport::multiplexer(); independent of
/// the transport afterwards.
/// @threadsafety  used by one thread at a time, but for wake(). A child of fork() may only destroy it, which leaves
///                alone what is the parent's.
class NOUN_API Multiplexer {
 public:
  /// Names an attempt: chosen by the caller, and not twice at the same time.
  using Id = std::uint64_t;
  /// An attempt that ended.
  struct Ended {
    Id id;                    ///< as it was started
    Result<Response> result;  ///< as Transport::send() would have answered
  };

  /// Nothing is under way.
  Multiplexer() = default;
  Multiplexer(const Multiplexer&) = delete;
  Multiplexer& operator=(const Multiplexer&) = delete;
  /// Breaks off what is under way; no result comes of it.
  virtual ~Multiplexer();

  /// Begins an attempt, and does not wait for it. What cannot be begun ends with its error.
  /// @param id       not that of an attempt whose result has not come yet.
  /// @param attempt  everything that is borrowed in it must live until its result has come.
  /// Throws std::bad_alloc, and then has begun nothing.
  virtual void start(Id id, const Attempt& attempt) = 0;
  /// Ends an attempt as `cancelled`, unless it has ended by itself; its result comes with the next wait(). Nothing
  /// happens to an id that is not under way.
  virtual void cancel(Id id) = 0;
  /// Carries all attempts on until some have ended, wake() is called or the time is over; it may return earlier.
  /// @param at_most  zero or less only looks; as long as a Duration can say is for ever.
  /// @returns        those that ended, each once; may be none.
  virtual std::vector<Ended> wait(Duration at_most) = 0;
  /// Ends the wait() that is under way, or else the next one, at once. From any thread.
  virtual void wake() noexcept = 0;
};

}}  // namespace noun
