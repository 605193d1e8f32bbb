#pragma once
/// @file
/// Runs many attempts at once on one thread, for the concurrent driver. A transport without a multiplexer makes one
/// attempt after the other.

#include <cstdint>
#include <vector>

#include <noun/result.hpp>
#include <noun/time.hpp>
#include <noun/transport.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Attempts in progress, each with the guarantees of Transport::send(). Made by Transport::multiplexer(); independent
/// of the transport afterwards.
/// @threadsafety  used by one thread at a time, except for wake(). A child of fork() may only destroy it; this must not
///                affect the parent.
class NOUN_API Multiplexer {
 public:
  /// Identifies an attempt. Chosen by the caller, unique among the attempts in progress.
  using Id = std::uint64_t;
  /// An attempt that ended.
  struct Ended {
    Id id;                    ///< as it was started
    Result<Response> result;  ///< as returned by Transport::send()
  };

  /// Starts without attempts.
  Multiplexer() = default;
  Multiplexer(const Multiplexer&) = delete;
  Multiplexer& operator=(const Multiplexer&) = delete;
  /// Aborts the attempts in progress, without results.
  virtual ~Multiplexer();

  /// Starts an attempt and returns at once. An attempt that cannot start ends with its error.
  /// @param id       not in use by an attempt whose result is outstanding.
  /// @param attempt  its references and views must stay valid until the result is returned.
  /// Throws std::bad_alloc, and then has started nothing.
  virtual void start(Id id, const Attempt& attempt) = 0;
  /// Ends an attempt as `cancelled`, unless it has ended already; the next wait() returns its result. An id that is not
  /// in progress is ignored.
  virtual void cancel(Id id) = 0;
  /// Processes all attempts until some have ended, wake() is called or the time is over. May return earlier.
  /// @param at_most  zero or less polls once; Duration::max() means no limit.
  /// @returns        the attempts that ended, each once; may be empty.
  virtual std::vector<Ended> wait(Duration at_most) = 0;
  /// Ends the current wait() at once, or else the next one. From any thread.
  virtual void wake() noexcept = 0;
};

}}  // namespace noun
