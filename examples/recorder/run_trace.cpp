#include "run_trace.hpp"

#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <noun/json.hpp>

#include "run_timeline.hpp"

namespace recorder {
namespace {

using Object = nlohmann::ordered_json;

constexpr int process = 1;
constexpr std::size_t thread_of_holds = 1;
constexpr std::size_t first_lane = 2;

std::string text_of(const Object& object) { return object.dump(-1, ' ', false, Object::error_handler_t::replace); }

/// Removes what is empty or 0.
Object arguments_of(Object all) {
  Object some = Object::object();
  for (const auto& [name, value] : all.items())
    if (value != "" && value != 0) some[name] = value;
  return some;
}

class TraceWriter {
 public:
  TraceWriter(const std::vector<Step>& steps, const Timeline& timeline)
      : steps_(steps), timeline_(timeline), ends_(timeline.calls.size()) {
    for (std::size_t i = 0; i < timeline.calls.size(); ++i) calls_.emplace(timeline.calls[i].id, i);
    for (const auto& step : steps)
      if (const auto call = calls_.find(step.call); step.kind == "ended" && call != calls_.end())
        ends_[call->second] = &step;
  }

  std::string write() {
    name("process_name", 0, "noun");
    if (!timeline_.holds.empty()) name("thread_name", thread_of_holds, "without requests");
    for (std::size_t lane = 0; lane < timeline_.call_lanes; ++lane)
      name("thread_name", first_lane + lane, fmt::format("calls {}", lane + 1));
    for (const auto& hold : timeline_.holds) slice(hold.reason, "hold", thread_of_holds, hold.from, hold.until, {});
    for (std::size_t i = 0; i < timeline_.calls.size(); ++i) write(timeline_.calls[i], ends_[i]);
    for (const auto& attempt : timeline_.attempts) write(attempt);
    for (const auto& wait : timeline_.waits)
      slice(wait.reason, "wait", thread_of(wait.call), wait.from, wait.until, {});
    for (const auto& quota : timeline_.quotas) write(quota);
    for (const auto& step : steps_) write(step);
    return std::move(events_);
  }

 private:
  std::size_t thread_of(std::size_t call) const { return first_lane + timeline_.calls[call].lane; }

  void add(const Object& event) { events_ += (events_.empty() ? "" : ",\n") + text_of(event); }

  void name(const char* what, std::size_t thread, const std::string& text) {
    add({{"ph", "M"}, {"pid", process}, {"tid", thread}, {"name", what}, {"args", {{"name", text}}}});
  }

  void slice(const std::string& title, const char* category, std::size_t thread, double from, double until,
             Object arguments) {
    const auto ts = microseconds(from);
    add({{"ph", "X"},
         {"name", title},
         {"cat", category},
         {"pid", process},
         {"tid", thread},
         {"ts", ts},
         {"dur", microseconds(until) - ts},
         {"args", arguments_of(std::move(arguments))}});
  }

  /// @param end  null if the recording does not have it.
  void write(const Call& call, const Step* end) {
    const auto& first = steps_[call.first_step];
    const auto ended = end != nullptr ? *end : Step();
    slice(fmt::format("{} {}", first.method, first.url), "call", first_lane + call.lane, call.from, call.until,
          {{"call", call.id},
           {"method", first.method},
           {"url", first.url},
           {"attempts", ended.attempt},
           {"status", ended.status},
           {"error", ended.error}});
  }

  void write(const Attempt& attempt) {
    const auto& sent = steps_[attempt.sent_step];
    const auto& ended = attempt.ended_step ? steps_[*attempt.ended_step] : Step();
    const auto result = ended.error.empty() ? fmt::to_string(ended.status) : ended.error;
    slice(attempt.ended_step ? result : "no response yet", "attempt", thread_of(attempt.call), attempt.sent,
          attempt.ended,
          {{"attempt", sent.attempt},
           {"method", sent.method},
           {"url", sent.url},
           {"status", ended.status},
           {"error", ended.error}});
  }

  void write(const QuotaLine& quota) {
    const auto title = quota.partition.empty() ? "quota left" : "quota left, " + quota.partition;
    for (const auto& reading : quota.readings)
      add({{"ph", "C"},
           {"name", title},
           {"pid", process},
           {"ts", microseconds(reading.t)},
           {"args", {{"remaining", reading.remaining}}}});
  }

  void write(const Step& step) {
    if (step.kind == "page_delivered")
      instant(step, fmt::format("page {}", step.page), {{"items", step.items}, {"url", step.url}});
    if (step.kind == "cached") instant(step, step.cache, {{"status", step.status}, {"url", step.url}});
    if (step.kind == "notice") instant(step, "notice", {{"note", step.note}, {"url", step.url}});
  }

  void instant(const Step& step, const std::string& title, Object arguments) {
    const auto call = calls_.find(step.call);
    const bool has_call = call != calls_.end();
    add({{"ph", "i"},
         {"name", title},
         {"cat", step.kind},
         {"pid", process},
         {"tid", has_call ? thread_of(call->second) : 0},
         {"ts", microseconds(step.t)},
         {"s", has_call ? "t" : "p"},
         {"args", arguments_of(std::move(arguments))}});
  }

  const std::vector<Step>& steps_;
  const Timeline& timeline_;
  std::vector<const Step*> ends_;  // by the index of the call
  std::unordered_map<std::uint64_t, std::size_t> calls_;
  std::string events_;
};

}  // namespace

std::string trace_of(RunEnd run) {
  put_in_order(run.steps);
  const auto timeline = timeline_of_ordered(run.steps);
  return fmt::format("{},\"dropped_events\":\"{}\"}},\"traceEvents\":[\n{}\n]}}\n", trace_start, run.dropped,
                     TraceWriter(run.steps, timeline).write());
}

}  // namespace recorder
