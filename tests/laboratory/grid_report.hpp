// The results of a run of the grid: tables for people, lines for programs.
#pragma once

#include <string>
#include <vector>

#include "laboratory/judgement.hpp"

namespace laboratory {

/// One line for each kind and reset: first those with bars, then those that are compared with their rivals.
std::string summary(const std::vector<Judgement>& judgements);
/// The cells that are not good enough, by the known reason or else by kind and reset; at most `most` of each.
std::string not_met(const std::vector<Judgement>& judgements, std::size_t most);
/// One line for each cell, with a heading.
std::string csv(const std::vector<Judgement>& judgements);

/// Unexpected results: a cell that does not meet its bars without a known reason, and a known gap whose cells all meet
/// them.
std::vector<std::string> surprises(const std::vector<Judgement>& judgements);

}  // namespace laboratory
