// fault_bench [--cells] [NAME...]: what noun makes of every fault, or of those whose names have a NAME in them or whose
// group is NAME, beside libcurl as its examples use it; a line for each kind of fault, and with --cells one for each cell.
// Then how late deadlines were, and what memory the faults took. The status is 1 unless noun is right in every cell.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <noun/time.hpp>

#include "faults/by_hand.hpp"
#include "faults/fault_cell.hpp"
#include "soak/peak_memory.hpp"

namespace {

using namespace std::chrono_literals;
using namespace noun_test;

/// The cells of one kind of fault.
struct Count {
  int cells = 0;
  int right = 0;
  int silently_wrong = 0;
  int by_hand = 0;
  std::array<int, 6> hand{};

  void operator+=(const Count& other) {
    cells += other.cells;
    right += other.right;
    silently_wrong += other.silently_wrong;
    by_hand += other.by_hand;
    for (std::size_t i = 0; i < hand.size(); ++i) hand[i] += other.hand[i];
  }
};

void print(std::string_view name, const Count& count) {
  const auto by_hand = [&](ByHand verdict) { return count.hand[static_cast<std::size_t>(verdict)]; };
  fmt::print("{:<20} {:>6} {:>6} {:>9} {:>8} {:>9} {:>7} {:>7} {:>7} {:>7}\n", name, count.cells, count.right,
             count.silently_wrong, count.by_hand, by_hand(ByHand::silently_wrong), by_hand(ByHand::sent_twice),
             by_hand(ByHand::without_end), by_hand(ByHand::without_bound), by_hand(ByHand::too_strict));
}

void run_noun(const Fault& fault, bool shows_cells, Count& count) {
  for (const auto& cell : cells_of(fault)) {
    const auto outcome = run_cell(cell);
    const auto wrong = complaint(cell, outcome);
    ++count.cells;
    count.right += wrong.empty();
    count.silently_wrong += fault.code && !outcome.error;
    if (!wrong.empty()) fmt::print("wrong: {}\n", wrong);
    if (shows_cells)
      fmt::print("{:<60} {}\n", name_of(cell), outcome.error ? to_string(outcome.error->code()) : "success");
  }
}

void run_by_hand(const Fault& fault, bool shows_cells, Count& count) {
  for (const auto& cell : cells_of(fault)) {
    if (cell.way != Way::call) continue;
    const auto verdict = run_by_hand(fault, cell.method);
    ++count.by_hand;
    ++count.hand[static_cast<std::size_t>(verdict)];
    if (shows_cells) fmt::print("{:<60} by hand: {}\n", name_of(cell), to_string(verdict));
  }
}

/// The cell that ended latest after its deadline.
struct Latest {
  std::string cell;
  std::chrono::milliseconds by{};
};

Latest latest_of(const std::vector<FaultGroup>& groups) {
  constexpr noun::Duration time_limit = 200ms;
  Latest latest;
  for (const auto& group : groups)
    for (const auto& fault : group.faults)
      for (const auto& cell : cells_of(fault)) {
        const auto late = std::chrono::floor<std::chrono::milliseconds>(run_cell(cell, time_limit).took - time_limit);
        if (late > latest.by) latest = {name_of(cell), late};
      }
  return latest;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string_view> names(arguments + 1, arguments + count);
  const bool shows_cells = std::erase(names, "--cells") > 0;
  auto groups = all_faults();
  for (auto& group : groups)
    std::erase_if(group.faults, [&](const Fault& fault) {
      return !names.empty() && std::none_of(names.begin(), names.end(), [&](std::string_view name) {
        return group.name == name || fault.name.find(name) != std::string::npos;
      });
    });
  std::vector<Count> counts(groups.size());
  const soak::PeakMemory memory;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const auto& fault : groups[i].faults) run_noun(fault, shows_cells, counts[i]);
  const auto growth = memory.growth();
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const auto& fault : groups[i].faults) run_by_hand(fault, shows_cells, counts[i]);

  constexpr std::string_view row = "{:<20} {:>6} {:>6} {:>9} {:>8} {:>9} {:>7} {:>7} {:>7} {:>7}\n";
  fmt::print(row, "", "noun:", "", "silently", "by hand:", "silently", "sent", "without", "without", "too");
  fmt::print(row, "faults", "cells", "right", "wrong", "cells", "wrong", "twice", "end", "bound", "strict");
  Count all;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    print(groups[i].name, counts[i]);
    all += counts[i];
  }
  print("all", all);
  fmt::print("growth of peak memory: {} MiB\n", growth / 1024);
  const auto latest = latest_of(groups);
  fmt::print("latest end after a deadline of 200 ms: {} ms, {}\n", latest.by.count(), latest.cell);
  return all.cells > 0 && all.right == all.cells ? 0 : 1;
}
