#pragma once
// Another client of the same service, which takes its part of the quota and minds nobody.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace soak {

/// Asks now and then while at least half of a window's quota is left, and then for all of the rest at once, until it is
/// rejected: whoever believes the remaining count of his last answer is rejected too. Then it lets one window pass.
class Neighbour {
 public:
  /// @param limit   requests in a window of the service.
  /// @param period  the length of a window.
  Neighbour(std::uint16_t port, std::uint64_t limit, std::chrono::milliseconds period);

  std::size_t requests() const { return requests_; }
  std::size_t rejected() const { return rejected_; }

 private:
  void live(const std::stop_token& stop, std::uint16_t port);

  std::uint64_t limit_;
  std::chrono::milliseconds period_;
  std::atomic<std::size_t> requests_ = 0;
  std::atomic<std::size_t> rejected_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace soak
