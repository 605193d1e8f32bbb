#include "competing_client.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <curl/curl.h>

namespace soak {
namespace {

/// Enough to take the last permit of most windows.
constexpr int threads = 4;
/// Per window and thread while at least half of the quota remains.
constexpr int slow_requests = 25;

std::size_t discard(const char*, std::size_t size, std::size_t count, void*) { return size * count; }

struct Answer {
  long status = 0;  ///< 0: there was no response
  std::uint64_t remaining = 0;
};

Answer get(CURL* handle) {
  Answer answer;
  if (curl_easy_perform(handle) != CURLE_OK) return answer;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer.status);
  curl_header* field = nullptr;
  if (curl_easy_header(handle, "X-RateLimit-Remaining", 0, CURLH_HEADER, -1, &field) == CURLHE_OK)
    answer.remaining = std::strtoull(field->value, nullptr, 10);
  return answer;
}

}  // namespace

CompetingClient::CompetingClient(std::uint16_t port, std::uint64_t limit, std::chrono::milliseconds period)
    : limit_(limit), period_(period) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this, port] { run(port); });
}

CompetingClient::~CompetingClient() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool CompetingClient::rest(std::chrono::system_clock::duration span) {
  std::unique_lock lock(mutex_);
  return !ending_.wait_for(lock, span, [this] { return ends_; });
}

void CompetingClient::run(std::uint16_t port) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle(curl_easy_init(), curl_easy_cleanup);
  curl_easy_setopt(handle.get(), CURLOPT_URL, ("http://127.0.0.1:" + std::to_string(port) + "/scripts/Latn").c_str());
  curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, discard);
  curl_easy_setopt(handle.get(), CURLOPT_NOSIGNAL, 1L);
  std::chrono::system_clock::duration pause = {};
  while (rest(std::exchange(pause, {}))) {
    const auto answer = get(handle.get());
    ++requests_;
    if (answer.status == 429) {
      ++rejected_;
      // Windows start at multiples of their length. One window is left to others: a client that waits a window after
      // each rejection might otherwise always arrive at an exhausted quota.
      const auto since_reset = std::chrono::system_clock::now().time_since_epoch() % period_;
      pause = 2 * period_ - since_reset;
    } else if (answer.status == 0 || answer.remaining >= limit_ / 2) {
      pause = period_ / slow_requests;
    }
  }
}

}  // namespace soak
