#include "curl/curl_pool.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace noun { inline namespace v0 { namespace curl {

std::unique_ptr<Handle> Pool::take(std::string_view url, const Limits& limits, Instant now) {
  for (;;) {
    Handles stale;
    std::unique_ptr<Handle> handle;
    {
      const std::lock_guard lock(mutex_);
      if (!persistences_[origin_of(url)].is_expected(now)) return nullptr;
      stale = remove_stale(limits, now);
      handle = find(url);
    }
    // Unsolicited bytes must not become the next response, and a connection that the server closed is useless.
    if (!handle || !handle->unusable(now)) return handle;
    ended(*handle, now);
  }
}

void Pool::give_back(std::unique_ptr<Handle> handle, const Limits& limits, Instant now) noexcept {
  handle->rest(now);
  // If memory runs out, only the connection is lost; the response is complete.
  Handles surplus;
  const std::lock_guard lock(mutex_);
  try {
    auto& persistence = persistences_[handle->origin()];
    if (handle->served() > 1) persistence.lasted();
    idle_.push_back(std::move(handle));
    if (idle_.size() <= limits.idle_connections) return;
    const auto last = idle_.begin() + static_cast<std::ptrdiff_t>(idle_.size() - limits.idle_connections);
    surplus.reserve(idle_.size() - limits.idle_connections);
    surplus.assign(std::move_iterator(idle_.begin()), std::move_iterator(last));
    idle_.erase(idle_.begin(), last);
  } catch (const std::bad_alloc&) {
  }
}

void Pool::ended(const Handle& handle, Instant used) {
  if (handle.served() != 1) return;
  const std::lock_guard lock(mutex_);
  persistences_[handle.origin()].ended(used - handle.idle_since(), used);
}

Pool::Handles Pool::remove_stale(const Limits& limits, Instant now) {
  const auto fresh = std::find_if(idle_.begin(), idle_.end(), [&](const std::unique_ptr<Handle>& handle) {
    return now - handle->idle_since() <= limits.idle_time;
  });
  Handles stale(std::move_iterator(idle_.begin()), std::move_iterator(fresh));
  idle_.erase(idle_.begin(), fresh);
  return stale;
}

std::unique_ptr<Handle> Pool::find(std::string_view url) {
  const auto extract = [&](auto fits) {
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(), fits);
    if (found == idle_.rend()) return std::unique_ptr<Handle>();
    auto handle = std::move(*found);
    idle_.erase(std::next(found).base());
    return handle;
  };
  using Kept = std::unique_ptr<Handle>;
  if (auto handle = extract([&](const Kept& one) { return one->connected() && leads_to(url, one->origin()); }))
    return handle;
  return extract([](const Kept& one) { return !one->connected(); });
}

}}}  // namespace noun::curl
