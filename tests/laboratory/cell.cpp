#include "laboratory/cell.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace laboratory {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

template <class T>
struct Named {
  std::string_view name;
  T value;
};

struct Kind {
  LimitKind kind = LimitKind::aligned_window;
  BucketReset bucket_reset = BucketReset::until_full;
  ServerTurn server_turn = ServerTurn::alternate;
  bool apart = false;
  LogReset log_reset = LogReset::oldest_expires;
  bool at_once = false;
  Duration blocks_for = {};
  Second second = Second::none;
};

struct Reporting {
  WrittenReset form;
  ResetLie lie;
  bool counts = true;
  bool unavailable = false;
  bool waits = false;
};

const Named<Kind> kinds[] = {
    {"aligned", {}},
    {"first", {.kind = LimitKind::first_window}},
    {"bucket", {.kind = LimitKind::token_bucket}},
    {"bucket_next", {.kind = LimitKind::token_bucket, .bucket_reset = BucketReset::until_next}},
    {"blocking", {.blocks_for = 5s}},
    {"log", {.kind = LimitKind::sliding_log}},
    {"counter", {.kind = LimitKind::sliding_counter}},
    {"two", {.kind = LimitKind::two_counters, .apart = true}},
    {"two_chance", {.kind = LimitKind::two_counters, .server_turn = ServerTurn::chance}},
    {"at_once", {.at_once = true}},
    {"policies", {.second = Second::policy}},
    {"partitions", {.second = Second::partition}},
    {"extended", {.kind = LimitKind::extended_window}},
    {"log_in_window", {.kind = LimitKind::sliding_log, .log_reset = LogReset::window_ends}},
    {"log_from_now", {.kind = LimitKind::sliding_log, .log_reset = LogReset::period_from_now}},
};

constexpr Named<Reporting> resets[] = {
    {"epoch", {WrittenReset::epoch, ResetLie::none}},
    {"epoch_down", {WrittenReset::epoch_down, ResetLie::none}},
    {"epoch_ms", {WrittenReset::epoch_milliseconds, ResetLie::none}},
    {"delta", {WrittenReset::delta, ResetLie::none}},
    {"delta_down", {WrittenReset::delta_down, ResetLie::none}},
    {"delta_fraction", {WrittenReset::delta_fraction, ResetLie::none}},
    {"rfc3339", {WrittenReset::rfc3339, ResetLie::none}},
    {"http_date", {WrittenReset::http_date, ResetLie::none}},
    {"absent", {WrittenReset::absent, ResetLie::none}},
    {"hour_late", {WrittenReset::epoch, ResetLie::hour_late}},
    {"now", {WrittenReset::epoch, ResetLie::now}},
    {"chance", {WrittenReset::epoch, ResetLie::chance}},
    {"nothing", {WrittenReset::absent, ResetLie::none, false}},
    {"unavailable", {WrittenReset::absent, ResetLie::none, false, true}},
    {"waits", {.form = WrittenReset::epoch, .lie = ResetLie::none, .waits = true}},
};

constexpr Named<Duration> clocks[] = {{"-1h", -1h}, {"-5s", -5s}, {"+0s", 0s}, {"+5s", 5s}, {"+1h", 1h}};
constexpr Named<bool> headers[] = {{"all", false}, {"bare", true}};
constexpr Named<bool> orders[] = {{"ordered", false}, {"overtaking", true}};
constexpr Named<std::size_t> in_flights[] = {{"x1", 1}, {"x4", 4}, {"x16", 16}};
constexpr Named<std::size_t> client_counts[] = {{"k1", 1}, {"k4", 4}, {"k64", 64}};
constexpr Named<double> loads[] = {{"n0.1", 0.1}, {"n0.9", 0.9}, {"n1", 1}, {"n1.1", 1.1}, {"n5", 5}, {"n8", 8}};

template <class T, std::size_t N>
std::vector<std::string_view> names(const Named<T> (&named)[N]) {
  std::vector<std::string_view> names;
  for (const auto& one : named) names.push_back(one.name);
  return names;
}

std::size_t index_of(Dimension dimension) { return static_cast<std::size_t>(dimension); }

/// The chosen values of each dimension; an empty choice means all values.
using Choice = std::array<std::vector<std::size_t>, dimensions>;

bool choose(Choice& choice, std::string_view word) {
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    const auto& values = values_of(static_cast<Dimension>(dimension));
    const auto found = std::find(values.begin(), values.end(), word);
    if (found == values.end()) continue;
    choice[dimension].push_back(static_cast<std::size_t>(found - values.begin()));
    return true;
  }
  return false;
}

}  // namespace

const std::vector<std::string_view>& values_of(Dimension dimension) {
  static const std::array<std::vector<std::string_view>, dimensions> all{
      names(kinds),  names(resets),     names(clocks),        names(headers),
      names(orders), names(in_flights), names(client_counts), names(loads)};
  return all[index_of(dimension)];
}

std::string_view Cell::value(Dimension dimension) const { return values_of(dimension)[at[index_of(dimension)]]; }

std::string Cell::id() const {
  std::string id;
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    if (dimension > 0) id += '/';
    id += value(static_cast<Dimension>(dimension));
  }
  return id;
}

std::string Cell::group() const {
  return std::string(value(Dimension::kind)) + '/' + std::string(value(Dimension::reset));
}

std::vector<Cell> cells_with(const std::vector<std::string>& words) {
  Choice choice;
  for (std::string_view rest : words)
    while (!rest.empty()) {
      const auto word = rest.substr(0, rest.find('/'));
      if (!choose(choice, word)) throw std::invalid_argument("no dimension of the grid has " + std::string(word));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    }
  std::vector<Cell> cells{Cell{}};
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    const auto& chosen = choice[dimension];
    std::vector<Cell> next;
    for (auto cell : cells)
      for (std::size_t i = 0; i < values_of(static_cast<Dimension>(dimension)).size(); ++i) {
        if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), i) == chosen.end()) continue;
        cell.at[dimension] = i;
        next.push_back(cell);
      }
    cells = std::move(next);
  }
  return cells;
}

Experiment experiment_of(const Cell& cell, const GridSettings& settings) {
  const auto at = [&](Dimension dimension) { return cell.at[index_of(dimension)]; };
  std::seed_seq seeds(cell.at.begin(), cell.at.end());
  std::mt19937_64 random(seeds);
  random.seed(random() + settings.seed);
  const auto within_a_second = [&] { return milliseconds(random() % 1000); };

  const Kind& kind = kinds[at(Dimension::kind)].value;
  const Reporting& reporting = resets[at(Dimension::reset)].value;
  Experiment experiment;
  experiment.seed = random();
  experiment.service = {.limit = {.kind = kind.kind,
                                  .limit = settings.limit,
                                  .period = settings.window,
                                  .phase = random() % 2 == 0 ? milliseconds(0) : within_a_second(),
                                  .blocks_for = kind.blocks_for,
                                  .bucket_reset = kind.bucket_reset,
                                  .log_reset = kind.log_reset,
                                  .server_turn = kind.server_turn,
                                  .servers_apart = kind.apart ? settings.window / 2 : Duration(0),
                                  .seed = random()},
                        .most_at_once = kind.at_once ? std::size_t{4} : 0,
                        .second = kind.second,
                        .fields = {.reset = reporting.form,
                                   .counts = reporting.counts,
                                   .retry_after = settings.retry_after,
                                   .waits = reporting.waits,
                                   .lie = reporting.lie,
                                   .seed = random()},
                        .unavailable = reporting.unavailable,
                        .bare_errors = headers[at(Dimension::headers)].value};
  // A second limit: a burst limit that is sometimes tighter than the window's pace, or a partition of half the size.
  const bool burst = kind.second == Second::policy;
  experiment.service.second_limit = {.limit = std::max<std::int64_t>(settings.limit / (burst ? 5 : 2), 1),
                                     .period = burst ? settings.window / 6 : settings.window,
                                     .phase = experiment.service.limit.phase};
  const double requests = static_cast<double>(settings.limit) * loads[at(Dimension::load)].value;
  experiment.workload = {.requests = std::max<std::int64_t>(std::llround(requests), 1),
                         .clients = client_counts[at(Dimension::clients)].value,
                         .in_flight = in_flights[at(Dimension::in_flight)].value,
                         .latency = settings.latency,
                         .jitter = orders[at(Dimension::order)].value,
                         .clock_offset = clocks[at(Dimension::clock)].value,
                         .start = settings.window / 3 + within_a_second()};
  return experiment;
}

}  // namespace laboratory
