// The quota laboratory: noun's gate and common policies against simulated APIs, in virtual time.
//
//   quota_laboratory shapes
//   quota_laboratory grid [--quick] [OPTION...] [VALUE...]
//   quota_laboratory herd [--quick]
//   quota_laboratory draw [OPTION...] [VALUE...]
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "joining_thread.hpp"
#include "laboratory/draw.hpp"
#include "laboratory/grid_report.hpp"
#include "laboratory/herd_table.hpp"
#include "laboratory/shapes_table.hpp"

namespace {

using namespace laboratory;

constexpr const char* usage = R"(quota_laboratory shapes
  what each shape does at 600 requests a minute, beside the figures that the design was argued with
quota_laboratory grid [OPTION...] [VALUE...]
  runs the cells that have the values, all of a dimension where none is named: `grid aligned epoch k1 n5`
  --cell ID        one cell, with a trace of its requests
  --quick          those with bars, in part; what is known not to meet them is listed, and is no failure
  --not-met N      lists up to N cells of each kind and reset that are not good enough (default 2)
  --csv            a line for each cell instead of the tables
  --window S       seconds of a window (default 60; 10 shows what rounding costs)
  --limit N        requests of a window (default 60)
  --latency MS     milliseconds of an exchange (default 200)
  --retry-after    rejections have Retry-After
  --seed N         of all that is chance (default 1)
quota_laboratory herd [--quick]
  many processes that share one quota through a store, against the bars; --quick leaves out 1,000 clients
quota_laboratory draw [OPTION...] [VALUE...]
  cells that have the values, by default k1 and a reset that is reported, with limits, windows and latencies drawn at
  random; prints how to repeat those that are not good enough; fails if more than 2 % are severe (not finished, or most
  of the requests rejected), or more than 20 % of those with bars miss them for no known reason
  --draws N        how many (default 300)
  --seed N         of the draws (default: another one each time; it is printed)
)";

const std::vector<std::string> quick_values{"aligned/first/bucket/bucket_next/blocking/policies/partitions",
                                            "epoch/epoch_down/epoch_ms/delta/delta_down/delta_fraction",
                                            "rfc3339/http_date",
                                            "-1h/+5s",
                                            "x1/x4/x16",
                                            "k1",
                                            "n1.1/n5"};

const std::vector<std::string> drawn_values{
    "epoch/epoch_down/epoch_ms/delta/delta_down/delta_fraction/rfc3339/http_date/waits", "k1"};

struct Order {
  GridSettings settings = {};
  std::vector<std::string> values = {};
  bool quick = false;
  bool csv = false;
  bool trace = false;
  std::size_t most = 2;
  std::size_t draws = 300;
  bool seeded = false;
};

long number(const std::string& text) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 0) throw std::invalid_argument(text + " is no number");
  return value;
}

long positive(const std::string& text) {
  const long value = number(text);
  if (value == 0) throw std::invalid_argument("0 is too few");
  return value;
}

Order read_order(const std::vector<std::string>& words) {
  Order order;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    const auto operand = [&] {
      if (++i == words.size()) throw std::invalid_argument(word + " needs a value");
      return words[i];
    };
    if (word == "--quick")
      order.quick = true;
    else if (word == "--csv")
      order.csv = true;
    else if (word == "--retry-after")
      order.settings.retry_after = true;
    else if (word == "--not-met")
      order.most = static_cast<std::size_t>(number(operand()));
    else if (word == "--window")
      order.settings.window = std::chrono::seconds(positive(operand()));
    else if (word == "--limit")
      order.settings.limit = positive(operand());
    else if (word == "--latency")
      order.settings.latency = std::chrono::milliseconds(positive(operand()));
    else if (word == "--seed")
      order.settings.seed = static_cast<std::uint64_t>(number(operand())), order.seeded = true;
    else if (word == "--draws")
      order.draws = static_cast<std::size_t>(positive(operand()));
    else if (word == "--cell")
      order.values = {operand()}, order.trace = true;
    else if (word.starts_with("--"))
      throw std::invalid_argument("there is no option " + word);
    else
      order.values.push_back(word);
  }
  if (order.quick) order.values = quick_values;
  return order;
}

std::vector<Judgement> judge_all(std::size_t count, const std::function<Judgement(std::size_t)>& judge_one) {
  std::vector<Judgement> judgements(count);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) judgements[i] = judge_one(i);
  };
  std::vector<noun_test::JoiningThread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  threads.clear();
  return judgements;
}

void trace(const Cell& cell, const GridSettings& settings) {
  auto experiment = experiment_of(cell, settings);
  experiment.trace = [](Duration since_start, const std::string& line) {
    fmt::print("{:10.3f} {}\n", std::chrono::duration<double>(since_start).count(), line);
  };
  run(experiment, Shape::noun_gate);
}

int run_grid(const Order& order) {
  const auto cells = cells_with(order.values);
  if (order.trace) trace(cells.front(), order.settings);
  const auto judgements = judge_all(cells.size(), [&](std::size_t i) { return judge(cells[i], order.settings); });
  if (order.csv || order.trace) {
    fmt::print("{}", csv(judgements));
  } else {
    fmt::print("{}\n{}\n", summary(judgements), not_met(judgements, order.most));
  }
  if (!order.quick) {
    for (const auto& judgement : judgements)
      if (judgement.must_meet && !judgement.not_met.empty()) return 1;
    return 0;
  }
  const auto unexpected = surprises(judgements);
  for (const auto& one : unexpected) fmt::print("unexpected: {}\n", one);
  return unexpected.empty() ? 0 : 1;
}

/// Every draw is another, and some meet what is not cured yet: only their share is judged.
int run_draw(const Order& order) {
  constexpr double most_severe = 0.02;
  constexpr double most_missed = 0.2;
  const std::uint64_t seed = order.seeded ? order.settings.seed : std::random_device{}() % 1'000'000;
  fmt::print("seed {}\n", seed);
  const auto draws = draw(cells_with(order.values.empty() ? drawn_values : order.values), order.draws, seed);
  const auto judgements =
      judge_all(draws.size(), [&](std::size_t i) { return judge(draws[i].cell, draws[i].settings); });
  double severe_ones = 0;
  double barred = 0;
  double missed = 0;
  double worse = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const auto& judgement = judgements[i];
    const auto fault = severe(judgement);
    const bool misses = judgement.must_meet && !judgement.not_met.empty() && known_gap_of(judgement) == nullptr;
    severe_ones += fault.empty() ? 0 : 1;
    barred += judgement.must_meet ? 1 : 0;
    missed += misses ? 1 : 0;
    worse += !judgement.must_meet && !judgement.not_met.empty() ? 1 : 0;
    if (!fault.empty()) fmt::print("severe: {}\n  grid {}\n", fault, draws[i].options());
    if (fault.empty() && misses) fmt::print("bars not met: {}\n  grid {}\n", judgement.not_met, draws[i].options());
  }
  const auto count = static_cast<double>(draws.size());
  fmt::print("{} of {} draws are severe; {} of {} with bars miss them for no known reason; {} of {} others are worse "
             "than a rival\n",
             severe_ones, count, missed, barred, worse, count - barred);
  return severe_ones <= most_severe * count && missed <= most_missed * barred ? 0 : 1;
}

void print_shapes() {
  fmt::print("L = 600, W = 60 s, d = 0.2 s, c = 10; in brackets the design's figures\n{:42}{:>16}{:>16}{:>18}\n", "",
             "T/T*, N = 500", "N = 3100", "rejected of 3100");
  for (const auto& row : shapes_table())
    fmt::print("{:42}{:8.2f} ({:5.2f}){:8.2f} ({:5.2f}){:10} ({:5})\n", row.name, row.few, row.expected_few, row.many,
               row.expected_many, row.rejected, row.expected_rejected);
}

/// @returns  whether all rows meet their bars.
bool print_herd(bool quick) {
  fmt::print("{:54}{:>10}{:>8}{:>9}{:>9}{:>13}{:>8}{:>8}\n", "", "rejected", "bar", "T/T*", "bar", "ops/request",
             "used", "Jain");
  bool met = true;
  for (const auto& row : herd_table(quick)) {
    const auto bar = std::isinf(row.most_ratio) ? std::string("-") : fmt::format("{:.2f}", row.most_ratio);
    fmt::print("{:54}{:10}{:8}{:9.3f}{:>9}{:13.3f}{:8.3f}{:8.3f}  {}\n", row.name, row.rejected, row.most_rejected,
               row.ratio, bar, row.operations, row.utilisation, row.fairness, row.fault);
    met = met && row.fault.empty();
  }
  return met;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words == std::vector<std::string>{"shapes"}) return print_shapes(), 0;
    if (words == std::vector<std::string>{"herd"}) return print_herd(false) ? 0 : 1;
    if (words == std::vector<std::string>{"herd", "--quick"}) return print_herd(true) ? 0 : 1;
    if (!words.empty() && words[0] == "draw") return run_draw(read_order({words.begin() + 1, words.end()}));
    if (!words.empty() && words[0] == "grid") return run_grid(read_order({words.begin() + 1, words.end()}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "quota_laboratory: {}\n", error.what());
  }
  fmt::print(stderr, "{}", usage);
  return 2;
}
