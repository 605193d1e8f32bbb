#include "loop/blocking.hpp"

namespace noun { inline namespace v0 {

Done run_blocking(Call& call, DriverContext& context, const StopToken& stop) try {
  auto& clock = *context.clock;
  auto now = clock.now();
  auto step = stop.stop_requested() ? call.on_cancel(now) : call.begin(now);
  for (;;) {
    context.publish(call, std::get_if<Send>(&step));
    if (auto* done = std::get_if<Done>(&step)) return std::move(*done);
    if (const auto* send = std::get_if<Send>(&step)) {
      // Read the clock again: the observer may have been slow.
      auto response = context.attempt(*send, clock.now(), stop);
      now = clock.now();
      step = call.on_response(now, std::move(response));
    } else if (const auto* authorize = std::get_if<Authorize>(&step)) {
      auto credentials = context.credentials(*authorize, stop);
      now = clock.now();
      step = stop.stop_requested() ? call.on_cancel(now) : call.on_credentials(now, std::move(credentials));
    } else {
      const auto& wait = std::get<Wait>(step);
      clock.wait(wait.until, wait.ticket, stop);
      now = clock.now();
      step = stop.stop_requested() ? call.on_cancel(now) : call.on_wake(now);
    }
  }
} catch (...) {
  call.abandon(context.clock->now(), Errc::resource);
  context.publish(call, nullptr);
  throw;
}

}}  // namespace noun
