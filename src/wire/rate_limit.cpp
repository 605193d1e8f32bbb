#include "wire/rate_limit.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/cache_control.hpp"
#include "wire/digest.hpp"
#include "wire/http_date.hpp"
#include "wire/limit_spellings.hpp"
#include "wire/rate_limit_policy.hpp"
#include "wire/retry_after.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr std::size_t longest_name = 64;
/// Only the first members of a longer list are read.
constexpr std::size_t most_members = 64;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_name &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// The name of a limit and its partition. One that is too long becomes a digest, so that different names stay
/// different, and no part of a secret is left that is not recognized as one.
std::string name_of(const std::string& name, std::string_view partition) {
  auto whole = partition.empty() ? name : name + '/' + base64_encode(partition);
  if (whole.size() <= longest_name) return whole;
  const auto digest = hexadecimal(sha256(whole).substr(0, 8));
  return name.size() + 1 + digest.size() <= longest_name ? name + '/' + digest : digest;
}

void limit_counts(ReportedQuota& quota) {
  for (auto* const count : {&quota.limit, &quota.remaining, &quota.cost})
    *count = std::min(*count, std::optional(largest_count));
}

bool is_empty(const ReportedQuota& quota) {
  return !quota.limit && !quota.remaining && !quota.reset && !quota.window && !quota.refill_per_second;
}

template <class Value>
void fill(std::optional<Value>& known, std::optional<Value> reported) {
  if (!known) known = std::move(reported);
}

/// Whether a quota is left out next to another one: a limit of zero says nothing about another limiter.
bool gives_way(const ReportedQuota& quota, const ReportedQuota& other) {
  return quota.limit == 0 && other.limit.value_or(0) > 0;
}

/// Fills the gaps of `known` from another spelling of the same quota.
void fill_gaps(ReportedQuota& known, const ReportedQuota& reported) {
  if (gives_way(reported, known)) return;
  if (gives_way(known, reported)) known = {.name = known.name};
  fill(known.limit, reported.limit);
  fill(known.remaining, reported.remaining);
  fill(known.reset, reported.reset);
  fill(known.window, reported.window);
  fill(known.refill_per_second, reported.refill_per_second);
  fill(known.cost, reported.cost);
}

/// The policy with the limit's name and partition, else the only policy with its name, because some servers write the
/// partition in one of the two fields only. Null if there is none.
/// @param before  how many limits with this name and partition come before it: their policies come before its own.
const ReportedPolicy* policy_of(const ReportedLimit& limit, const std::vector<ReportedPolicy>& policies,
                                std::ptrdiff_t before) {
  const ReportedPolicy* same = nullptr;
  const ReportedPolicy* found = nullptr;
  bool only_one = true;
  for (const auto& policy : policies) {
    if (policy.name != limit.name) continue;
    if (policy.partition == limit.partition && before-- >= 0) same = &policy;
    only_one = std::exchange(found, &policy) == nullptr;
  }
  if (same != nullptr) return same;
  return only_one ? found : nullptr;
}

/// The window of the only nameless policy with that limit; nothing if there are several.
std::optional<Duration> window_of(const std::vector<ReportedPolicy>& policies, std::optional<std::int64_t> limit) {
  const ReportedPolicy* found = nullptr;
  for (const auto& policy : policies)
    if (policy.name.empty() && policy.quota == limit && std::exchange(found, &policy) != nullptr) return std::nullopt;
  return found == nullptr ? std::nullopt : found->window;
}

/// Reads one response's headers, source by source. A value that an earlier source reported is kept.
class Reader {
 public:
  Reader(const Headers& headers, const Dialect& dialect, WallTime now)
      : headers_(headers), dialect_(dialect), now_(now) {
    if (const auto date = headers.get("Date")) reading_.date = parse_http_date(*date, now);
    reference_ = reading_.date ? clamped_wall_time(*reading_.date) : now;
  }

  RateLimitReading read() {
    for (const auto& entry : dialect_.quotas) read_entry(entry);
    CommonFields common;
    if (reads_common_spellings(dialect_)) {
      common = find_common_spellings(headers_);
      read_common(common, dialect_.quotas.front().reset_form);
    }
    read_structured();
    if (const auto partition = field(dialect_.partition_header); partition && is_name(*partition))
      reading_.partition = *partition;
    const auto everywhere = field(dialect_.everywhere_header);
    reading_.everywhere = everywhere && *everywhere != "0" && !same_ignoring_case(*everywhere, "false");
    if (!reading_.retry_after && field(dialect_.retry_after))
      reading_.retry_after = standard_wait(dialect_.retry_after);
    if (!reading_.retry_after) reading_.retry_after = longest_of(common.waits);
    if (is_from_a_cache()) {
      RateLimitReading of_now;
      of_now.retry_after = reading_.retry_after;
      of_now.date = reading_.date;
      return of_now;
    }
    limit_counts(reading_);
    std::for_each(reading_.more.begin(), reading_.more.end(), limit_counts);
    if (reading_.reset) first_implausible_ = false;
    reading_.implausible_reset = first_implausible_ || further_implausible_;
    return std::move(reading_);
  }

 private:
  /// What a cache kept was true when it was stored. An age of a second or two may be the network's.
  /// @source RFC 9111, section 5.1
  bool is_from_a_cache() const { return read_age(headers_.get("Age").value_or("")) > std::chrono::seconds(2); }

  /// A quota, and whether its reset was dropped as implausible.
  struct Reading {
    ReportedQuota quota = {};
    bool implausible = false;
  };

  /// Nothing for an empty name (the dialect has no such header), a missing field and an empty value.
  std::optional<std::string_view> field(std::string_view name) const {
    const auto value = name.empty() ? std::nullopt : headers_.get(name);
    if (!value || trimmed(*value).empty()) return std::nullopt;
    return trimmed(*value);
  }

  Reading quota_of(const QuotaText& text, ResetForm form) const {
    Reading reported;
    auto& quota = reported.quota;
    quota.limit = parse_count(text.limit);
    if (text.limit != "-1") quota.remaining = parse_count(text.remaining);
    quota.window = parse_count_window(text.limit);
    if (!quota.window) quota.window = parse_count_window(text.remaining);
    if (text.reset.empty()) return reported;
    quota.reset = parse_reset(text.reset, form, now_);
    keep_if_plausible(reported);
    reported.implausible = !quota.reset;
    return reported;
  }

  void keep_if_plausible(Reading& reported) const {
    const bool plausible =
        reported.quota.reset && is_plausible(*reported.quota.reset, reference_, dialect_.farthest_reset);
    if (!plausible) reported.implausible = std::exchange(reported.quota.reset, std::nullopt).has_value();
  }

  /// Of several lines the smallest remaining and the latest reset.
  void merge_line(ReportedQuota& known, const ReportedQuota& line) const {
    if (!gives_way(line, known) && !gives_way(known, line)) {
      if (line.remaining && known.remaining) known.remaining = std::min(known.remaining, line.remaining);
      if (line.reset && known.reset && is_later(*line.reset, *known.reset)) known.reset = line.reset;
    }
    fill_gaps(known, line);
  }

  Reading quota_of(const QuotaLines& lines, ResetForm form) const {
    Reading all;
    for (const auto& line : lines) {
      const auto [quota, implausible] = quota_of(line, form);
      merge_line(all.quota, quota);
      all.implausible |= implausible;
    }
    all.implausible = all.implausible && !all.quota.reset;
    return all;
  }

  bool is_later(const ResetReading& left, const ResetReading& right) const {
    return time_until(left, reference_) > time_until(right, reference_);
  }

  QuotaLines lines_of(const QuotaHeaders& entry) const {
    QuotaLines lines;
    for (const auto& [name, value] : headers_) {
      const auto text = trimmed(value);
      if (text.empty() || name.empty()) continue;
      if (same_ignoring_case(name, entry.limit)) add_line(lines, &QuotaText::limit, text);
      if (same_ignoring_case(name, entry.remaining)) add_line(lines, &QuotaText::remaining, text);
      if (same_ignoring_case(name, entry.reset)) add_line(lines, &QuotaText::reset, text);
    }
    return lines;
  }

  void add_to_first(const Reading& reported) {
    fill_gaps(reading_, reported.quota);
    first_implausible_ |= reported.implausible;
  }

  bool is_full() const { return reading_.more.size() == most_further_quotas; }

  /// Ignores a quota whose name an earlier source reported, unless that says nothing. In the same source it is another
  /// line of that quota.
  void add_further(std::string_view name, Reading reported) {
    const auto known = std::find_if(reading_.more.begin(), reading_.more.end(),
                                    [&](const ReportedQuota& quota) { return quota.name == name; });
    if (known < reading_.more.begin() + source_) {
      if (gives_way(*known, reported.quota)) fill_gaps(*known, reported.quota);
      return;
    }
    if (known != reading_.more.end()) return merge_same(*known, std::move(reported));
    if (is_full() || !is_name(name)) return;
    further_implausible_ |= reported.implausible;
    if (is_empty(reported.quota)) return;
    reported.quota.name = name;
    reading_.more.push_back(std::move(reported.quota));
  }

  /// The limit and the window are those of the line with the smallest remaining.
  void merge_same(ReportedQuota& known, Reading line) {
    further_implausible_ |= line.implausible && !known.reset;
    const bool is_one = gives_way(line.quota, known) || gives_way(known, line.quota);
    if (!is_one && line.quota.remaining && known.remaining && *line.quota.remaining < *known.remaining) {
      std::swap(line.quota.limit, known.limit);
      std::swap(line.quota.window, known.window);
    }
    merge_line(known, line.quota);
  }

  /// The further quotas so far are those of earlier sources.
  void begin_source() noexcept { source_ = std::ssize(reading_.more); }

  void read_entry(const QuotaHeaders& entry) {
    begin_source();
    auto reported = quota_of(lines_of(entry), entry.reset_form);
    if (const auto refill = field(entry.refill_per_second)) reported.quota.refill_per_second = parse_refill(*refill);
    const auto used = used_of(entry);
    if (!used.empty()) fill_gaps(reported.quota, used.front());
    if (entry.name.empty())
      add_to_first(reported);
    else
      add_further(entry.name, std::move(reported));
    for (std::size_t i = 1; i < used.size(); ++i) add_further(used[i].name, {.quota = used[i]});
    if (!entry.prefix.empty()) read_prefixed(entry);
    if (!reading_.retry_after) reading_.retry_after = wait_of(entry);
  }

  /// The quota of the entry comes first; the others have names.
  std::vector<ReportedQuota> used_of(const QuotaHeaders& entry) const {
    if (const auto text = field(entry.used_of_limit)) return parse_used_of_limit(*text, most_members);
    if (entry.used.empty()) return {};
    auto quotas = pair_used_with_limits(headers_.values(entry.used), headers_.values(entry.limit), most_members);
    for (std::size_t i = 1; i < quotas.size(); ++i)
      quotas[i].name = entry.name + (entry.name.empty() ? "" : "/") + std::to_string(i + 1);
    return quotas;
  }

  void read_prefixed(const QuotaHeaders& entry) {
    begin_source();
    const auto length = entry.prefix.size();
    for (const auto& [name, value] : headers_) {
      if (!same_ignoring_case(std::string_view(name).substr(0, length), entry.prefix)) continue;
      for (const auto& text : split_quotas(trimmed(value), most_members)) {
        add_further(text.name.empty() ? lowered(name.substr(length)) : std::string(text.name),
                    quota_of(text, entry.reset_form));
      }
    }
  }

  void read_common(const CommonFields& common, ResetForm form) {
    begin_source();
    for (const auto& lines : common.same) add_to_first(quota_of(lines, form));
    for (const auto& lines : common.further) {
      auto reported = quota_of(lines, form);
      if (!reported.quota.remaining) continue;
      const auto& [name, limit, remaining, reset] = lines.front();
      // With a reset of its own, the suffix `second` may be a name ("the second quota") rather than a window.
      if (!reported.quota.window && reset.empty()) reported.quota.window = window_named(name);
      add_further(lowered(name), std::move(reported));
    }
  }

  void read_structured() {
    std::vector<ReportedPolicy> policies;
    if (field(dialect_.structured_policy))
      policies =
          parse_rate_limit_policy(headers_.values(dialect_.structured_policy)).value_or(std::vector<ReportedPolicy>());
    if (field(dialect_.structured)) {
      auto limits = parse_rate_limit_field(headers_.values(dialect_.structured)).value_or(std::vector<ReportedLimit>());
      limits.resize(std::min(limits.size(), most_members));
      begin_source();
      for (auto limit = limits.begin(); limit != limits.end(); ++limit) {
        const auto is_same = [&](const ReportedLimit& other) {
          return other.name == limit->name && other.partition == limit->partition;
        };
        const auto before = std::count_if(limits.begin(), limit, is_same);
        read_limit(*limit, limit->name.empty() ? nullptr : policy_of(*limit, policies, before));
      }
    }
    if (reading_.limit && !reading_.window) reading_.window = window_of(policies, *reading_.limit);
  }

  /// @param policy  null if none is reported.
  void read_limit(const ReportedLimit& limit, const ReportedPolicy* policy) {
    if (policy != nullptr && !policy->counts_requests()) return;
    Reading reported;
    reported.quota.limit = policy != nullptr ? std::optional(policy->quota) : limit.limit;
    reported.quota.remaining = limit.remaining;
    if (policy != nullptr) reported.quota.window = policy->window;
    if (limit.resets_in) reported.quota.reset = ResetReading{.in = limit.resets_in};
    reported.quota.cost = limit.cost;
    keep_if_plausible(reported);
    if (limit.name.empty())
      add_to_first(reported);
    else
      add_further(name_of(limit.name, limit.partition), std::move(reported));
  }

  std::optional<Duration> standard_wait(const std::string& name) const {
    return parse_retry_after(headers_.values(name), reading_.date, now_);
  }

  std::optional<Duration> wait_of(const QuotaHeaders& entry) const {
    const auto text = field(entry.retry_after);
    if (!text) return std::nullopt;
    if (entry.retry_after_form == ResetForm::automatic) return standard_wait(entry.retry_after);
    return wait_in(*text, entry.retry_after_form);
  }

  std::optional<Duration> wait_in(std::string_view text, ResetForm form) const {
    const auto end = parse_reset(text, form, now_);
    return end ? std::optional(time_until(*end, reference_)) : std::nullopt;
  }

  std::optional<Duration> longest_of(const std::vector<WaitText>& waits) const {
    std::optional<Duration> longest;
    for (const auto& [text, form] : waits) {
      const auto wait =
          form == ResetForm::automatic ? parse_retry_after({text}, reading_.date, now_) : wait_in(text, form);
      if (wait) longest = std::max(longest.value_or(Duration::zero()), *wait);
    }
    return longest;
  }

  const Headers& headers_;
  const Dialect& dialect_;
  WallTime now_;
  WallTime reference_;  // the server's wall clock at receipt
  RateLimitReading reading_ = {};
  std::ptrdiff_t source_ = 0;  // the index of its first further quota
  bool first_implausible_ = false;
  bool further_implausible_ = false;
};

}  // namespace

RateLimitReading read_rate_limit(const Headers& headers, const Dialect& dialect, WallTime now) {
  return Reader(headers, dialect, now).read();
}

}}}  // namespace noun::wire
