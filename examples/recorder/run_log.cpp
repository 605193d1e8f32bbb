#include "run_log.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <deque>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/chrono.h>
#include <noun/format.hpp>
#include <noun/json.hpp>

namespace recorder {
namespace {

using noun::WaitReason;
using Line = nlohmann::ordered_json;

/// Rounded to microseconds.
template <class Span>
double seconds(Span span) {
  return std::round(std::chrono::duration<double>(span).count() * 1e6) / 1e6;
}

std::string utc(noun::WallTime at) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(at);
  const auto thousandths = std::chrono::floor<std::chrono::milliseconds>(at - whole).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(whole)),
                     thousandths);
}

/// Parses what utc() writes.
std::optional<noun::WallTime> wall_time_of(const std::string& text) {
  std::tm parts = {};
  int thousandths = 0;
  constexpr int fields = 7;
  const int read = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ", &parts.tm_year, &parts.tm_mon,
                               &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &thousandths);
  if (read != fields) return std::nullopt;
  constexpr int first_year = 1900;
  parts.tm_year -= first_year;
  --parts.tm_mon;
  return std::chrono::system_clock::from_time_t(timegm(&parts)) + std::chrono::milliseconds(thousandths);
}

template <class T>
void put(Line& line, const char* name, const T& value) {
  if (value != T{}) line[name] = value;
}

template <class T>
void put(Line& line, const char* name, const std::optional<T>& value) {
  if (value) line[name] = *value;
}

void put_wait(Line& line, const noun::Event& event, noun::WallTime started) {
  if (event.reason == WaitReason::none) return;
  line["reason"] = name_of(event.reason);
  line["wait"] = seconds(event.wait);
  line["until"] = seconds(event.until - started);
}

void put_quota(Line& line, const noun::Event& event) {
  put(line, "limit", event.quota.limit);
  put(line, "remaining", event.quota.remaining);
  if (event.quota.resets_in) line["resets_in"] = seconds(*event.quota.resets_in);
  put(line, "partition", event.partition);
}

template <class T>
std::optional<T> number(const noun::Json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end()) return std::nullopt;
  return found->get<T>();
}

std::string text(const noun::Json& line, const char* name) { return line.value(name, std::string()); }

Step step_of(const noun::Json& line) {
  return {.t = line.at("t").get<double>(),
          .kind = line.at("kind").get<std::string>(),
          .call = line.value("call", std::uint64_t{0}),
          .attempt = line.value("attempt", 0),
          .method = text(line, "method"),
          .url = text(line, "url"),
          .status = line.value("status", 0),
          .cache = text(line, "cache"),
          .error = text(line, "error"),
          .elapsed = line.value("elapsed", 0.0),
          .reason = text(line, "reason"),
          .wait = line.value("wait", 0.0),
          .limit = number<std::int64_t>(line, "limit"),
          .remaining = number<std::int64_t>(line, "remaining"),
          .resets_in = number<double>(line, "resets_in"),
          .partition = text(line, "partition"),
          .page = line.value("page", std::size_t{0}),
          .items = line.value("items", std::size_t{0}),
          .percent = number<double>(line, "percent"),
          .bytes = line.value("bytes", std::uint64_t{0}),
          .total_bytes = number<std::uint64_t>(line, "total_bytes"),
          .sent_bytes = line.value("sent_bytes", std::uint64_t{0}),
          .body_size = number<std::uint64_t>(line, "body_size"),
          .note = text(line, "note")};
}

}  // namespace

std::string line_of(const noun::Event& event, noun::WallTime started, LinePlace place) {
  Line line{{"t", seconds(event.at - started)}};
  if (place == LinePlace::first) line["started"] = utc(started);
  if (place == LinePlace::resumed) line["resumed"] = true;
  line["kind"] = to_string(event.kind);
  put(line, "call", event.call);
  put(line, "attempt", event.attempt);
  line["method"] = to_string(event.method);
  put(line, "url", event.url);
  put(line, "status", event.status);
  if (event.cache != noun::CacheStatus::none) line["cache"] = to_string(event.cache);
  if (event.error) line["error"] = to_string(*event.error);
  if (event.elapsed != noun::Duration::zero()) line["elapsed"] = seconds(event.elapsed);
  put_wait(line, event, started);
  put_quota(line, event);
  put(line, "page", event.page);
  put(line, "items", event.items);
  put(line, "percent", event.percent);
  put(line, "bytes", event.bytes);
  put(line, "total_bytes", event.total_bytes);
  put(line, "sent_bytes", event.sent_bytes);
  put(line, "body_size", event.body_size);
  put(line, "note", event.note);
  return line.dump(-1, ' ', false, Line::error_handler_t::replace) + "\n";
}

std::optional<noun::WallTime> start_of(const std::string& line) {
  const auto json = Line::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto started = json.find("started");
  return started != json.end() && started->is_string() ? wall_time_of(started->get<std::string>()) : std::nullopt;
}

std::vector<Step> read_steps(std::istream& lines) {
  return read_run_end(lines, std::numeric_limits<std::size_t>::max()).steps;
}

RunEnd read_run_end(std::istream& lines, std::size_t most) {
  RunEnd end;
  std::deque<std::string> kept;
  bool is_whole = true;
  for (std::string line; std::getline(lines, line);) {
    is_whole = !lines.eof();
    if (kept.empty() && end.dropped == 0) end.started = start_of(line);
    kept.push_back(std::move(line));
    if (kept.size() <= most) continue;
    kept.pop_front();
    ++end.dropped;
  }
  std::uint64_t calls_before = 0;
  std::uint64_t last_call = 0;
  for (; !kept.empty(); kept.pop_front()) try {
      const auto json = noun::Json::parse(kept.front());
      auto step = step_of(json);
      if (json.value("resumed", false)) calls_before = last_call;
      if (step.call != 0) step.call += calls_before;
      last_call = std::max(last_call, step.call);
      end.steps.push_back(std::move(step));
    } catch (const noun::Json::exception& failure) {
      if (kept.size() == 1 && !is_whole) break;
      throw std::runtime_error(
          fmt::format("line {} is not an event: {}", end.dropped + end.steps.size() + 1, failure.what()));
    }
  return end;
}

}  // namespace recorder
