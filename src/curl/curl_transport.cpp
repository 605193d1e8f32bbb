/// @file
/// The transport over libcurl: makes one attempt with a pooled handle, and handles fork(). The pool assigns the idle
/// handles, and bounds their number and lifetime.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/limits.hpp>
#include <noun/time.hpp>
#include <noun/transport.hpp>

#include "curl/curl_errors.hpp"
#include "curl/curl_global.hpp"
#include "curl/curl_handle.hpp"
#include "curl/curl_multiplexer.hpp"
#include "curl/curl_persistence.hpp"
#include "curl/curl_setup.hpp"
#include "curl/trust_store.hpp"
#include "os/per_process.hpp"
#include "os/process_exit.hpp"
#include "os/steady_now.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

/// Keeps idle handles; the last one given back is taken first.
/// @threadsafety  safe. Handles are destroyed outside its lock.
class Pool {
 public:
  /// Takes a handle with a usable connection to the origin of `url`, else one without a connection, else null; null if
  /// the connections of that origin do not last.
  std::unique_ptr<Handle> take(std::string_view url, const Limits& limits, Instant now);
  /// Returns a handle after a successful transfer.
  void give_back(std::unique_ptr<Handle> handle, const Limits& limits, Instant now) noexcept;
  /// Records that the server ended the kept connection of the handle.
  /// @param used  when it was to be used again.
  void ended(const Handle& handle, Instant used);

 private:
  using Handles = std::vector<std::unique_ptr<Handle>>;

  Handles remove_stale(const Limits& limits, Instant now);
  std::unique_ptr<Handle> find(std::string_view url);

  std::mutex mutex_;
  Persistences persistences_;
  /// Ordered by idle time, the longest first.
  Handles idle_;
};

std::unique_ptr<Handle> Pool::take(std::string_view url, const Limits& limits, Instant now) {
  for (;;) {
    Handles stale;
    std::unique_ptr<Handle> handle;
    {
      const std::lock_guard lock(mutex_);
      if (!persistences_.is_expected(wire::written_origin(url), now)) return nullptr;
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
    if (handle->served() > 1) persistences_.lasted(handle->origin());
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
  persistences_.ended(handle.origin(), used - handle.idle_since(), used);
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
  if (auto handle = extract([&](const Kept& one) { return one->connected() && wire::leads_to(url, one->origin()); }))
    return handle;
  return extract([](const Kept& one) { return !one->connected(); });
}

// A child of fork() must neither use its parent's connections nor close them: closing a TLS session sends close_notify.
struct ProcessPool {
  explicit ProcessPool(const Tls& tls) : trust(std::make_shared<TrustStore>(authorities_of(tls))) {}

  const std::shared_ptr<TrustStore> trust;
  Pool pool;
};

class CurlTransport final : public Transport {
 public:
  explicit CurlTransport(TransportOptions options) : options_(std::move(options)) {}
  ~CurlTransport() override;

  Result<Response> send(const Attempt& attempt, const StopToken& stop) override;
  std::unique_ptr<Multiplexer> multiplexer() override { return make_multiplexer(options_, own().trust); }

 private:
  ProcessPool& own() {
    return pools_.get([this] { return ProcessPool(options_.tls); });
  }
  std::unique_ptr<Handle> take_handle(ProcessPool& own, const Attempt& attempt, Instant now);

  const TransportOptions options_;
  PerProcess<ProcessPool> pools_;
};

CurlTransport::~CurlTransport() {
  if (process_ends())
    pools_.abandon();
  else
    pools_.destroy();
}

std::unique_ptr<Handle> CurlTransport::take_handle(ProcessPool& own, const Attempt& attempt, Instant now) {
  std::unique_ptr<Handle> handle;
  if (!attempt.fresh_connection) handle = own.pool.take(attempt.url, attempt.limits, now);
  return handle ? std::move(handle) : Handle::make(options_, *own.trust);
}

// Only a clean success returns the handle to the pool; otherwise it is destroyed with its connection.
Result<Response> attempt_with(Pool& pool, std::unique_ptr<Handle>& handle, const Attempt& attempt, Instant begin,
                              const Stops& stops) {
  if (const auto code = handle->prepare(attempt); code != CURLE_OK) return refusal(handle->transfer(), code, attempt);
  const auto ending = handle->run(after(begin, attempt.timeout), stall_of(attempt), stops);
  auto outcome = outcome_of(handle->transfer(), ending, attempt);
  const auto& exchange = handle->transfer().exchange();
  if (!outcome && ending == Ending::done && exchange.on_kept_connection() && !exchange.head_started())
    pool.ended(*handle, begin);
  if (outcome && exchange.reusable())
    pool.give_back(std::move(handle), attempt.limits, steady_now());
  return outcome;
}

Result<Response> CurlTransport::send(const Attempt& attempt, const StopToken& stop) {
  if (stop.stop_requested()) return cancellation(attempt, Sent::no);
  const auto now = steady_now();
  std::optional<AttemptAtExit> running;
  std::unique_ptr<Handle> handle;
  try {
    const auto& at_exit = running.emplace().stop();
    if (at_exit.stop_requested()) return cancellation(attempt, Sent::no);
    auto& here = own();
    handle = take_handle(here, attempt, now);
    if (!handle) return exhaustion(attempt, Sent::no);
    return attempt_with(here.pool, handle, attempt, now, {stop, at_exit});
  } catch (const std::bad_alloc&) {
    return exhaustion(attempt, handle ? handle->transfer().exchange().sent() : Sent::no);
  }
}

}  // namespace
}}}  // namespace noun::curl

namespace noun { inline namespace v0 {

Result<std::shared_ptr<Transport>> libcurl_transport(TransportOptions options) {
  if (!curl::initialize()) return Error(Errc::resource, "libcurl cannot be initialized", "free memory, then try again");
  if (auto checked = curl::check(options); !checked) return std::move(checked).error();
  return std::shared_ptr<Transport>(std::make_shared<curl::CurlTransport>(std::move(options)));
}

}}  // namespace noun
