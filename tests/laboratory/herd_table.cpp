#include "laboratory/herd_table.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include <fmt/format.h>

#include "laboratory/herd.hpp"
#include "laboratory/optimum.hpp"

namespace laboratory {
namespace {

using namespace std::chrono_literals;

constexpr double no_bar = std::numeric_limits<double>::infinity();

/// What a row must not miss.
struct Bars {
  std::int64_t rejected = 0;
  double ratio = no_bar;
  double operations = no_bar;
  double utilisation = 0;
  double fairness = 0;
  Duration idle = Duration::max();
};

/// 400 requests to 50 per 2 s.
HerdSetup job(std::size_t processes) {
  return {.limit = {.limit = 50, .period = 2s}, .processes = processes, .requests = 400};
}

/// The least time against a sliding counter: each request is sent as soon as the service itself would admit it.
Duration best_in_counter(const HerdSetup& setup) {
  SimulatedLimit limit(setup.limit);
  const noun::WallTime begin{};
  auto at = begin + setup.latency / 2;
  for (std::int64_t sent = 0; sent < setup.requests; ++sent) {
    at += limit.admits_in(at);
    limit.count(at);
  }
  return at + setup.latency / 2 - begin;
}

Duration best_of(const HerdSetup& setup) {
  const auto& limit = setup.limit;
  const auto in_flight = static_cast<std::int64_t>(setup.one_after_another ? 1 : setup.processes * setup.in_flight);
  const Work work{.requests = setup.requests, .in_flight = in_flight, .exchange = setup.latency};
  switch (limit.kind) {
    case LimitKind::token_bucket: return best_in_bucket(work, limit.limit, limit.limit, limit.period);
    case LimitKind::sliding_log: return best_in_log(work, limit.limit, limit.period);
    case LimitKind::sliding_counter: return best_in_counter(setup);
    default: return best_in_windows(work, {limit.limit, limit.limit, limit.period - setup.starts_at, limit.period});
  }
}

HerdRow row_of(std::string name, const std::vector<HerdSetup>& setups, const Bars& bars) {
  HerdRow row{.name = std::move(name),
              .most_rejected = bars.rejected,
              .most_ratio = bars.ratio,
              .utilisation = 1,
              .fairness = 1,
              .fault = {}};
  Duration idle = {};
  for (const auto& setup : setups) {
    const auto report = run_herd(setup);
    const bool ends = setup.ends_at < 48h;
    row.rejected = std::max(row.rejected, report.rejected);
    row.ratio = std::max(row.ratio, std::chrono::duration<double>(report.elapsed) / best_of(setup));
    row.operations =
        std::max(row.operations, static_cast<double>(report.operations) / static_cast<double>(report.requests));
    row.utilisation = std::min(row.utilisation, report.utilisation);
    row.fairness = std::min(row.fairness, report.fairness());
    if (!report.finished && !ends) row.fault = "a process did not end";
    if (!report.broken.empty()) row.fault = report.broken;
    idle = std::max(idle, report.idle);
  }
  if (row.rejected > bars.rejected) row.fault = "too many are rejected";
  if (row.ratio > bars.ratio) row.fault = "too slow";
  if (row.operations > bars.operations) row.fault = "too many operations";
  if (row.utilisation < bars.utilisation) row.fault = "too little is used";
  if (row.fairness < bars.fairness) row.fault = "unfair";
  if (idle > bars.idle) row.fault = "permits are left unused";
  return row;
}

HerdRow row_of(std::string name, const HerdSetup& setup, const Bars& bars) {
  return row_of(std::move(name), std::vector{setup}, bars);
}

HerdSetup with_limit(LimitKind kind) {
  auto setup = job(8);
  setup.limit.kind = kind;
  return setup;
}

HerdSetup with_reset(WrittenReset reset) {
  auto setup = job(8);
  setup.fields.reset = reset;
  return setup;
}

/// The windows end on whole seconds, and the herd starts within one. It must learn where a second begins.
std::vector<HerdSetup> at_other_times() {
  std::vector<HerdSetup> setups;
  for (Duration starts_at = 100ms; starts_at < 1900ms; starts_at += 200ms) {
    auto setup = job(8);
    setup.latency = 3ms;
    setup.starts_at = starts_at;
    setups.push_back(setup);
  }
  return setups;
}

/// Some processes end while others wait for the last permits, and drivers wake as late as real ones.
std::vector<HerdSetup> late_drivers() {
  std::vector<HerdSetup> setups;
  for (std::int64_t requests = 56; requests <= 128; ++requests) {
    HerdSetup setup{.limit = {.limit = 50, .period = 60s, .phase = 100ms}, .requests = requests, .late = 100us};
    setup.jitter = true;
    setup.reports_demand = requests % 2 == 0;
    setups.push_back(setup);
  }
  return setups;
}

/// The herd starts at another moment of a window in each.
std::vector<HerdSetup> with_other_starts() {
  std::vector<HerdSetup> setups;
  for (std::uint64_t seed = 2; seed <= 6; ++seed)
    for (const Duration phase : {100ms, 500ms, 1300ms, 1900ms}) {
      auto setup = with_limit(LimitKind::sliding_counter);
      setup.limit.phase = phase;
      setup.in_flight = 2;
      setup.latency = 50ms;
      setup.jitter = true;
      setup.seed = seed;
      setups.push_back(setup);
    }
  return setups;
}

/// Another one of eight is killed at another moment in each.
std::vector<HerdSetup> with_a_kill() {
  std::vector<HerdSetup> setups;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto setup = job(8);
    setup.jitter = true;
    setup.seed = seed;
    setup.killed = seed % 8;
    setup.killed_at = Duration(static_cast<std::int64_t>(seed * 0x9E37'79B9'7F4A'7C15U % 12'000'000'000U));
    setups.push_back(setup);
  }
  return setups;
}

HerdSetup with_outage(bool forgets) {
  auto setup = job(8);
  setup.store_stops_at = 3'300ms;
  setup.store_is_back_at = forgets ? 4'300ms : 13'300ms;
  setup.store_forgets = forgets;
  return setup;
}

/// Each process has work for longer than the run.
HerdSetup thousand_clients() {
  return {.limit = {.limit = 5000, .period = 1h},
          .processes = 1000,
          .requests = 1'000'000,
          .jitter = true,
          .ends_at = 3h - 1s};
}

}  // namespace

std::vector<HerdRow> herd_table(bool quick) {
  std::vector<HerdRow> rows;
  for (const std::size_t processes : {4U, 8U})
    rows.push_back(
        row_of(fmt::format("{} processes, 50 per 2 s, 400 requests", processes), job(processes), {.ratio = 1.06}));
  rows.push_back(row_of("the same from 9 other starts", at_other_times(), {.ratio = 1.04}));
  rows.push_back(row_of("4 processes, 50 per minute, drivers wake late", late_drivers(), {.idle = 1s}));
  const Bars loose{.rejected = 2, .ratio = 1.15};
  rows.push_back(row_of("8 processes, token bucket", with_limit(LimitKind::token_bucket), loose));
  // Windows of three seconds would explain the resets too.
  rows.push_back(row_of("8 processes, sliding log", with_limit(LimitKind::sliding_log), {.rejected = 2, .ratio = 1.25}));
  rows.push_back(row_of("8 processes, sliding counter", with_limit(LimitKind::sliding_counter), loose));
  // Those that start just before a reset lose a second of the first window, because resets are rounded up.
  rows.push_back(row_of("the same from 20 other starts", with_other_starts(), {.rejected = 2, .ratio = 1.2}));
  auto by_durations = with_limit(LimitKind::sliding_counter);
  by_durations.fields.reset = WrittenReset::delta_fraction;
  rows.push_back(row_of("8 processes, sliding counter, delta resets in ms", by_durations, loose));
  auto hour_off = job(8);
  hour_off.clock_offset = -1h;
  rows.push_back(row_of("8 processes, clock an hour off", hour_off, loose));
  rows.push_back(row_of("8 processes, delta resets", with_reset(WrittenReset::delta), loose));
  rows.push_back(row_of("8 processes, resets rounded down", with_reset(WrittenReset::epoch_down), loose));
  auto sequence = job(100);
  sequence.requests = 300;
  sequence.one_after_another = true;
  rows.push_back(row_of("100 processes in sequence, 3 requests each", sequence, {.ratio = 1.1}));
  rows.push_back(row_of("one of eight killed, 20 times", with_a_kill(), {}));
  rows.push_back(row_of("8 processes, the store stops and is empty", with_outage(true), {.rejected = 8}));
  rows.push_back(row_of("8 processes, the store pauses 10 s", with_outage(false), {.rejected = 8}));
  auto outage = with_outage(false);
  outage.limit.kind = LimitKind::sliding_log;
  rows.push_back(row_of("the same with a sliding log", outage, {.rejected = 8}));
  auto slow = job(8);
  slow.store_latency = 200ms;
  rows.push_back(row_of("8 processes, a store with 200 ms latency", slow, {.ratio = 2.2}));
  slow.store_slows_at = 3'300ms;
  rows.push_back(row_of("8 processes, a store that becomes so slow", slow, {.rejected = 8}));
  auto hourly = job(8);
  hourly.limit = {.limit = 5000, .period = 1h};
  hourly.requests = 5000;
  rows.push_back(row_of("8 processes, 5,000 per hour", hourly, {.operations = 0.25}));
  if (!quick) {
    auto row = row_of("1,000 clients, 5,000 per hour, 3 hours", thousand_clients(),
                      {.rejected = 75, .utilisation = 0.97, .fairness = 0.95});
    row.ratio = 1;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace laboratory
