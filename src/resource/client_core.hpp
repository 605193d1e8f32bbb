#pragma once
/// @file
/// What the copies of a client share: where the service is, how calls to it are made, and what runs them.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/operation.hpp>
#include <noun/options.hpp>

#include "call/call.hpp"
#include "transport/concurrent.hpp"
#include "transport/driver.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {

namespace detail {

/// One client. Constant but for its counters; safe to use from many threads.
class ClientCore {
 public:
  /// The last one to let go of it waits for the driver's thread; if that is the driver's own, another thread does.
  static Result<std::shared_ptr<ClientCore>> create(std::string_view base_url, ClientOptions options);

  /// Runs a call on the caller's thread and reads its answer.
  /// @param sent  is given the fields of the last attempt, credentials included, if it is not null.
  Result<void> run(const CallRequest& request, Reader reader, const std::stop_token& stop, Headers* sent = nullptr);
  /// Starts a call that the concurrent driver runs; see ConcurrentDriver::start.
  void start(CallRequest request, const std::stop_token& stop, ConcurrentDriver::Finished finished);
  /// Whether the caller is a callback on the driver's thread, which must not wait for the driver.
  bool on_driver_thread() const noexcept { return driver_.on_own_thread(); }
  /// The error of a body that does not decode.
  static Failure failure_of(DecodeFault fault, std::shared_ptr<const Response> response);
  /// The fields of a request: the client's, replaced name by name by `own`.
  /// @returns  what is wrong with `own` as a clause, or nothing.
  std::optional<std::string> add_headers(Headers& fields, const Headers& own) const;
  /// The key of a call: the caller's own text, or a fresh one.
  std::string key_of(const IdempotencyKey& key) const;
  const std::vector<int>* usual_statuses(Verb verb) const noexcept;

  /// Scheme, authority and path, without a trailing slash.
  std::string base_url;
  wire::UrlOrigin origin;
  /// The client's origin, then the trusted ones.
  std::vector<wire::UrlOrigin> origins;
  /// Whether a request may carry credentials: each origin is https or this machine, or the options say so.
  bool carries_credentials = true;
  Credentials credentials;
  Headers defaults;
  CallContext call_context;
  /// Statuses of success of a page: the dialect's of get, and 206 where pages are parts.
  std::vector<int> page_statuses;
  DriverContext driver_context;

 private:
  std::uint64_t seed_ = 0;
  /// Goes first: its calls need the rest.
  ConcurrentDriver driver_{driver_context};
};

}  // namespace detail

using detail::ClientCore;

}}  // namespace noun
