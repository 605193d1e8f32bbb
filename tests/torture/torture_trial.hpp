#pragma once
/// @file
/// One step of the journey in a child process, in which something fails.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "torture/failing_calls.hpp"
#include "torture/torture_journey.hpp"

namespace torture {

/// What a child has after a step that it did not have before.
struct Growth {
  std::ptrdiff_t blocks = 0;  ///< of memory
  int descriptors = 0;
  int threads = 0;
};

struct Trial {
  std::size_t step = 0;  ///< its place in the journey
  Fault fault = {};
  std::optional<Growth> usual = {};  ///< what is not a leak, if that is known

  /// The options that repeat it.
  std::string options() const;
};

/// What came of a trial.
struct Verdict {
  enum Kind { uncalled, value, error, exception, known, slow, crash, hang, leak, lie };
  /// How the step ended, or what is wrong. `uncalled`: nothing failed; `known`: a known gap, or a library crashed.
  Kind kind = value;
  bool has_failed = false;
  std::string about = {};
  double seconds = 0;
  Growth growth = {};
  std::vector<std::size_t> calls = {};  ///< of each function
};

/// Forks. In the child the step is run with its fault, and once more without one, when all must succeed.
/// @param place    of the servers, and the folder for all trials.
/// @param is_loud  whether the child may write to the terminal.
Verdict run(const Trial& trial, const Stage::Place& place, bool is_loud = false);

/// The whole journey in this process, without a fault. Throws std::runtime_error if something is wrong.
void warm_up(const Stage::Place& place);

}  // namespace torture
