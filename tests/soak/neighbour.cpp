#include "neighbour.hpp"

#include <condition_variable>
#include <mutex>

#include <httplib.h>

namespace soak {
namespace {

/// So that the last permit of a window is seldom left to another.
constexpr int threads = 4;
/// In a window, of each thread while at least half of the quota is left.
constexpr int requests_at_leisure = 25;

void rest(const std::stop_token& stop, std::chrono::system_clock::duration span) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, stop, span, [] { return false; });
}

}  // namespace

Neighbour::Neighbour(std::uint16_t port, std::uint64_t limit, std::chrono::milliseconds period)
    : limit_(limit), period_(period) {
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this, port](const std::stop_token& stop) { live(stop, port); });
}

void Neighbour::live(const std::stop_token& stop, std::uint16_t port) {
  httplib::Client client("127.0.0.1", port);
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  while (!stop.stop_requested()) {
    const auto answer = client.Get("/scripts/Latn");
    ++requests_;
    if (answer && answer->status == 429) {
      ++rejected_;
      // Windows turn at multiples of their length. One is left to the others: who waits a whole window after each
      // rejection could otherwise always come when nothing is left.
      const auto since_turn = std::chrono::system_clock::now().time_since_epoch() % period_;
      rest(stop, 2 * period_ - since_turn);
    } else if (!answer || answer->get_header_value<std::uint64_t>("X-RateLimit-Remaining", 0) >= limit_ / 2) {
      rest(stop, period_ / requests_at_leisure);
    }
  }
}

}  // namespace soak
