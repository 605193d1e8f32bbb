// What a run of the grid says: tables for people, lines for programs.
#pragma once

#include <string>
#include <vector>

#include "laboratory/judgement.hpp"

namespace laboratory {

/// A line for each kind and reset: those with bars, then those that are compared with their rivals.
std::string summary(const std::vector<Judgement>& judgements);
/// The cells that are not good enough: by the reason if it is known, else by kind and reset; `most` of each.
std::string not_met(const std::vector<Judgement>& judgements, std::size_t most);
/// A line for each cell, with a heading.
std::string csv(const std::vector<Judgement>& judgements);

/// What the grid was not expected to find: a cell that does not meet its bars without a known reason, and a known gap
/// all of whose cells meet them.
std::vector<std::string> surprises(const std::vector<Judgement>& judgements);

}  // namespace laboratory
