/// @file
/// The transport over libcurl: makes one attempt with a pooled handle, and handles fork().

#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include <noun/transport.hpp>

#include "curl/curl_errors.hpp"
#include "curl/curl_global.hpp"
#include "curl/curl_handle.hpp"
#include "curl/curl_multiplexer.hpp"
#include "curl/curl_pool.hpp"
#include "curl/curl_setup.hpp"
#include "curl/trust_store.hpp"
#include "os/per_process.hpp"
#include "os/process_exit.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

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

  Result<Response> send(const Attempt& attempt, const std::stop_token& stop) override;
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
    pool.give_back(std::move(handle), attempt.limits, std::chrono::steady_clock::now());
  return outcome;
}

Result<Response> CurlTransport::send(const Attempt& attempt, const std::stop_token& stop) {
  if (stop.stop_requested()) return cancellation(attempt, Sent::no);
  const auto now = std::chrono::steady_clock::now();
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
