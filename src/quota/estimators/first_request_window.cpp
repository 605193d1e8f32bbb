#include "quota/estimators/first_request_window.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The server's clock must be known this exactly before its instants can bound a period.
constexpr Duration narrow_clock = milliseconds(100);
/// A span must be this narrow to imply a period. A reset in whole seconds leaves a span as wide as a short period.
constexpr Duration narrow_period = milliseconds(500);
/// A window that opened before our first request is longer than it seems, by at most this.
constexpr Duration opened_late = milliseconds(150);

}  // namespace

void FirstRequestWindow::on_response(const Observation& seen, const Account& account) {
  if (seen.outcome == Outcome::rejected) search_.on_rejected(seen);
  if (seen.outcome != Outcome::served) return;
  if (seen.news == WindowNews::opened) opened_with_ = seen.sent_before;
  if (seen.window) reported_ = seen.window;
  if (!seen.remaining || !seen.limit) return;
  explained_ = false;
  if (*seen.limit > RequestLog::most_kept || seen.used() < 1 || *seen.remaining < 0) return;
  limit_ = *seen.limit;
  search_.on_response(seen, account.log());
  const RequestLog& log = account.log();
  if (log.size() > limit_ && log.nth_last(1).received <= seen.received_at)
    closest_ = std::min(closest_, seen.received_at - log.nth_last(limit_ + 1).sent);
  const auto reset = seen.near_reset();
  absolute_ = reset && reset->at;
  if (reset) {
    if (reset->grain >= seconds(1))
      if (const auto ahead = reset->ahead_of(seen.date)) compare_resets(seen, *ahead);
    bound_period(seen, log);
  }
  if (const auto known = period())
    explained_ = seen.used() - seen.in_flight.cost <= log.received_since(after(seen.sent_at, -*known));
}

/// The oldest request that the server counts was counted one period before the reset.
void FirstRequestWindow::bound_period(const Observation& seen, const RequestLog& log) noexcept {
  const ResetInterval& reset = *seen.reset;
  const bool clock_is_known = !reset.at || reset.latest - reset.earliest <= narrow_clock;
  if (!seen.began_at_once || seen.perhaps_after.requests > 0 || !clock_is_known || seen.used() > log.size()) return;
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

/// Aligned windows of a usual length end a multiple of it apart. A window that our request opens ends one period after
/// that request. If the request was late by less than the resolution of Date, both roundings make the distance a second
/// longer.
void FirstRequestWindow::compare_resets(const Observation& seen, const DurationSpan& ahead) noexcept {
  const bool opens = seen.used() == 1 && seen.alone();
  std::optional<std::chrono::sys_seconds> reset;
  if (seen.reset->at) reset = std::chrono::floor<seconds>(*seen.reset->at);
  const bool comparable = last_opening_ && last_opening_->reset && reset;
  if (opens)
    doubtful_ = comparable && by_resets_ && seen.sent_at - last_opening_->sent < *by_resets_ + milliseconds(500) &&
                *reset - *last_opening_->reset > std::chrono::floor<seconds>(*by_resets_);
  if (opens && comparable && one_reset_ && used_up_) {
    const auto period = the_round_one_in(ahead);
    const bool late = period && *reset - *last_opening_->reset == std::chrono::floor<seconds>(*period) + seconds(1);
    if (late && period == the_round_one_in(last_opening_->ahead)) by_resets_ = period;
  }
  if (opens) last_opening_ = Opening{seen.sent_at, ahead, reset};
  one_reset_ = opens || (one_reset_ && comparable && reset == last_opening_->reset);
  used_up_ = !opens && (used_up_ || *seen.remaining == 0);
}

std::optional<Duration> FirstRequestWindow::by_spans() const noexcept {
  if (!absolute_ && span_.up_to - span_.over > narrow_period) return std::nullopt;
  return the_round_one_in({span_.over, span_.up_to + opened_late});
}

std::optional<Duration> FirstRequestWindow::period() const noexcept {
  auto period = reported_ ? reported_ : search_.guess();
  if (!period && by_resets_ && *by_resets_ <= closest_) period = by_resets_;
  if (const auto now = by_spans(); !period && (absolute_ || now == before_)) period = now;
  if (period && absolute_ && !reported_ && period != search_.found() && search_.may_be_aligned(*period)) return {};
  if (search_.extended_at()) return search_.found();
  if (!period || *period > longest_period || *period <= refuted_) return std::nullopt;
  return period;
}

std::optional<Claim> FirstRequestWindow::claim(Instant, const PermitRequest& request,
                                               const Account& account) const noexcept {
  if (!explained_) return std::nullopt;
  const auto known = period();
  const std::int64_t last = account.last_of(limit_, request.wanted());
  if (known && search_.extended_at() && last >= 1) return Claim{.earliest = after(*search_.extended_at(), *known)};
  const auto freed = known ? account.log().freed_at(last, *known) : std::nullopt;
  if (!freed) return std::nullopt;
  // If fewer requests than the limit were sent in this window, the window admits them as well and proves nothing.
  return Claim{.earliest = *freed, .conclusive = account.sent().requests - opened_with_ >= limit_};
}

}}}  // namespace noun::quota
