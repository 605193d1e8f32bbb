#include "decision/poll.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "decision/backoff.hpp"
#include "decision/classify.hpp"
#include "wire/ascii.hpp"
#include "wire/decimal.hpp"
#include "wire/duration_text.hpp"
#include "wire/json_scan.hpp"
#include "wire/percent.hpp"
#include "wire/rate_limit.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr int see_other = 303;

/// Fields that name a monitor in a 202 only.
bool is_location(std::string_view field) {
  return same_name(field, "Location") || same_name(field, "Content-Location");
}

bool is_among(const TextList& values, std::string_view value) {
  return std::any_of(values.begin(), values.end(),
                     [&](const auto& each) { return wire::lowered(each) == wire::lowered(value); });
}

std::string_view without_query(std::string_view url) { return url.substr(0, url.find_first_of("?#")); }

std::optional<PollWait> reported_wait(const Response& response, const Dialect& dialect, WallTime now) {
  std::optional<Duration> span;
  if (const auto& field = dialect.polling.wait_milliseconds; !field.empty())
    if (const auto text = response.headers.get(field))
      span = wire::parse_decimal_duration(wire::trimmed(*text), std::chrono::milliseconds(1));
  if (!span) span = wire::read_rate_limit(response.headers, dialect, now).retry_after;
  return span ? std::optional(PollWait{std::max(*span, shortest_wait), true}) : std::nullopt;
}

}  // namespace

PollWait wait_before_poll(const Response& response, const Dialect& dialect, WallTime now, PollWait last) {
  using std::chrono::seconds;
  constexpr Duration first = seconds(1);
  constexpr Duration longest = seconds(30);
  if (const auto reported = reported_wait(response, dialect, now)) return *reported;
  if (last.is_reported) return last;
  return {last.span == Duration::zero() ? first : std::min(2 * last.span, longest)};
}

std::optional<double> percent_in(const Response& response, const Polling& polling) {
  const auto text = wire::json_scalar_at(response.body, polling.percent);
  const auto percent = text ? wire::read_decimal(*text) : std::nullopt;
  return percent && *percent <= 100 ? percent : std::nullopt;
}

PollStep Poll::resume(Now now, PollPosition position, Duration in) {
  enter(PollEvent::runs);
  position_ = std::move(position);
  return PollNext{position_.monitor, after(now.steady, in)};
}

PollStep Poll::on_response(Now now, const Response& response, std::string_view url) {
  if (state_ == PollState::fetching) {
    if (response.status == accepted_status) return runs(now, response, std::string(url));
    enter(PollEvent::done);
    return PollDone{};
  }
  if (!response.url.empty()) url = response.url;
  if (response.status == see_other)
    return fetch(now, response, url_in_field(response.headers, "Location", url, origins_));
  const bool is_first = state_ == PollState::starting;
  const auto named = named_by_field(response, url);
  const auto reported = is_first && named ? Reported::runs : reported_by(response);
  if (reported == Reported::done) return done(now, response, url);
  if (reported != Reported::runs)
    return fail(
        {.code = Errc::operation_failed,
         .what = reported == Reported::failed ? "the operation failed" : "the operation was cancelled on the server",
         .error = error_in(response)});
  auto monitor = named;
  if (is_first && !monitor) monitor = named_by_body(response, url);
  if (is_first && !monitor)
    return fail({.code = Errc::protocol,
                 .what = fmt::format("the server responded {}, and did not say which URL reports on the operation",
                                     status_text(response.status)),
                 .advice = "set ClientOptions::dialect.polling as the API's documentation says"});
  if (monitor) {
    if (const auto* refused = std::get_if<Refuse>(&*monitor)) return fail(*refused, response.status);
    position_.monitor = std::get<std::string>(*std::move(monitor));
  }
  if (is_first) position_.result = result_elsewhere(response, url);
  return runs(now, response, position_.monitor);
}

std::optional<PollFailed> Poll::on_error(int status) {
  if (state_ != PollState::polling || (status != 404 && status != 410)) return std::nullopt;
  enter(PollEvent::failed);
  return PollFailed{.code = Errc::expired_cursor,
                    .what = fmt::format("the server no longer knows the operation ({})", status_text(status)),
                    .advice = "check whether it has ended, or start it again"};
}

void Poll::enter(PollEvent event) noexcept {
  state_ = poll_table[static_cast<std::size_t>(state_)][static_cast<std::size_t>(event)];
}

PollStep Poll::fail(PollFailed failed) {
  enter(PollEvent::failed);
  return failed;
}

PollStep Poll::fail(const Refuse& refused, int status) {
  return fail({.code = refused.code,
               .what = fmt::format("the response {} was not followed: {}", status_text(status), refused.what),
               .advice = refused.advice});
}

PollStep Poll::runs(Now now, const Response& response, std::string url) {
  position_.wait = wait_before_poll(response, dialect_, now.wall, position_.wait);
  enter(PollEvent::runs);
  return PollNext{std::move(url), after(now.steady, position_.wait.span)};
}

PollStep Poll::done(Now now, const Response& response, std::string_view url) {
  const auto& polling = dialect_.polling;
  const bool is_first = state_ == PollState::starting;
  if (wants_result_ && !is_first) {
    if (const auto place = wire::json_scalar_at(response.body, polling.result_url); place && !place->empty())
      return fetch(now, response, url_at_origins(*place, polling.result_url, url, origins_));
    if (polling.result_from == ResultFrom::location && response.headers.contains("Location"))
      return fetch(now, response, url_in_field(response.headers, "Location", url, origins_));
    if (!position_.result.empty() && position_.result != position_.monitor)
      return fetch(now, response, position_.result);
  }
  enter(PollEvent::done);
  return polling.result.empty() ? PollDone{} : PollDone{polling.result};
}

/// @source of the wait: RFC 9110, section 10.2.3.
PollStep Poll::fetch(Now now, const Response& response, Found url) {
  if (!wants_result_) {
    enter(PollEvent::done);
    return PollDone{};
  }
  if (const auto* refused = std::get_if<Refuse>(&url)) return fail(*refused, response.status);
  enter(PollEvent::done_elsewhere);
  const auto wait = response.status == see_other ? reported_wait(response, dialect_, now.wall) : std::nullopt;
  if (wait) position_.wait = *wait;
  return PollNext{std::get<std::string>(std::move(url)), wait ? after(now.steady, wait->span) : now.steady};
}

Poll::Reported Poll::reported_by(const Response& response) const {
  const auto& polling = dialect_.polling;
  const auto value = wire::json_scalar_at(response.body, polling.status);
  if (!value)
    return response.status == accepted_status || polling.runs_without_status ? Reported::runs : Reported::done;
  if (is_among(polling.failed, *value)) return Reported::failed;
  if (is_among(polling.cancelled, *value)) return Reported::cancelled;
  if (!is_among(polling.done, *value)) return Reported::runs;
  return error_in(response).empty() ? Reported::done : Reported::failed;
}

/// The server's error; empty if there is none.
std::string_view Poll::error_in(const Response& response) const {
  const auto& pointer = dialect_.polling.error;
  if (pointer.empty()) return {};
  const auto error = wire::json_at(response.body, pointer);
  return error && *error != "null" ? *error : std::string_view();
}

/// The monitor that a header field names.
std::optional<Poll::Found> Poll::named_by_field(const Response& response, std::string_view url) const {
  for (const auto& field : dialect_.polling.monitor_headers)
    if (response.headers.contains(field) && (response.status == accepted_status || !is_location(field)))
      return url_in_field(response.headers, field, url, origins_);
  return std::nullopt;
}

/// The monitor of an operation whose first response has no field for it.
std::optional<Poll::Found> Poll::named_by_body(const Response& response, std::string_view url) const {
  const auto& polling = dialect_.polling;
  const auto name = polling.monitor.empty() ? std::nullopt : wire::json_text_at(response.body, polling.monitor);
  if (!name || name->empty()) return polling.monitor_is_request ? std::optional<Found>(std::string(url)) : std::nullopt;
  const auto own = without_query(url);
  std::string monitor;
  switch (polling.monitor_form) {
    case MonitorForm::url: return url_at_origins(*name, polling.monitor, url, origins_);
    case MonitorForm::path:
      if (const auto* fault = fault_of_written_path(*name))
        return Refuse{Errc::refused, fmt::format("at {} {}", polling.monitor, fault)};
      monitor = fmt::format("{}{}{}", base_url_, name->starts_with('/') ? "" : "/", *name);
      break;
    case MonitorForm::id:
      if (*name == "." || *name == "..") return Refuse{Errc::refused, fmt::format("{} is no id", polling.monitor)};
      monitor = std::string(own) + (own.ends_with('/') ? "" : "/");
      wire::append_segment(monitor, *name);
      if (own.ends_with('/')) monitor += '/';
      break;
  }
  return url_at_origins(monitor, polling.monitor, url, origins_);
}

/// Where the first response says that the result will be; empty: in the monitor's response.
std::string Poll::result_elsewhere(const Response& response, std::string_view url) const {
  if (dialect_.polling.result_from != ResultFrom::location) return {};
  std::string result;
  auto location = url_in_field(response.headers, "Location", url, origins_);
  if (auto* named = std::get_if<std::string>(&location))
    result = std::move(*named);
  else if (response.status != accepted_status)
    result = url;
  // A monitor that moves takes its result with it.
  return result == position_.monitor ? std::string() : result;
}

}}  // namespace noun
