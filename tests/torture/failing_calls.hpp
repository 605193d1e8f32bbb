#pragma once
/// @file
/// Makes calls of libc fail, one at a time or all from one on: those of noun and of the libraries below it, on all
/// threads. An allocation, in C or C++, is a call of malloc.

#include <cstddef>
#include <string>
#include <vector>

namespace torture {

/// A function that can fail.
struct FailingFunction {
  std::string name;
  std::vector<int> errors;  ///< what it may fail with
};

/// All of them; the first is malloc.
const std::vector<FailingFunction>& failing_functions();

/// Which calls fail.
struct Fault {
  std::size_t function = 0;  ///< its place among all
  std::size_t number = 0;    ///< of the call, counted from start_failing(); 0 for none
  int error = 0;
  bool lasts = false;     ///< whether all later calls fail, too, for 100 ms
  bool is_shown = false;  ///< whether the stack of the first one that fails is printed
};

/// Counts calls from 1, and makes some fail, until stop_failing().
void start_failing(const Fault& fault) noexcept;
void stop_failing() noexcept;
/// Whether a call has failed since start_failing().
bool has_failed() noexcept;
/// The name of the library that made the first call that failed, as far as it is known; or the program's.
std::string failed_in();
/// How often a function was called between start_failing() and stop_failing().
std::size_t calls_of(std::size_t function) noexcept;
/// The number of blocks of memory that are not freed.
std::ptrdiff_t blocks_in_use() noexcept;

/// During its lifetime no call of this thread fails or is counted: for what is not noun's.
class Unharmed {
 public:
  Unharmed() noexcept;
  ~Unharmed();
  Unharmed(const Unharmed&) = delete;
  Unharmed& operator=(const Unharmed&) = delete;
};

}  // namespace torture
