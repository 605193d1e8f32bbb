// The samples of a range of any length, a line each. @source https://prometheus.io/docs/prometheus/latest/querying/api/#range-queries
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Series {
  noun::Json metric;  // its labels
  std::vector<std::pair<double, std::string>> values;
};
NOUN_DESCRIBE(Series, metric, values)
struct Matrix {
  std::vector<Series> result;
};
NOUN_DESCRIBE(Matrix, result)

int main(int argc, char** argv) try {
  const std::int64_t step = argc == 5 ? std::atoll(argv[4]) : 0;
  if (step <= 0) return fmt::print(stderr, "usage: prometheus QUERY START END STEP, in seconds\n"), 2;
  const char* url = std::getenv("PROMETHEUS_URL");
  const noun::Client api{url ? url : "http://localhost:9090", {.dialect = {.member = {.reply = "/data"}}}};
  const auto range = api.singleton<Matrix>("api/v1/query_range");
  const std::int64_t end = std::atoll(argv[3]), most = 11'000;  // points of a series in one response
  for (std::int64_t start = std::atoll(argv[2]); start <= end; start += most * step) {
    const auto last = std::min(end, start + (most - 1) * step);
    const auto part = range.get({.query = {{"query", argv[1]}, {"start", start}, {"end", last}, {"step", step}}});
    for (const auto& series : part.value().result)
      for (const auto& [time, value] : series.values) fmt::print("{:.3f}\t{}\t{}\n", time, value, series.metric.dump());
  }
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
