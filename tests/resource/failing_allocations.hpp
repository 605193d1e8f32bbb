#pragma once
/// @file
/// Allocations that fail: the n-th of a thread, and a number of those after it. And how much a thread allocates.

#include <cstddef>

namespace resource_test {

/// `count` allocations of this thread fail with std::bad_alloc, from the n-th (1 is the next one) on; n = 0 ends it.
void fail_allocations(std::size_t n, std::size_t count = 1) noexcept;
/// Number of allocations that failed because of this, on all threads.
std::size_t failed_allocations() noexcept;
/// All that this thread has allocated since it started.
std::size_t allocated_bytes() noexcept;

/// During its lifetime no allocation of this thread fails or is counted: for allocations of the test itself.
class NoFailingAllocations {
 public:
  NoFailingAllocations() noexcept;
  ~NoFailingAllocations();
  NoFailingAllocations(const NoFailingAllocations&) = delete;
  NoFailingAllocations& operator=(const NoFailingAllocations&) = delete;

 private:
  std::size_t n_;
  std::size_t count_;
};

}  // namespace resource_test
