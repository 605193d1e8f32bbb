#include "loop/driver.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "call/report.hpp"
#include "decision/progress_pace.hpp"
#include "loop/counted_source.hpp"

namespace noun { inline namespace v0 {

void DriverContext::notify(const std::vector<Event>& events) noexcept {
  if (!observer) return;
  for (const auto& event : events) try {
      observer(event);
    } catch (...) {
      ++observer_faults;
    }
}

void DriverContext::publish(Call& call, Send* send) noexcept {
  if (observer || trace_context) {
    const auto events = call.take_events();
    notify(events);
    if (send != nullptr && !events.empty()) try {
        complete(call, *send, events.back());
      } catch (...) {
        ++observer_faults;
      }
  }
  wake(*call.gate());
}

void DriverContext::complete(Call& call, Send& send, const Event& sent) {
  if (send.source != nullptr && observer) {
    const auto report = [this, &call, size = send.source->size(), pace = ProgressPace()](std::uint64_t bytes) mutable {
      try {
        const auto now = clock->now();
        if (pace.is_due(now.steady) || bytes == size) notify({call.sent_progress(now, bytes, size)});
      } catch (const std::bad_alloc&) {
        // The next report has these bytes too.
      }
    };
    call.read_from(send, std::make_shared<CountedSource>(*send.source, report));
  }
  if (trace_context) call.trace(send, trace_context(sent));
}

void wake(quota::Gate& gate, Clock& clock) noexcept try {
  for (const auto& woken : gate.take_woken())
    if (woken.sleeper)
      woken.sleeper->on_woken(woken.number);
    else
      clock.wake(*woken.counter);
} catch (const std::bad_alloc&) {
  // The calls wake by themselves when their wait ends.
}

Attempt DriverContext::attempt_of(const Send& send, Now now) const noexcept {
  return {.method = send.method,
          .url = send.url,
          .headers = *send.headers,
          .body = send.body,
          .has_body = send.has_body,
          .source = send.source,
          .sink = send.sink,
          .timeout = std::max(send.deadline - now.steady, Duration(1)),
          .timeouts = send.timeouts != nullptr ? *send.timeouts : timeouts,
          .limits = send.limits != nullptr ? *send.limits : limits,
          .fresh_connection = send.fresh_connection,
          .secrets = known_secrets.get(),
          .dialect = dialect};
}

Result<Response> DriverContext::attempt(const Send& send, Now now, const StopToken& stop) try {
  return transport->send(attempt_of(send, now), stop);
} catch (const std::bad_alloc&) {
  return out_of_memory(Sent::maybe);
} catch (const std::exception& exception) {
  return Error(Errc::send, fmt::format("the transport threw an exception: {}", exception.what()),
               "fix ClientOptions::transport", Sent::maybe);
} catch (...) {
  return Error(Errc::send, "the transport threw an exception", "fix ClientOptions::transport", Sent::maybe);
}

}}  // namespace noun
