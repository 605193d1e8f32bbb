#pragma once
/// @file
/// The shape of the programs that tests/benchmark/run compares. Each gets the same object of 1 KB again and again, and
/// decodes it into the same struct with nlohmann, or all pages of a collection of such objects.
///
///   PROGRAM WAY COUNT IN_FLIGHT BASE_URL
///
/// Prints, on one line: microseconds of the wall clock, of the processor in user mode and in the kernel; context
/// switches; KiB of memory at the peak; heap allocations.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "benchmark/record.hpp"

namespace noun_benchmark {

/// The path of the object below the base URL.
inline constexpr std::string_view record_path = "/languages/qkb";
/// The path of the pages: `?page=1` to as many as Job::count. Each has `items` and, of all pages together, their
/// `total`.
inline constexpr std::string_view pages_path = "/pages";
inline constexpr std::size_t page_size = 60;

/// What to do.
struct Job {
  /// `sequential`: one after the other; `concurrent`: from one thread; `threads`: as many threads as are in flight;
  /// `pages`: so many pages, from one thread, the first of them alone.
  std::string way;
  std::size_t count = 0;
  std::size_t in_flight = 1;
  std::string base_url;
};

/// The URL of the object, for clients that take it in parts.
struct Target {
  std::string host;
  std::uint16_t port = 0;
  std::string path;
};

Target target_of(const Job& job);

/// Runs the job, each peer in its own way.
/// @throws std::exception  if a request fails, or the way is none of this peer.
void run(const Job& job);

/// @throws std::runtime_error  if it is not the object.
void check(const Record& record);
/// The same, of a response by hand.
void check(unsigned status, std::string_view body);
/// Decodes a page by hand.
/// @returns  the number of all items.
/// @throws std::runtime_error  if it is not a whole one.
std::size_t check_page(unsigned status, std::string_view body);
/// Shares `job.count` among `job.in_flight` threads.
/// @param get  a thread's part.
void share(const Job& job, const std::function<void(std::size_t count)>& get);
/// @throws std::runtime_error  which says that the peer does not have this way.
[[noreturn]] void refuse_way(const Job& job);

}  // namespace noun_benchmark
