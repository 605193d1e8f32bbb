#pragma once
/// @file
/// The shape of the programs that tests/benchmark/run compares. Each gets the same object of 1 KB again and again, and
/// decodes it into the same struct with nlohmann.
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

/// What to do.
struct Job {
  /// `sequential`: one after the other; `concurrent`: from one thread; `threads`: as many threads as are in flight.
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
/// Shares `job.count` among `job.in_flight` threads.
/// @param get  a thread's part.
void share(const Job& job, const std::function<void(std::size_t count)>& get);
/// @throws std::runtime_error  which says that the peer does not have this way.
[[noreturn]] void refuse_way(const Job& job);

}  // namespace noun_benchmark
