#include "quota/estimators/first_request_window.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// A span must be this narrow to imply a period. A reset in whole seconds leaves a span as wide as a short period.
constexpr Duration narrow_period = std::chrono::milliseconds(500);
/// A window that opened before our first request is longer than it seems, by at most this.
constexpr Duration opened_late = std::chrono::milliseconds(150);

}  // namespace

void FirstRequestWindow::on_response(const Observation& seen, const Account& account) {
  if (seen.outcome == Outcome::rejected) search_.on_rejected();
  if (seen.outcome != Outcome::served) return;
  if (seen.news == WindowNews::opened) opened_with_ = seen.sent_before;
  if (seen.window) reported_ = seen.window;
  if (!seen.remaining || !seen.limit) return;
  explained_ = false;
  if (*seen.limit > RequestLog::most_kept || seen.used() < 1 || *seen.remaining < 0) return;
  limit_ = *seen.limit;
  search_.on_response(seen, account.log());
  const RequestLog& log = account.log();
  if (seen.near_reset() && !seen.reset->at) bound_period(seen, log);
  if (const auto known = period())
    explained_ = seen.used() - seen.in_flight.cost <= log.received_since(after(seen.sent_at, -*known));
}

/// The oldest request that the server counts was counted one period before the reset, which is a duration: an instant in
/// whole seconds would also fit a window that is a second longer and opened before the request.
void FirstRequestWindow::bound_period(const Observation& seen, const RequestLog& log) noexcept {
  const ResetInterval& reset = *seen.reset;
  if (!seen.began_at_once || seen.perhaps_after.requests > 0 || seen.used() > log.size()) return;
  const auto& oldest = log.nth_last(seen.used());
  const InstantSpan ends = reset.if_rounded_up();
  const DurationSpan span{ends.earliest - oldest.received, ends.latest - oldest.sent};
  const bool another_window = oldest.sent - oldest_ > span_.over;
  if (another_window) before_ = by_spans();
  if (another_window || span.over >= span_.up_to || span.up_to <= span_.over) {
    span_ = span;
    oldest_ = oldest.sent;
  } else {
    span_ = {std::max(span_.over, span.over), std::min(span_.up_to, span.up_to)};
  }
}

std::optional<Duration> FirstRequestWindow::by_spans() const noexcept {
  if (span_.up_to - span_.over > narrow_period) return std::nullopt;
  return the_round_one_in({span_.over, span_.up_to + opened_late});
}

std::optional<Duration> FirstRequestWindow::period() const noexcept {
  auto period = reported_ ? reported_ : search_.found();
  if (const auto now = by_spans(); !period && now == before_) period = now;
  if (!period || *period > longest_period || *period <= refuted_) return std::nullopt;
  return period;
}

std::optional<Claim> FirstRequestWindow::claim(Instant, const PermitRequest& request,
                                               const Account& account) const noexcept {
  if (!explained_) return std::nullopt;
  const auto known = period();
  const std::int64_t last = account.last_of(limit_, request.wanted());
  const auto freed = known ? account.log().freed_at(last, *known) : std::nullopt;
  if (!freed) return std::nullopt;
  // If fewer requests than the limit were sent in this window, the window admits them as well and proves nothing.
  return Claim{.earliest = *freed, .conclusive = account.sent().requests - opened_with_ >= limit_};
}

}}}  // namespace noun::quota
