#pragma once
/// @file
/// Memory that runs out: the n-th allocation of a thread fails, and those behind it as long as is wanted.

#include <cstddef>

namespace resource_test {

/// From the n-th allocation of this thread on, `count` of them fail with std::bad_alloc; 0 calls it off.
void fail_allocations(std::size_t n, std::size_t count = 1) noexcept;
/// How many allocations have failed so, on all threads.
std::size_t failed_allocations() noexcept;

/// Nothing fails on this thread, and nothing is counted, as long as it lives: for what belongs to the test.
class Plenty {
 public:
  Plenty() noexcept;
  ~Plenty();
  Plenty(const Plenty&) = delete;
  Plenty& operator=(const Plenty&) = delete;

 private:
  std::size_t n_;
  std::size_t count_;
};

}  // namespace resource_test
