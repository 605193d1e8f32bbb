#include "call/response_meaning.hpp"

#include <algorithm>

namespace noun { inline namespace v0 {
namespace {

bool says_exhausted(const wire::RateLimitReading& reading) noexcept {
  // A limiter whose limit is 0 is disabled.
  const auto is_used_up = [](const wire::ReportedQuota& quota) { return quota.remaining == 0 && quota.limit != 0; };
  return is_used_up(reading) || reading.retry_after.has_value() ||
         std::any_of(reading.more.begin(), reading.more.end(), is_used_up);
}

/// The default wait of a dialect is for rejections that report none. One that used up what remained reports its reset.
void wait_for_reset(wire::RateLimitReading& reading, const Dialect& dialect, WallTime now) {
  if (dialect.default_wait <= Duration::zero() || reading.retry_after || reading.remaining != 0 || !reading.reset) return;
  const auto reference = reading.date ? wire::clamped_wall_time(*reading.date) : now;
  reading.retry_after = wire::time_until(*reading.reset, reference);
}

/// What the head reports of the quota.
quota::Report report_of(const Response& head, const Dialect& dialect, WallTime now) {
  quota::Report report{wire::read_rate_limit(head.headers, dialect, now)};
  report.healthy = !is_server_fault(head.status);
  report.default_wait = dialect.default_wait;
  return report;
}

}  // namespace

std::pair<Verdict, quota::Report> meaning_of(const Response& response, const CallRequest& request,
                                             const Dialect& dialect, WallTime now) {
  auto report = report_of(response, dialect, now);
  const auto verdict = classify_response(response, dialect, says_exhausted(report), request.has_key());
  if (verdict == Verdict::limited) {
    report.outcome = quota::Outcome::rejected;
    if (const auto wait = wait_in_body(response, dialect)) report.retry_after = wait;
    wait_for_reset(report, dialect, now);
  } else if (may_mean_rejection(response.status) && !report.retry_after && request.may_repeat_after(verdict)) {
    report.outcome = quota::Outcome::unavailable;
  }
  if (verdict == Verdict::success && dialect.retry_after_on_success) report.pause = report.retry_after;
  return {verdict, std::move(report)};
}

quota::Report meaning_of_head(const Response& head, const CallRequest& request, const Dialect& dialect, WallTime now) {
  auto report = report_of(head, dialect, now);
  if (classify_status(head.status, dialect, says_exhausted(report), request.has_key()) == Verdict::limited) {
    report.outcome = quota::Outcome::rejected;
    wait_for_reset(report, dialect, now);
  }
  return report;
}

}}  // namespace noun
