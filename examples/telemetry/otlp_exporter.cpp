#include "otlp_exporter.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace otlp {
namespace {

using noun::Json;
using noun::Telemetry;

constexpr std::size_t most_spans = 2048;
// Of the enumerations in opentelemetry-proto.
constexpr int span_kind_internal = 1;
constexpr int span_kind_client = 3;
constexpr int status_error = 2;
constexpr int cumulative = 2;

/// In JSON, an integer of 64 bits is text.
std::string nanoseconds(noun::WallTime time) {
  return std::to_string(std::chrono::nanoseconds(time.time_since_epoch()).count());
}

Json json_of(std::span<const Telemetry::Attribute> attributes) {
  auto list = Json::array();
  for (const auto& attribute : attributes) {
    Json value;
    std::visit(
        [&](const auto& held) {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<Held, double>)
            value["doubleValue"] = held;
          else if constexpr (std::is_same_v<Held, std::int64_t>)
            value["intValue"] = std::to_string(held);
          else
            value["stringValue"] = held;
        },
        attribute.value);
    list.push_back({{"key", attribute.name}, {"value", std::move(value)}});
  }
  return list;
}

void append(Json& list, Json more) { list.insert(list.end(), more.begin(), more.end()); }

std::mt19937_64 random_engine() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
  return std::mt19937_64(seed);
}

Span& span_of(const Telemetry::Span& span) { return *static_cast<Span*>(span.handle.get()); }

}  // namespace

Exporter::Exporter(std::string service)
    : service_(std::move(service)), started_(noun::system_clock()->now().wall), random_(random_engine()) {}

Telemetry::Functions Exporter::functions() {
  return {.start_span = [this](const Telemetry::SpanStart& start) { return this->start(start); },
          .add_event = [this](const Telemetry::Span& span, const Telemetry::SpanEvent& event) { add(span, event); },
          .end_span = [this](const Telemetry::Span& span, const Telemetry::SpanEnd& end) { this->end(span, end); },
          .record_duration = [this](const Telemetry::Measurement& measurement) { record(measurement); }};
}

Telemetry::Span Exporter::start(const Telemetry::SpanStart& start) {
  auto span = std::make_shared<Span>();
  const auto* parent = start.parent == nullptr ? nullptr : &span_of(*start.parent);
  {
    const std::lock_guard lock(mutex_);
    span->trace_id = parent == nullptr ? random_id(2) : parent->trace_id;
    span->span_id = random_id(1);
  }
  span->json = {{"traceId", span->trace_id},
                {"spanId", span->span_id},
                {"name", start.name},
                {"kind", start.kind == Telemetry::SpanKind::client ? span_kind_client : span_kind_internal},
                {"startTimeUnixNano", nanoseconds(start.at)},
                {"attributes", json_of(start.attributes)}};
  if (parent != nullptr) span->json["parentSpanId"] = parent->span_id;
  noun::TraceContext context{.traceparent = fmt::format("00-{}-{}-01", span->trace_id, span->span_id)};
  return {.handle = std::move(span), .context = std::move(context)};
}

void Exporter::add(const Telemetry::Span& span, const Telemetry::SpanEvent& event) {
  span_of(span).json["events"].push_back(
      {{"name", event.name}, {"timeUnixNano", nanoseconds(event.at)}, {"attributes", json_of(event.attributes)}});
}

void Exporter::end(const Telemetry::Span& span, const Telemetry::SpanEnd& end) {
  auto json = std::move(span_of(span).json);
  json["endTimeUnixNano"] = nanoseconds(end.at);
  append(json["attributes"], json_of(end.attributes));
  if (end.failed) json["status"]["code"] = status_error;
  const std::lock_guard lock(mutex_);
  if (ended_.size() < most_spans)
    ended_.push_back(std::move(json));
  else
    ++dropped_;
}

void Exporter::record(const Telemetry::Measurement& measurement) {
  const auto& bounds = Telemetry::duration_bounds;
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), measurement.seconds) - bounds.begin();
  const auto key = json_of(measurement.attributes).dump();
  const std::lock_guard lock(mutex_);
  auto& histogram = histograms_[key];
  ++histogram.count;
  histogram.sum += measurement.seconds;
  ++histogram.buckets[static_cast<std::size_t>(bucket)];
}

std::string Exporter::random_id(int words) {
  std::string id;
  for (int word = 0; word < words; ++word) id += fmt::format("{:016x}", random_() | 1U);
  return id;
}

/// Of spans or of metrics, which are called `name` in a scope.
Json Exporter::request(const std::string& name, const std::string& in_resource, const std::string& in_scope,
                       Json list) const {
  const Json service = {{"key", "service.name"}, {"value", {{"stringValue", service_}}}};
  const Json resource = {{"attributes", Json::array({service})}};
  const Json scope = {{"scope", {{"name", "noun"}, {"version", NOUN_VERSION}}}, {name, std::move(list)}};
  const Json whole = {{"resource", resource}, {in_scope, Json::array({scope})}};
  return {{in_resource, Json::array({whole})}};
}

Json Exporter::traces() const {
  const std::lock_guard lock(mutex_);
  return ended_.empty() ? Json() : request("spans", "resourceSpans", "scopeSpans", ended_);
}

Json Exporter::metrics() const {
  const std::lock_guard lock(mutex_);
  if (histograms_.empty()) return {};
  auto points = Json::array();
  const auto now = nanoseconds(noun::system_clock()->now().wall);
  for (const auto& [key, histogram] : histograms_) {
    auto counts = Json::array();
    for (const auto count : histogram.buckets) counts.push_back(std::to_string(count));
    points.push_back({{"attributes", Json::parse(key)},
                      {"startTimeUnixNano", nanoseconds(started_)},
                      {"timeUnixNano", now},
                      {"count", std::to_string(histogram.count)},
                      {"sum", histogram.sum},
                      {"bucketCounts", std::move(counts)},
                      {"explicitBounds", Telemetry::duration_bounds}});
  }
  const Json metric = {{"name", "http.client.request.duration"},
                       {"description", "Duration of HTTP client requests."},
                       {"unit", "s"},
                       {"histogram", {{"aggregationTemporality", cumulative}, {"dataPoints", std::move(points)}}}};
  return request("metrics", "resourceMetrics", "scopeMetrics", Json::array({metric}));
}

std::uint64_t Exporter::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

noun::Result<void> Exporter::send(const noun::Client& collector) {
  const std::lock_guard one_at_a_time(sending_);
  if (const auto spans = traces(); !spans.is_null()) {
    const auto size = spans["resourceSpans"][0]["scopeSpans"][0]["spans"].size();
    if (auto sent = collector.collection("v1/traces").create<void>(spans); !sent) return sent;
    const std::lock_guard lock(mutex_);
    ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(size));
  }
  const auto durations = metrics();
  return durations.is_null() ? noun::Result<void>() : collector.collection("v1/metrics").create<void>(durations);
}

}  // namespace otlp
