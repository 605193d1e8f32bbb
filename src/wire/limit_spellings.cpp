#include "wire/limit_spellings.hpp"

#include <algorithm>
#include <chrono>

#include "wire/ascii.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// Bounds the work for a response with many suffixed headers.
constexpr std::size_t most_suffixes = 64;

/// The kind of value in a header.
enum class Part { limit, remaining, reset, wait };

struct Spelling {
  std::string_view name;
  Part part;
  std::size_t rank = 0;  ///< the index in CommonFields::same; 0 is the default spelling, which the dialect reads itself
};

constexpr Spelling spellings[] = {
    {"X-RateLimit-Limit", Part::limit},
    {"X-RateLimit-Remaining", Part::remaining},
    {"X-RateLimit-Reset", Part::reset},
    {"Retry-After", Part::wait},
    {"RateLimit-Limit", Part::limit, 1},
    {"RateLimit-Remaining", Part::remaining, 1},
    {"RateLimit-Reset", Part::reset, 1},
    {"X-Rate-Limit-Limit", Part::limit, 2},
    {"X-Rate-Limit-Remaining", Part::remaining, 2},
    {"X-Rate-Limit-Reset", Part::reset, 2},
    {"Rate-Limit-Limit", Part::limit, 3},
    {"Rate-Limit-Total", Part::limit, 3},
    {"Rate-Limit-Remaining", Part::remaining, 3},
    {"Rate-Limit-Reset", Part::reset, 3},
    {"X-RateLimit-Retry-After", Part::wait, 1},
    {"X-Rate-Limit-Retry-After", Part::wait, 2},
};

/// Words in a suffix that mean that `remaining` does not count requests.
constexpr std::string_view other_units[] = {"bytes", "complexity", "concurrency", "concurrent", "milliseconds",
                                            "ms",    "percent",    "seconds",     "time",       "tokens"};

/// The part of `name` after `start` and a hyphen; empty if there is none. Nothing if the name does not match.
std::optional<std::string_view> suffix_after(std::string_view name, std::string_view start) noexcept {
  if (!same_ignoring_case(name.substr(0, start.size()), start)) return std::nullopt;
  const auto rest = name.substr(start.size());
  if (rest.empty()) return rest;
  return rest.front() == '-' && rest.size() > 1 ? std::optional(rest.substr(1)) : std::nullopt;
}

bool counts_requests(std::string_view suffix) {
  while (!suffix.empty()) {
    const auto word = suffix.substr(0, suffix.find('-'));
    const auto is_it = [&](std::string_view unit) { return same_ignoring_case(unit, word); };
    if (std::any_of(std::begin(other_units), std::end(other_units), is_it)) return false;
    suffix.remove_prefix(std::min(word.size() + 1, suffix.size()));
  }
  return true;
}

std::string_view QuotaText::*member_of(Part part) noexcept {
  if (part == Part::limit) return &QuotaText::limit;
  return part == Part::remaining ? &QuotaText::remaining : &QuotaText::reset;
}

void add_further(std::vector<QuotaLines>& further, std::string_view suffix, Part part, std::string_view value) {
  if (!counts_requests(suffix)) return;
  const auto same = [&](const QuotaLines& lines) { return same_ignoring_case(lines.front().name, suffix); };
  auto found = std::find_if(further.begin(), further.end(), same);
  if (found == further.end()) {
    if (further.size() == most_suffixes) return;
    found = further.insert(found, {QuotaText{.name = suffix, .limit = {}, .remaining = {}, .reset = {}}});
  }
  add_line(*found, member_of(part), value);
}

ResetForm wait_form(std::string_view suffix) noexcept {
  const bool milliseconds = same_ignoring_case(suffix, "ms") || same_ignoring_case(suffix, "milliseconds");
  return milliseconds ? ResetForm::delta_milliseconds : ResetForm::automatic;
}

void find_in(std::string_view name, std::string_view value, CommonFields& fields) {
  for (const auto& spelling : spellings) {
    const auto suffix = suffix_after(name, spelling.name);
    if (!suffix) continue;
    const bool by_dialect = suffix->empty() && spelling.rank == 0;
    if (by_dialect) return;
    if (spelling.part == Part::wait)
      fields.waits.push_back({value, wait_form(*suffix)});
    else if (suffix->empty())
      add_line(fields.same[spelling.rank], member_of(spelling.part), value);
    else
      add_further(fields.further, *suffix, spelling.part, value);
    return;
  }
}

}  // namespace

bool reads_common_spellings(const Dialect& dialect) noexcept {
  if (!dialect.common_spellings || dialect.quotas.empty()) return false;
  const auto& first = dialect.quotas.front();
  // Most are the default ones.
  const auto is = [](std::string_view name, std::string_view usual) {
    return name == usual || same_ignoring_case(name, usual);
  };
  return first.name.empty() && is(first.limit, "X-RateLimit-Limit") && is(first.remaining, "X-RateLimit-Remaining") &&
         is(first.reset, "X-RateLimit-Reset") && is(dialect.retry_after, "Retry-After");
}

CommonFields find_common_spellings(const Headers& headers) {
  CommonFields fields;
  for (const auto& [name, value] : headers) {
    // Skips most headers quickly.
    const char first = name.empty() ? ' ' : to_lower(name.front());
    if (first != 'r' && first != 'x') continue;
    if (const auto text = trimmed(value); !text.empty()) find_in(name, text, fields);
  }
  return fields;
}

std::optional<Duration> window_named(std::string_view suffix) noexcept {
  if (same_ignoring_case(suffix, "second")) return std::chrono::seconds(1);
  if (same_ignoring_case(suffix, "minute")) return std::chrono::minutes(1);
  if (same_ignoring_case(suffix, "hour")) return std::chrono::hours(1);
  if (same_ignoring_case(suffix, "day")) return std::chrono::hours(24);
  return std::nullopt;
}

}}}  // namespace noun::wire
