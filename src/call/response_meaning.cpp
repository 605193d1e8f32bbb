#include "call/response_meaning.hpp"

#include <algorithm>

namespace noun { inline namespace v0 {
namespace {

bool says_exhausted(const wire::RateLimitReading& reading) noexcept {
  const auto is_used_up = [](const wire::ReportedQuota& quota) { return quota.remaining == 0; };
  return is_used_up(reading) || reading.retry_after.has_value() ||
         std::any_of(reading.more.begin(), reading.more.end(), is_used_up);
}

/// The default wait of a dialect is for rejections that report none. One that used up what remained reports its reset.
void wait_for_reset(wire::RateLimitReading& reading, const Dialect& dialect, WallTime now) {
  if (dialect.default_wait <= Duration::zero() || reading.retry_after || reading.remaining != 0 || !reading.reset) return;
  const auto reference = reading.date ? wire::clamped_wall_time(*reading.date) : now;
  reading.retry_after = wire::time_until(*reading.reset, reference);
}

}  // namespace

ResponseMeaning meaning_of(const Response& response, const CallContext& context, bool has_key, WallTime now) {
  const auto& dialect = context.dialect;
  ResponseMeaning meaning{.report = {.reading = wire::read_rate_limit(response.headers, dialect, now),
                                     .healthy = response.status < 500,
                                     .default_wait = dialect.default_wait}};
  auto& reading = meaning.report.reading;
  meaning.verdict = classify_response(response, dialect, says_exhausted(reading), has_key);
  if (context.judge) meaning.verdict = context.judge(response, meaning.verdict);
  if (meaning.verdict == Verdict::limited) {
    meaning.report.outcome = quota::Outcome::rejected;
    if (const auto wait = wait_in_body(response, dialect)) reading.retry_after = wait;
    wait_for_reset(reading, dialect, now);
  }
  if (meaning.verdict == Verdict::success && dialect.retry_after_on_success) meaning.report.pause = reading.retry_after;
  return meaning;
}

quota::Report meaning_of_head(const Response& head, const CallContext& context, bool has_key, WallTime now) {
  const auto& dialect = context.dialect;
  quota::Report report{.reading = wire::read_rate_limit(head.headers, dialect, now),
                       .healthy = head.status < 500,
                       .default_wait = dialect.default_wait};
  if (classify_status(head.status, dialect, says_exhausted(report.reading), has_key) == Verdict::limited) {
    report.outcome = quota::Outcome::rejected;
    wait_for_reset(report.reading, dialect, now);
  }
  return report;
}

}}  // namespace noun
