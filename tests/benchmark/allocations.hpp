#pragma once
/// @file
/// Counts the heap allocations of a program, in C and C++, of all its threads.

#include <cstddef>

namespace noun_benchmark {

/// How many there were since the program started.
std::size_t allocations() noexcept;

}  // namespace noun_benchmark
