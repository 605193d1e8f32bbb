// What the parts of a call cost inside a process: Google Benchmark. Run by tests/benchmark/run.
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <benchmark/benchmark.h>
#include <noun/noun.hpp>
#include <noun/stop.hpp>

#include "benchmark/record.hpp"
#include "quota/gate.hpp"
#include "wire/rate_limit.hpp"

namespace {

using namespace std::chrono_literals;
using noun_benchmark::Record;

noun::Headers response_headers() {
  return {{"Server", "nginx"},
          {"Date", "Tue, 14 Nov 2023 22:13:20 GMT"},
          {"Content-Type", "application/json"},
          {"X-RateLimit-Limit", "100000000"},
          {"X-RateLimit-Remaining", "90000000"},
          {"X-RateLimit-Reset", "1700003600"}};
}

/// Responds at once, with the same body.
class Instantly final : public noun::Transport {
 public:
  explicit Instantly(std::string body) { response_ = {.status = 200, .headers = {}, .body = std::move(body)}; }
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken&) override { return response_; }

 private:
  noun::Response response_;
};

noun::Client client_of(std::string body, noun::ClientOptions options = {}) {
  options.transport = std::make_shared<Instantly>(std::move(body));
  return noun::Client("https://api.example.com/v1", options);
}

std::string record_text() { return nlohmann::json(noun_benchmark::one_kilobyte()).dump(); }

/// 100 items, 60 KB.
std::string page_text() { return nlohmann::json(std::vector<Record>(100, noun_benchmark::one_kilobyte(340))).dump(); }

void address(benchmark::State& state) {
  const auto languages = client_of("").collection<Record>("languages");
  for (auto _ : state) benchmark::DoNotOptimize(noun::op::get(languages["qkb"]));
}
BENCHMARK(address);

void rate_limit_fields(benchmark::State& state) {
  const auto headers = response_headers();
  const noun::Dialect dialect;
  const noun::WallTime now(1'700'000'000s);
  for (auto _ : state) benchmark::DoNotOptimize(noun::wire::read_rate_limit(headers, dialect, now));
}
BENCHMARK(rate_limit_fields);

void gate_acquire_and_record(benchmark::State& state) {
  namespace quota = noun::quota;
  const auto gate = std::make_shared<quota::Gate>();
  noun::Now now{noun::Instant(1000s), noun::WallTime(1'700'000'000s)};
  quota::Report report;
  report.limit = 100'000'000;
  std::int64_t left = 90'000'000;
  for (auto _ : state) {
    auto permit = gate->acquire(now, {}, {.patient_until = noun::Instant::max(), .route = 7});
    now.steady += 1us;
    now.wall += 1us;
    report.remaining = --left;
    report.reset = noun::wire::ResetReading{.in = 3600s, .at = {}};
    gate->record(std::get<quota::Permit>(std::move(permit)), now, report);
  }
}
BENCHMARK(gate_acquire_and_record);

void get_number(benchmark::State& state, const noun::Client& api) {
  const auto languages = api.collection<int>("languages");
  for (auto _ : state)
    if (languages["qkb"].get().value() != 7) throw std::logic_error("not the number that was sent");
}

void call_without_network(benchmark::State& state) { get_number(state, client_of("7")); }
BENCHMARK(call_without_network);

void observed_call_without_network(benchmark::State& state) {
  get_number(state, client_of("7", {.observer = [](const noun::Event&) {}}));
}
BENCHMARK(observed_call_without_network);

/// With spans and durations that nobody keeps.
void traced_call_without_network(benchmark::State& state) {
  using noun::Telemetry;
  const auto telemetry = noun::telemetry({.start_span =
                                              [](const Telemetry::SpanStart&) {
                                                constexpr auto* parent =
                                                    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
                                                return Telemetry::Span{.context = {.traceparent = parent}};
                                              },
                                          .add_event = [](const auto&, const auto&) {},
                                          .end_span = [](const auto&, const auto&) {},
                                          .record_duration = [](const auto&) {}});
  get_number(state, client_of("7", {.observer = telemetry, .trace_context = telemetry.trace_context()}));
}
BENCHMARK(traced_call_without_network);

void decode_record(benchmark::State& state) {
  const auto text = record_text();
  for (auto _ : state) benchmark::DoNotOptimize(noun::Codec<Record>::decode(text).value());
}
BENCHMARK(decode_record);

void decode_record_by_nlohmann(benchmark::State& state) {
  const auto text = record_text();
  for (auto _ : state) benchmark::DoNotOptimize(nlohmann::json::parse(text).get<Record>());
}
BENCHMARK(decode_record_by_nlohmann);

void list_page(benchmark::State& state) {
  const auto languages = client_of(page_text()).collection<Record>("languages");
  for (auto _ : state) {
    std::size_t items = 0;
    for (const auto& page : languages.list({.max_items = 100}).pages()) items += page.value().items.size();
    if (items != 100) throw std::logic_error("not the items that were sent");
  }
}
BENCHMARK(list_page);

void list_page_by_nlohmann(benchmark::State& state) {
  const auto text = page_text();
  for (auto _ : state) benchmark::DoNotOptimize(nlohmann::json::parse(text).get<std::vector<Record>>());
}
BENCHMARK(list_page_by_nlohmann);

}  // namespace

BENCHMARK_MAIN();
