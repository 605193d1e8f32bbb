#pragma once
/// @file
/// A cell is a fault, a way to meet it, and a method.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/error.hpp>
#include <noun/http.hpp>
#include <noun/time.hpp>

#include "faults/fault.hpp"

namespace noun_test {

struct Cell {
  const Fault* fault;
  Way way = Way::call;
  /// Others than GET are calls.
  noun::Method method = noun::Method::get;
};

std::string_view to_string(Way way);
std::string name_of(const Cell& cell);

/// The cells that a fault has.
std::vector<Cell> cells_of(const Fault& fault);

/// How a cell ended.
struct Outcome {
  std::optional<noun::Error> error;
  /// What came before the error: bytes, or the text of all items.
  std::string brought;
  std::size_t requests = 0;
  /// Whether the transport then made a sound request.
  bool leaves_the_transport_usable = false;
  noun::Duration took = {};
};

/// Runs it with a client whose waits take no time, or in real time, with a deadline.
Outcome run_cell(const Cell& cell, std::optional<noun::Duration> time_limit = {});

/// What is wrong with the outcome, or an empty text.
std::string complaint(const Cell& cell, const Outcome& outcome);

}  // namespace noun_test
