#include "run_report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <noun/json.hpp>

#include "run_page.hpp"
#include "run_timeline.hpp"
#include "run_trace.hpp"

namespace recorder {
namespace {

constexpr std::string_view page_start = "<!doctype html><!-- A run of noun -->";

using Column = std::vector<std::int64_t>;

/// A number that may be unknown: 0, or one more than the number. A script has integers of 53 bits.
template <class T>
std::int64_t or_unknown(const std::optional<T>& number) {
  constexpr double highest = 9e15;
  return number ? std::llround(std::clamp(static_cast<double>(*number), 0.0, highest)) + 1 : 0;
}

/// Each text once.
class Texts {
 public:
  Texts() { number_of(""); }

  std::int64_t number_of(const std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(text, static_cast<std::int64_t>(numbers_.size()));
    if (is_new) texts_.push_back(noun::Json(text).dump(-1, ' ', true, noun::Json::error_handler_t::replace));
    return found->second;
  }
  std::string json() const { return fmt::format("[{}]", fmt::join(texts_, ",")); }

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<std::string> texts_;
};

Column differences(Column values) {
  for (std::size_t i = values.size(); i-- > 1;) values[i] -= values[i - 1];
  return values;
}

/// All values, or [indices, values] of those that are not 0, if these are few. The indices are differences, too.
std::string packed(const Column& values) {
  Column at;
  Column found;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0) at.push_back(static_cast<std::int64_t>(i)), found.push_back(values[i]);
  if (2 * found.size() > values.size()) return fmt::format("[{}]", fmt::join(values, ","));
  return fmt::format("[[{}],[{}]]", fmt::join(differences(std::move(at)), ","), fmt::join(found, ","));
}

/// Elements as columns: `{"count":2,"from":[0,5]}`.
class Table {
 public:
  explicit Table(std::size_t count) : json_(fmt::format("{{\"count\":{}", count)) {}

  template <class Elements, class Value>
  Table& column(const char* name, const Elements& elements, Value value) {
    return add(name, values_of(elements, value));
  }
  /// Of values that mostly grow: each as the difference from the one before.
  template <class Elements, class Value>
  Table& rising(const char* name, const Elements& elements, Value value) {
    return add(name, differences(values_of(elements, value)));
  }
  Table& member(const char* name, std::int64_t value) {
    json_ += fmt::format(",\"{}\":{}", name, value);
    return *this;
  }
  std::string json() const { return json_ + "}"; }

 private:
  template <class Elements, class Value>
  static Column values_of(const Elements& elements, Value value) {
    Column values;
    values.reserve(elements.size());
    for (const auto& element : elements) values.push_back(static_cast<std::int64_t>(value(element)));
    return values;
  }
  Table& add(const char* name, const Column& values) {
    json_ += fmt::format(",\"{}\":{}", name, packed(values));
    return *this;
  }

  std::string json_;
};

std::string events_of(const std::vector<Step>& steps, const Timeline& timeline, Texts& texts) {
  std::unordered_map<std::uint64_t, std::int64_t> calls;
  for (const auto& call : timeline.calls) calls.emplace(call.id, static_cast<std::int64_t>(calls.size()) + 1);
  const auto text = [&](std::string Step::*member) {
    return [&texts, member](const Step& step) { return texts.number_of(step.*member); };
  };
  return Table(steps.size())
      .rising("t", steps, [](const Step& step) { return microseconds(step.t); })
      .column("kind", steps, text(&Step::kind))
      .column("call", steps, [&](const Step& step) { return calls.contains(step.call) ? calls.at(step.call) : 0; })
      .column("attempt", steps, [](const Step& step) { return step.attempt; })
      .column("method", steps, text(&Step::method))
      .column("url", steps, text(&Step::url))
      .column("status", steps, [](const Step& step) { return step.status; })
      .column("cache", steps, text(&Step::cache))
      .column("error", steps, text(&Step::error))
      .column("elapsed", steps, [](const Step& step) { return microseconds(step.elapsed); })
      .column("reason", steps, text(&Step::reason))
      .column("wait", steps, [](const Step& step) { return microseconds(step.wait); })
      .column("limit", steps, [](const Step& step) { return or_unknown(step.limit); })
      .column("remaining", steps, [](const Step& step) { return or_unknown(step.remaining); })
      .column("resets_in", steps,
              [](const Step& step) { return step.resets_in ? microseconds(*step.resets_in) + 1 : 0; })
      .column("partition", steps, text(&Step::partition))
      .column("page", steps, [](const Step& step) { return step.page; })
      .column("items", steps, [](const Step& step) { return step.items; })
      .column("percent", steps, [](const Step& step) { return or_unknown(step.percent); })
      .column("bytes", steps, [](const Step& step) { return step.bytes; })
      .column("total_bytes", steps, [](const Step& step) { return or_unknown(step.total_bytes); })
      .column("sent_bytes", steps, [](const Step& step) { return step.sent_bytes; })
      .column("body_size", steps, [](const Step& step) { return or_unknown(step.body_size); })
      .column("note", steps, text(&Step::note))
      .json();
}

std::string calls_of(const Timeline& timeline) {
  const auto& calls = timeline.calls;
  return Table(calls.size())
      .rising("first", calls, [](const Call& call) { return call.first_step; })
      .column("length", calls, [](const Call& call) { return microseconds(call.until - call.from); })
      .column("lane", calls, [](const Call& call) { return call.lane; })
      .json();
}

std::string attempts_of(const Timeline& timeline) {
  const auto& attempts = timeline.attempts;
  return Table(attempts.size())
      .rising("sent", attempts, [](const Attempt& attempt) { return attempt.sent_step; })
      .column("ended", attempts,
              [](const Attempt& attempt) { return attempt.ended_step.value_or(attempt.sent_step) - attempt.sent_step; })
      .column("outcome", attempts, [](const Attempt& attempt) { return attempt.outcome; })
      .column("call", attempts, [](const Attempt& attempt) { return attempt.call; })
      .json();
}

std::string waits_of(const Timeline& timeline, Texts& texts) {
  const auto& waits = timeline.waits;
  return Table(waits.size())
      .column("call", waits, [](const Wait& wait) { return wait.call; })
      .column("from", waits, [&](const Wait& wait) { return microseconds(wait.from - timeline.calls[wait.call].from); })
      .column("length", waits, [](const Wait& wait) { return microseconds(wait.until - wait.from); })
      .column("reason", waits, [&](const Wait& wait) { return texts.number_of(wait.reason); })
      .json();
}

std::string holds_of(const Timeline& timeline, Texts& texts) {
  const auto& holds = timeline.holds;
  return Table(holds.size())
      .rising("from", holds, [](const Hold& hold) { return microseconds(hold.from); })
      .column("length", holds, [](const Hold& hold) { return microseconds(hold.until - hold.from); })
      .column("reason", holds, [&](const Hold& hold) { return texts.number_of(hold.reason); })
      .json();
}

std::string quotas_of(const Timeline& timeline, Texts& texts) {
  std::vector<std::string> quotas;
  for (const auto& quota : timeline.quotas)
    quotas.push_back(Table(quota.readings.size())
                         .member("partition", texts.number_of(quota.partition))
                         .member("limit", quota.limit)
                         .rising("t", quota.readings, [](const auto& reading) { return microseconds(reading.t); })
                         .column("remaining", quota.readings, [](const auto& reading) { return reading.remaining; })
                         .json());
  return fmt::format("[{}]", fmt::join(quotas, ","));
}

/// ASCII without `<`, so that nothing in it can end the element around it.
std::string data_of(RunEnd run) {
  using std::chrono::milliseconds;
  const double from = put_in_order(run.steps);
  const auto timeline = timeline_of_ordered(run.steps);
  Texts texts;
  const auto started =
      run.started ? fmt::to_string(std::chrono::duration_cast<milliseconds>(run.started->time_since_epoch()).count() +
                                   std::llround(from * 1e3))
                  : "null";
  const auto tables = fmt::format(R"("events":{},"calls":{},"attempts":{},"waits":{},"holds":{},"quotas":{})",
                                  events_of(run.steps, timeline, texts), calls_of(timeline), attempts_of(timeline),
                                  waits_of(timeline, texts), holds_of(timeline, texts), quotas_of(timeline, texts));
  const auto prefix = noun::Json(timeline.url_prefix).dump(-1, ' ', true, noun::Json::error_handler_t::replace);
  auto json = fmt::format(
      R"({{"started":{},"length":{},"dropped":{},"lanes":{},"rejected":{},"failed":{},"pages":{},"items":{},)"
      R"("prefix":{},"texts":{},{}}})",
      started, microseconds(timeline.length), run.dropped, timeline.call_lanes, timeline.rejected, timeline.failed,
      timeline.pages, timeline.items, prefix, texts.json(), tables);
  for (auto at = json.find('<'); at != std::string::npos; at = json.find('<', at)) json.replace(at, 1, "\\u003c");
  return json;
}

/// The source of a Content-Security-Policy for an element with this text.
std::string policy_source(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest = {};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::array<unsigned char, 48> base64 = {};
  EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(digest.size()));
  return fmt::format("'sha256-{}'", reinterpret_cast<const char*>(base64.data()));
}

}  // namespace

std::optional<ReportFormat> report_format(const std::filesystem::path& file) {
  if (file.extension() == ".html") return ReportFormat::page;
  if (file.extension() == ".json") return ReportFormat::trace;
  return std::nullopt;
}

bool is_report(std::string_view text) { return text.starts_with(page_start) || text.starts_with(trace_start); }

std::string report_of(std::istream& lines, ReportFormat format, std::size_t most) {
  auto run = read_run_end(lines, most);
  return format == ReportFormat::page ? page_of(std::move(run)) : trace_of(std::move(run));
}

std::string page_of(RunEnd run) {
  return fmt::format(R"({}
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Run</title>
<style>{}</style>
</head>
<body>
{}<script type="application/json" id="run">{}</script>
<script>{}</script>
</body>
</html>
)",
                     page_start, policy_source(page_style), policy_source(page_script), page_style, page_body,
                     data_of(std::move(run)), page_script);
}

}  // namespace recorder
