// The saved state of a quota gate: what a gate saved after some responses, with bytes of it changed, or any bytes. They
// are refused, or make a gate that works.
#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>

#include "fuzz/invariant.hpp"
#include "quota/gate.hpp"

namespace {

using namespace std::chrono_literals;
using namespace noun;
using noun_fuzz::require;
using quota::Gate;
using quota::Report;

constexpr Instant began{1000s};

std::shared_ptr<Gate> new_gate() { return make_quota_ledger()->gate("https://api.example.com", "fuzz"); }

Now at(Duration span) {
  return {began + span, WallTime(1'700'000'000s) + std::chrono::duration_cast<WallTime::duration>(span)};
}

Report some_report(FuzzedDataProvider& input) {
  Report report;
  report.outcome = input.ConsumeIntegralInRange(0, 5) == 5 ? quota::Outcome::rejected : quota::Outcome::served;
  if (input.ConsumeBool()) report.limit = input.ConsumeIntegralInRange(1, 100);
  if (input.ConsumeBool()) report.remaining = input.ConsumeIntegralInRange(0, 100);
  if (input.ConsumeBool()) report.window = std::chrono::seconds(input.ConsumeIntegralInRange(1, 3600));
  if (input.ConsumeBool())
    report.reset = wire::ResetReading{.in = std::chrono::seconds(input.ConsumeIntegralInRange(0, 3600)), .at = {}};
  if (input.ConsumeBool()) report.retry_after = std::chrono::seconds(input.ConsumeIntegralInRange(0, 60));
  if (input.ConsumeBool()) report.refill_per_second = 0.5;
  if (input.ConsumeBool()) report.partition = input.ConsumeBool() ? "core" : "search";
  if (input.ConsumeBool()) {
    report.more.emplace_back();
    report.more.back().name = "day";
    report.more.back().limit = 1000;
    report.more.back().remaining = input.ConsumeIntegralInRange(0, 1000);
  }
  return report;
}

/// Sends requests one after the other, `now` and later. Returns the time after them.
Duration use(Gate& gate, FuzzedDataProvider& input, Duration now, int requests) {
  const QuotaPolicy policy;
  for (; requests > 0; --requests) {
    now += std::chrono::milliseconds(input.ConsumeIntegralInRange(0, 100'000));
    const auto route = input.ConsumeIntegralInRange<quota::RouteKey>(0, 2);
    auto acquired = gate.acquire(at(now), policy, {.patient_until = Instant::max(), .route = route});
    if (const auto* hold = std::get_if<quota::Hold>(&acquired)) {
      require(hold->earliest.at >= at(now).steady && hold->acquire_at >= at(now).steady, "a hold is not negative");
      continue;
    }
    now += std::chrono::milliseconds(input.ConsumeIntegralInRange(0, 1000));
    gate.record(std::get<quota::Permit>(std::move(acquired)), at(now), some_report(input));
    gate.take_woken();
  }
  const auto forecast = gate.forecast(at(now), 0, input.ConsumeIntegralInRange(0, 1000), 1);
  static_cast<void>(forecast);
  gate.reading(at(now));
  const auto snapshot = gate.snapshot(at(now));
  require(snapshot.remaining.value_or(0) >= 0 && snapshot.resets_in.value_or(1ns) > 0ns, "a snapshot is in its ranges");
  return now;
}

std::string some_state(FuzzedDataProvider& input) {
  if (input.ConsumeIntegralInRange(0, 3) == 3) return input.ConsumeRandomLengthString(400);
  const auto gate = new_gate();
  const auto now = use(*gate, input, 0s, input.ConsumeIntegralInRange(0, 12));
  auto bytes = gate->save(at(now).steady);
  require(new_gate()->load(bytes, at(now).steady, Gate::InFlight::is_lost), "what a gate saved is loaded");
  for (auto changes = input.ConsumeIntegralInRange(0, 3); changes > 0 && !bytes.empty(); --changes)
    bytes[input.ConsumeIntegralInRange<std::size_t>(0, bytes.size() - 1)] = input.ConsumeIntegral<char>();
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const auto bytes = some_state(input);
  const auto gate = new_gate();
  const auto before = gate->save(began);
  const auto in_flight = input.ConsumeBool() ? Gate::InFlight::is_lost : Gate::InFlight::is_ours;
  if (!gate->load(bytes, began, in_flight)) {
    require(gate->save(began) == before, "a refused state changes nothing");
    return 0;
  }
  const auto state = gate->save(began);
  const auto copy = new_gate();
  require(copy->load(state, began, Gate::InFlight::is_ours), "what was loaded is saved");
  require(copy->save(began) == state, "what was saved is loaded");
  use(*gate, input, 0s, 8);
  return 0;
}
