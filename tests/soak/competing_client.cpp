#include "competing_client.hpp"

#include <condition_variable>
#include <mutex>

#include <httplib.h>

namespace soak {
namespace {

/// Enough to take the last permit of most windows.
constexpr int threads = 4;
/// Per window and thread while at least half of the quota remains.
constexpr int slow_requests = 25;

void rest(const std::stop_token& stop, std::chrono::system_clock::duration span) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, stop, span, [] { return false; });
}

}  // namespace

CompetingClient::CompetingClient(std::uint16_t port, std::uint64_t limit, std::chrono::milliseconds period)
    : limit_(limit), period_(period) {
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this, port](const std::stop_token& stop) { run(stop, port); });
}

void CompetingClient::run(const std::stop_token& stop, std::uint16_t port) {
  httplib::Client client("127.0.0.1", port);
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  while (!stop.stop_requested()) {
    const auto response = client.Get("/scripts/Latn");
    ++requests_;
    if (response && response->status == 429) {
      ++rejected_;
      // Windows start at multiples of their length. One window is left to others: a client that waits a window after
      // each rejection might otherwise always arrive at an exhausted quota.
      const auto since_reset = std::chrono::system_clock::now().time_since_epoch() % period_;
      rest(stop, 2 * period_ - since_reset);
    } else if (!response || response->get_header_value<std::uint64_t>("X-RateLimit-Remaining", 0) >= limit_ / 2) {
      rest(stop, period_ / slow_requests);
    }
  }
}

}  // namespace soak
