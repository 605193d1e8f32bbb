#include "resource/failing_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t until = 0;
thread_local std::size_t to_fail = 0;
thread_local std::size_t bytes = 0;
std::atomic<std::size_t> failed{0};

bool runs_out() noexcept {
  if (until == 0) return false;
  if (until > 1) {
    --until;
    return false;
  }
  if (--to_fail == 0) until = 0;
  ++failed;
  return true;
}

}  // namespace

// Replaces the operators of the program. new[] and the other ones without alignment call these.
void* operator new(std::size_t size) {
  void* const memory = runs_out() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  bytes += size;
  return memory;
}
// A sanitizer's own would not call the one above, and its memory is not freed by the one below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace resource_test {

void fail_allocations(std::size_t n, std::size_t count) noexcept {
  until = n;
  to_fail = count;
}

std::size_t failed_allocations() noexcept { return failed; }

std::size_t allocated_bytes() noexcept { return bytes; }

NoFailingAllocations::NoFailingAllocations() noexcept : n_(until), count_(to_fail) { fail_allocations(0, 0); }
NoFailingAllocations::~NoFailingAllocations() { fail_allocations(n_, count_); }

}  // namespace resource_test
