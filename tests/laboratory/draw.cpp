#include "laboratory/draw.hpp"

#include <cmath>
#include <random>

#include <fmt/format.h>

namespace laboratory {
namespace {

/// From 0 to 1, without a distribution of the library, whose results differ by compiler.
double share_of(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) / 9007199254740992.0; }

std::int64_t drawn(std::mt19937_64& random, const DrawRange& range) {
  return std::llround(range.least * std::pow(range.most / range.least, share_of(random)));
}

}  // namespace

std::string Draw::options() const {
  return fmt::format("--cell {} --limit {} --window {} --latency {} --seed {}{}", cell.id(), settings.limit,
                     std::chrono::floor<std::chrono::seconds>(settings.window).count(),
                     std::chrono::floor<std::chrono::milliseconds>(settings.latency).count(), settings.seed,
                     settings.retry_after ? " --retry-after" : "");
}

std::vector<Draw> draw(const std::vector<Cell>& cells, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Draw> draws(count);
  for (auto& one : draws) {
    one.cell = cells[static_cast<std::size_t>(random() % cells.size())];
    one.settings.limit = drawn(random, drawn_limits);
    one.settings.window = std::chrono::seconds(drawn(random, drawn_windows));
    one.settings.latency = std::chrono::milliseconds(drawn(random, drawn_latencies));
    one.settings.retry_after = random() % 2 == 0;
    one.settings.seed = random() % 1'000'000;
  }
  return draws;
}

std::string severe(const Judgement& judgement) {
  const Outcome& outcome = judgement.outcome;
  const bool rival_finished = judgement.must_meet || judgement.best.elapsed < Duration::max();
  if (!outcome.finished && rival_finished) return "not finished";
  if (outcome.waste() <= 0.5 || judgement.best.waste > 0.5 || outcome.rejected < 10) return {};
  return fmt::format("{} of {} requests rejected", outcome.rejected, outcome.requests);
}

}  // namespace laboratory
