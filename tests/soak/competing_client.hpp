#pragma once
// Another client of the same server, which uses its share of the quota without regard to others.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace soak {

/// Sends requests slowly while at least half of a window's quota remains, and then the rest at once until it is
/// rejected. So a client that relies on the last reported remaining count is rejected, too. Then it skips one window.
class CompetingClient {
 public:
  /// @param limit   requests in a window of the server.
  /// @param period  the length of a window.
  CompetingClient(std::uint16_t port, std::uint64_t limit, std::chrono::milliseconds period);
  ~CompetingClient();

  std::size_t requests() const { return requests_; }
  std::size_t rejected() const { return rejected_; }

 private:
  void run(std::uint16_t port);
  /// Returns false if the client ends.
  bool rest(std::chrono::system_clock::duration span);

  std::uint64_t limit_;
  std::chrono::milliseconds period_;
  std::atomic<std::size_t> requests_ = 0;
  std::atomic<std::size_t> rejected_ = 0;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace soak
