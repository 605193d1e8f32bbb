#pragma once
// Spans and measurements of noun::Telemetry, sent to a collector of OpenTelemetry: OTLP over HTTP, as JSON.
//
//   otlp::Exporter exporter("my-service");
//   const auto telemetry = noun::telemetry(exporter.functions());
//   noun::Client api{base_url, {.observer = telemetry, .trace_context = telemetry.trace_context()}};
//   ...
//   exporter.send(noun::Client("http://localhost:4318")).value();
//
// @source https://opentelemetry.io/docs/specs/otlp/, section OTLP/HTTP, and opentelemetry-proto 1.5.

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <noun/noun.hpp>

namespace otlp {

/// A span in progress.
struct Span {
  std::string trace_id;
  std::string span_id;
  noun::Json json;
};

/// The measurements with the same attributes.
struct Histogram {
  std::uint64_t count = 0;
  double sum = 0;
  std::array<std::uint64_t, noun::Telemetry::duration_bounds.size() + 1> buckets = {};
};

/// Thread-safe. Of the spans that have ended and were not sent, it keeps the first 2,048.
class Exporter {
 public:
  /// @param service  the value of the resource's `service.name`.
  explicit Exporter(std::string service);

  /// Use them as long as the exporter exists.
  noun::Telemetry::Functions functions();
  /// Sends the spans that have ended, and the histograms of all measurements so far. What could not be sent is kept.
  /// @param collector  a client of the collector, without this telemetry.
  noun::Result<void> send(const noun::Client& collector);

  /// The bodies of the next requests; null if there is nothing to send.
  noun::Json traces() const;
  noun::Json metrics() const;
  /// How many spans were dropped.
  std::uint64_t dropped() const;

 private:
  noun::Telemetry::Span start(const noun::Telemetry::SpanStart& start);
  void add(const noun::Telemetry::Span& span, const noun::Telemetry::SpanEvent& event);
  void end(const noun::Telemetry::Span& span, const noun::Telemetry::SpanEnd& end);
  void record(const noun::Telemetry::Measurement& measurement);
  std::string random_id(int words);
  noun::Json request(const std::string& name, const std::string& in_resource, const std::string& in_scope,
                     noun::Json list) const;

  const std::string service_;
  const noun::WallTime started_;
  std::mutex sending_;
  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::vector<noun::Json> ended_;
  std::uint64_t dropped_ = 0;
  /// By their attributes, as JSON.
  std::map<std::string, Histogram> histograms_;
};

}  // namespace otlp
