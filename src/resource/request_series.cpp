#include "resource/request_series.hpp"

#include <utility>

#include <fmt/format.h>

namespace noun { inline namespace v0 { namespace detail {

Result<void> run(ClientCore& core, RequestSeries& series, std::optional<CallRequest> request, const Reader& reader) {
  while (request) {
    std::optional<CallRequest> next;
    {
      auto call = core.call(*request);
      auto done = core.run(call, series.stop());
      next = series.next(done, call);
      if (!next) return series.result(std::move(done), call, reader);
    }
    request = std::move(next);
  }
  return series.result(reader);
}

std::optional<Failure> fault_of_wait(const ClientCore& core, const PollWait& wait, Now now,
                                     std::shared_ptr<const Response> response) {
  if (!wait.is_reported || wait.span <= core.call_context.dialect.farthest_reset) return std::nullopt;
  return Failure{.code = Errc::refused,
                 .stopped_because = StopReason::time,
                 .what = fmt::format("the server reported a wait of {} before the next request, which is longer than "
                                     "ClientOptions::dialect.farthest_reset",
                                     readable(wait.span)),
                 .advice = "raise it if the wait is right",
                 .retry_at = wall_time_of(after(now.steady, wait.span), now),
                 .response = std::move(response)};
}

void observe_wait(ClientCore& core, const Response& response, const Redaction& redaction, const Call* call,
                  Instant until, Now now) {
  if (!core.call_context.observed) return;
  core.driver_context.notify({{.kind = EventKind::polling,
                               .call = call != nullptr ? call->history().call : 0,
                               .method = call != nullptr ? call->request().method : Method::get,
                               .url = redaction.url(),
                               .at = now.wall,
                               .status = response.status,
                               .wait = until - now.steady,
                               .until = wall_time_of(until, now),
                               .percent = percent_in(response, core.call_context.dialect.polling)}});
}

}}}  // namespace noun::detail
