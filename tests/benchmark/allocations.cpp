#include "benchmark/allocations.hpp"

#include <atomic>

namespace noun_benchmark {
namespace {

std::atomic<std::size_t> count = 0;

void count_one() noexcept { count.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

std::size_t allocations() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace noun_benchmark

// operator new calls malloc, and so do the libraries that are written in C.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);

void* malloc(std::size_t size) { return noun_benchmark::count_one(), __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return noun_benchmark::count_one(), __libc_calloc(count, size); }
void* realloc(void* block, std::size_t size) { return noun_benchmark::count_one(), __libc_realloc(block, size); }
}
