// Traces and metrics of a listing. They go to the collector of OpenTelemetry at OTEL_EXPORTER_OTLP_ENDPOINT, such as
// http://localhost:4318; without one, the spans are printed.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <noun/noun.hpp>

#include "telemetry/otlp_exporter.hpp"

int main() try {
  otlp::Exporter exporter("languages");
  const auto telemetry = noun::telemetry(exporter.functions());
  const noun::Client api{std::getenv("NOUN_EXAMPLE_URL"),
                         {.observer = telemetry, .trace_context = telemetry.trace_context()}};

  std::size_t items = 0;
  for (const auto& language : api.collection("languages").list({.page_size = 100, .max_items = 500})) items += language ? 1 : 0;
  fmt::print("{} languages\n", items);
  fmt::print("{}\n", api.collection("languages")["none"].get().error().message());

  if (const auto* endpoint = std::getenv("OTEL_EXPORTER_OTLP_ENDPOINT")) {
    exporter.send(noun::Client(endpoint)).value();
    return 0;
  }
  const auto traces = exporter.traces();
  for (const auto& span : traces["resourceSpans"][0]["scopeSpans"][0]["spans"])
    fmt::print("{}{}\n", span.contains("parentSpanId") ? "  " : "", span["name"].get<std::string>());
} catch (const noun::Exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
