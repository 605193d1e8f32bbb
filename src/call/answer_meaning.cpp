#include "call/answer_meaning.hpp"

#include <algorithm>

namespace noun { inline namespace v0 {
namespace {

bool says_exhausted(const wire::RateLimitReading& reading) noexcept {
  const auto is_used_up = [](const wire::ToldQuota& told) { return told.remaining == 0; };
  return is_used_up(reading) || reading.retry_after.has_value() ||
         std::any_of(reading.more.begin(), reading.more.end(), is_used_up);
}

}  // namespace

AnswerMeaning meaning_of(const Response& answer, const CallEnvironment& environment, bool has_key, WallTime now) {
  const auto& dialect = environment.dialect;
  AnswerMeaning meaning{
      .told = {.reading = wire::read_rate_limit(answer.headers, dialect, now), .default_wait = dialect.default_wait}};
  auto& reading = meaning.told.reading;
  meaning.verdict = classify_answer(answer, dialect, says_exhausted(reading), has_key);
  if (environment.judge) meaning.verdict = environment.judge(answer, meaning.verdict);
  const bool rejected = meaning.verdict == Verdict::limited;
  if (rejected) meaning.told.outcome = quota::Outcome::rejected;
  if (rejected)
    if (const auto wait = wait_in_body(answer, dialect)) reading.retry_after = wait;
  if (meaning.verdict == Verdict::success && dialect.retry_after_on_success) meaning.told.pause = reading.retry_after;
  return meaning;
}

quota::Report meaning_of_head(const Response& head, const CallEnvironment& environment, bool has_key, WallTime now) {
  const auto& dialect = environment.dialect;
  quota::Report told{.reading = wire::read_rate_limit(head.headers, dialect, now),
                     .default_wait = dialect.default_wait};
  if (classify_status(head.status, dialect, says_exhausted(told.reading), has_key) == Verdict::limited)
    told.outcome = quota::Outcome::rejected;
  return told;
}

}}  // namespace noun
