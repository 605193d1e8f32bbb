#include "quota/quota_bucket.hpp"

#include <algorithm>
#include <limits>

namespace noun { inline namespace v0 {
namespace {

/// A service that names ever new policies is not to fill memory.
constexpr std::size_t most_policies = 32;
constexpr std::size_t no_place = std::numeric_limits<std::size_t>::max();

/// Of two holds the one that says more: the longest that is certain, or else the longer look.
bool outweighs(const QuotaState::Decision& hold, const QuotaState::Decision& other) noexcept {
  if (is_definite(hold.reason) != is_definite(other.reason)) return is_definite(hold.reason);
  return hold.until > other.until;
}

/// What an answer says to one of several policies. A rejection is the fault of those of which nothing is left; where
/// none says so, of the first.
QuotaAnswer answer_to(const wire::ToldQuota& told, const QuotaAnswer& answer, bool at_fault) {
  QuotaAnswer part{
      .rejected = answer.rejected && at_fault, .answered = answer.answered, .default_wait = answer.default_wait};
  static_cast<wire::ToldQuota&>(part.reading) = told;
  part.reading.date = answer.reading.date;
  if (at_fault) part.reading.retry_after = answer.reading.retry_after;
  return part;
}

bool any_is_exhausted(const wire::RateLimitReading& reading) noexcept {
  return std::any_of(reading.more.begin(), reading.more.end(), [](const auto& told) { return told.remaining == 0; });
}

std::int64_t strictness(const QuotaReading& reading) noexcept {
  return reading.remaining.value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

/// Where another policy tells what is left, the first is no reason to be careful.
QuotaPolicy QuotaBucket::policy_of_first(QuotaPolicy policy) const noexcept {
  const bool another_tells =
      std::any_of(more_.begin(), more_.end(), [](const Named& named) { return named.state.told(); });
  if (another_tells && !first_.told()) policy.in_flight_unknown = std::numeric_limits<std::size_t>::max();
  return policy;
}

QuotaBucket::Decision QuotaBucket::admit(Instant now, QuotaPolicy policy, const QuotaAsk& ask) {
  std::optional<QuotaState::Decision> held;
  const auto hold = [&](const QuotaState::Decision& decision) {
    if (!held || outweighs(decision, *held)) held = decision;
  };
  const auto first = first_.admit(now, policy_of_first(policy), ask);
  if (!first.admitted) hold(first);
  BucketTicket ticket{.first = first.ticket};
  policy.in_flight_unknown = std::numeric_limits<std::size_t>::max();
  for (std::size_t place = 0; place < more_.size(); ++place) {
    const auto next = more_[place].state.admit(now, policy, ask);
    if (next.admitted)
      ticket.more.emplace_back(place, next.ticket);
    else
      hold(next);
  }
  if (!held) return {.admitted = true, .ticket = std::move(ticket)};
  if (first.admitted) first_.give_back(first.ticket);
  for (const auto& [place, taken] : ticket.more) more_[place].state.give_back(taken);
  return {.until = held->until, .reason = held->reason};
}

BucketTicket QuotaBucket::adopt(Instant now, std::uint32_t route) {
  BucketTicket ticket{.first = first_.adopt(now, route)};
  for (std::size_t place = 0; place < more_.size(); ++place)
    ticket.more.emplace_back(place, more_[place].state.adopt(now, route));
  return ticket;
}

std::size_t QuotaBucket::place_of(std::string_view name) {
  const auto found = std::find_if(more_.begin(), more_.end(), [&](const Named& named) { return named.name == name; });
  if (found != more_.end()) return static_cast<std::size_t>(found - more_.begin());
  if (more_.size() == most_policies) return no_place;
  more_.push_back({std::string(name)});
  return more_.size() - 1;
}

bool QuotaBucket::settle(const BucketTicket& ticket, Now sent, Now received, const QuotaAnswer& answer,
                         QuotaNote& note) {
  bool news = false;
  const auto settle_one = [&](QuotaState& state, const PermitTicket& permit, const QuotaAnswer& part) {
    const QuotaOutlook before = state.outlook();
    const QuotaNote said = state.settle(permit, sent, received, part);
    if (note == QuotaNote::none) note = said;
    news = news || state.outlook() != before;
  };
  const bool first_exhausted = answer.reading.remaining == 0;
  const bool first_at_fault = first_exhausted || !any_is_exhausted(answer.reading);
  QuotaAnswer to_first = answer;
  to_first.rejected = answer.rejected && first_at_fault;
  settle_one(first_, ticket.first, to_first);

  std::vector<bool> told(more_.size(), false);
  for (const auto& quota : answer.reading.more) {
    const std::size_t place = place_of(quota.name);
    if (place == no_place) continue;
    if (place < told.size()) told[place] = true;
    const auto had =
        std::find_if(ticket.more.begin(), ticket.more.end(), [&](const auto& taken) { return taken.first == place; });
    QuotaState& state = more_[place].state;
    const PermitTicket permit = had != ticket.more.end() ? had->second : state.adopt(sent.steady, ticket.first.route);
    settle_one(state, permit, answer_to(quota, answer, quota.remaining == 0));
  }
  for (const auto& [place, permit] : ticket.more)
    if (!told[place]) settle_one(more_[place].state, permit, answer_to({}, answer, false));
  return news;
}

void QuotaBucket::give_back(const BucketTicket& ticket) noexcept {
  first_.give_back(ticket.first);
  for (const auto& [place, permit] : ticket.more) more_[place].state.give_back(permit);
}

void QuotaBucket::expect(std::int64_t requests) noexcept {
  first_.expect(requests);
  for (Named& named : more_) named.state.expect(requests);
}

void QuotaBucket::hold_until(Instant until) noexcept {
  first_.hold_until(until);
  for (Named& named : more_) named.state.hold_until(until);
}

std::vector<QuotaSnapshot> QuotaBucket::snapshots(Instant now) const {
  std::vector<QuotaSnapshot> all{first_.snapshot(now)};
  for (const Named& named : more_) {
    all.push_back(named.state.snapshot(now));
    all.back().policy = named.name;
  }
  std::sort(all.begin() + 1, all.end(), [](const auto& left, const auto& right) { return left.policy < right.policy; });
  return all;
}

QuotaForecast QuotaBucket::forecast(Instant now, std::int64_t calls, std::int64_t reserve, std::uint32_t route) const {
  std::optional<QuotaForecast> all;
  const auto add = [&](const QuotaState& state) {
    if (!state.told()) return;
    const QuotaForecast one = state.forecast(now, calls, reserve, route);
    all = all ? both(*all, one) : one;
  };
  add(first_);
  for (const Named& named : more_) add(named.state);
  return all.value_or(QuotaForecast{});
}

std::pair<QuotaReading, std::string_view> QuotaBucket::reading(Instant now) const {
  std::pair<QuotaReading, std::string_view> strictest{first_.reading(now), {}};
  for (const Named& named : more_)
    if (auto reading = named.state.reading(now); strictness(reading) < strictness(strictest.first))
      strictest = {reading, named.name};
  return strictest;
}

}}  // namespace noun
