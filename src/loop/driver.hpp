#pragma once
/// @file
/// What every driver needs to run calls: transport, clock and observer.

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include <noun/clock.hpp>
#include <noun/event.hpp>
#include <noun/limits.hpp>
#include <noun/transport.hpp>

#include "call/call.hpp"

namespace noun { inline namespace v0 {

/// Wakes the calls that the gate lets proceed, in any driver, and the driver of a shared gate.
void wake(quota::Gate& gate, Clock& clock) noexcept;

/// The dependencies of one client's calls. Safe to use from many threads; outlives the calls.
struct DriverContext {
  std::shared_ptr<Transport> transport;
  std::shared_ptr<Clock> clock;
  Timeouts timeouts;
  Limits limits;
  /// Those of the CallContext.
  std::shared_ptr<const KnownSecrets> known_secrets;
  const Dialect* dialect = nullptr;
  std::function<void(const Event&)> observer;
  /// As ClientOptions::trace_context.
  std::function<TraceContext(const Event& sent)> trace_context;
  /// Returns the credentials of an attempt. May take long and may call noun. The drivers call it without a lock or a
  /// permit, and not on a thread that other calls need; many at once.
  std::function<Result<Headers>(const Authorize& authorize, const StopToken& stop)> credentials;
  /// The number of exceptions from the observer, which are dropped.
  std::atomic<std::uint64_t> observer_faults{0};

  /// Passes the events to the observer, if there is one.
  void notify(const std::vector<Event>& events) noexcept;
  /// Notifies the observer of what the call did, and completes the attempt that it sends next, if it does.
  /// @param send  null, or of the call's last step.
  void publish(Call& call, Send* send) noexcept;
  /// To be called after each event of a call.
  void wake(quota::Gate& gate) noexcept { v0::wake(gate, *clock); }
  /// The attempt for the transport; a view of `send`.
  Attempt attempt_of(const Send& send, Now now) const noexcept;
  /// Makes the attempt; an exception from the transport becomes an error.
  Result<Response> attempt(const Send& send, Now now, const StopToken& stop);

 private:
  void complete(Call& call, Send& send, const Event& sent);
};

}}  // namespace noun
