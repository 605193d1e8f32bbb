#include "progress_view.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace progress {
namespace {

constexpr std::string_view between = " · ";

/// A part of the line, with its forms from long to short. Parts with the lowest rank are omitted last.
struct Part {
  int rank = 0;
  std::vector<std::string> forms = {};
};

/// Follows "waiting 12 s ".
std::string_view purpose(noun::WaitReason reason) noexcept {
  switch (reason) {
    case noun::WaitReason::none: return "";
    case noun::WaitReason::quota: return "for the quota";
    case noun::WaitReason::reset_probe: return "to measure when the quota resets";
    case noun::WaitReason::first_response: return "for the first response";
    case noun::WaitReason::probe: return "for the first response of the new quota window";
    case noun::WaitReason::concurrency: return "for requests in flight";
    case noun::WaitReason::share: return "for a share of the quota";
    case noun::WaitReason::same_request: return "for an identical request";
    case noun::WaitReason::rejected: return "after a rejection";
    case noun::WaitReason::retry_after: return "as the server requested";
    case noun::WaitReason::backoff: return "before a retry";
  }
  return "";
}

bool waits(const RunView& view) noexcept {
  return view.reason != noun::WaitReason::none && view.hold_left > noun::Duration::zero();
}

std::vector<std::string> hold_forms(const RunView& view) {
  if (!has_known_end(view.reason)) return {fmt::format("waiting {}", purpose(view.reason)), "waiting"};
  const auto time = fmt::format("waiting {}", in_words(view.hold_left));
  const auto cause = view.cause.empty() ? "" : fmt::format(" ({})", view.cause);
  const auto why = fmt::format("{} {}{}", time, purpose(view.reason), cause);
  std::vector<std::string> forms{why, time, in_words(view.hold_left)};
  const auto until = clock_text(view.hold_until);
  // A time of day is ambiguous for another day.
  if (!until.empty() && view.hold_left < std::chrono::hours(24))
    forms.insert(forms.begin(), fmt::format("{}, until {}", why, until));
  return forms;
}

std::vector<std::string> item_forms(const RunView& view) {
  const auto count = grouped(view.items);
  // A total below the number of items received is wrong.
  if (!view.total || *view.total < view.items)
    return {fmt::format("{} {}", count, view.items == 1 ? "item" : "items"), count};
  const auto of = fmt::format("{} of {}", count, grouped(*view.total));
  return {fmt::format("{} {}", of, *view.total == 1 ? "item" : "items"), of, count};
}

std::string pages_text(std::uint64_t pages) {
  return fmt::format("{} {}", grouped(pages), pages == 1 ? "page" : "pages");
}

std::string rate_text(double rate) {
  if (!std::isfinite(rate) || rate <= 0) return "";
  if (rate < 0.05) return "under 0.1 requests/s";
  if (rate < 99.95) return fmt::format("{:.1f} requests/s", rate);
  return fmt::format("{:.0f} requests/s", rate);
}

std::string quota_text(const RunView& view) {
  std::string text;
  const auto whole = [](std::int64_t number) {
    return grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0)));
  };
  if (view.remaining && view.limit && *view.remaining <= *view.limit)
    text = fmt::format("quota {} of {}", whole(*view.remaining), whole(*view.limit));
  else if (view.remaining)
    text = fmt::format("quota {} left", whole(*view.remaining));
  else if (view.limit)
    text = fmt::format("a quota of {}", whole(*view.limit));
  if (!view.resets_in || *view.resets_in <= noun::Duration::zero()) return text;
  return fmt::format("{}{} in {}", text.empty() ? "quota" : text, text.empty() ? " resets" : ", resets",
                     in_words(*view.resets_in));
}

void add(std::vector<Part>& parts, int rank, std::string text) {
  if (!text.empty()) parts.push_back({rank, {std::move(text)}});
}

std::vector<Part> parts_of(const RunView& view) {
  std::vector<Part> parts;
  const bool holds = waits(view);
  if (holds) parts.push_back({0, hold_forms(view)});
  parts.push_back({1, item_forms(view)});
  // A stream has items and no pages.
  if (view.pages > 0 || view.items == 0) add(parts, 4, pages_text(view.pages));
  // During a wait, the rate is out of date; a wait for the quota has the quota's reset already.
  if (!holds) add(parts, 5, rate_text(view.requests_per_second));
  if (!holds || view.reason != noun::WaitReason::quota) add(parts, 3, quota_text(view));
  if (view.time_left && *view.time_left > noun::Duration::zero())
    add(parts, 2, fmt::format("{} left", in_words(*view.time_left)));
  return parts;
}

/// At most: a terminal may show a character beyond ASCII in two columns, for some of them by its settings.
std::size_t width_of(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    columns += byte < 0x80 ? 1 : byte < 0xC0 ? 0 : 2;
  }
  return columns;
}

std::string joined(const std::vector<Part>& parts) {
  std::string text;
  for (const auto& part : parts) {
    if (!text.empty()) text += between;
    text += part.forms.front();
  }
  return text;
}

/// Shortens or removes the least important part; false if there is none.
bool shorten(std::vector<Part>& parts) {
  if (parts.empty()) return false;
  const auto least = std::max_element(parts.begin(), parts.end(),
                                      [](const Part& left, const Part& right) { return left.rank < right.rank; });
  if (least->forms.size() > 1)
    least->forms.erase(least->forms.begin());
  else
    parts.erase(least);
  return true;
}

std::string count_of(std::int64_t number, std::string_view unit) {
  return fmt::format("{} {}", grouped(static_cast<std::uint64_t>(number)), unit);
}

/// `time` rounded to the nearest Unit, half up. `time` must not be negative. Does not overflow.
template <class Unit>
std::int64_t nearest(noun::Duration time) {
  const auto whole = std::chrono::floor<Unit>(time);
  return whole.count() + (time - whole >= noun::Duration(Unit(1)) / 2 ? 1 : 0);
}

}  // namespace

bool has_known_end(noun::WaitReason reason) noexcept {
  using noun::WaitReason;
  return reason != WaitReason::first_response && reason != WaitReason::probe && reason != WaitReason::concurrency &&
         reason != WaitReason::share && reason != WaitReason::same_request;
}

std::string live_line(const RunView& view, std::size_t columns) {
  auto parts = parts_of(view);
  auto text = joined(parts);
  while (width_of(text) > columns && shorten(parts)) text = joined(parts);
  return text;
}

std::string plain_line(const RunView& view) { return joined(parts_of(view)); }

std::string hold_line(const RunView& view) {
  return fmt::format("{} ({} so far)", waits(view) ? hold_forms(view).front() : "waiting", item_forms(view).front());
}

std::string grouped(std::uint64_t number) {
  auto digits = std::to_string(number);
  for (auto at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string in_words(noun::Duration time) {
  using std::chrono::hours, std::chrono::minutes, std::chrono::seconds, std::chrono::milliseconds;
  constexpr std::int64_t minutes_of_a_day = 24 * 60;
  if (time <= noun::Duration::zero()) return "0 s";
  if (const auto count = nearest<milliseconds>(time); count < 1000)
    return count_of(std::max<std::int64_t>(count, 1), "ms");
  const auto in_seconds = nearest<seconds>(time);
  if (in_seconds < 60) return count_of(in_seconds, "s");
  if (in_seconds < 3600) return fmt::format("{} m {:02} s", in_seconds / 60, in_seconds % 60);
  const auto in_minutes = nearest<minutes>(time);
  if (in_minutes < minutes_of_a_day) return fmt::format("{} h {:02} m", in_minutes / 60, in_minutes % 60);
  const auto in_hours = nearest<hours>(time);
  return fmt::format("{} {:02} h", count_of(in_hours / 24, "d"), in_hours % 24);
}

std::string clock_text(noun::WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  const auto instant = static_cast<std::time_t>(seconds);
  std::tm parts = {};
#ifdef _WIN32
  if (localtime_s(&parts, &instant) != 0) return "";
#else
  if (localtime_r(&instant, &parts) == nullptr) return "";
#endif
  return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace progress
