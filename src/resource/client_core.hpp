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
#include "transport/driver.hpp"
#include "wire/url.hpp"

namespace noun::inline v0 {

/// One client. Constant but for its counters; safe to use from many threads.
class ClientCore {
 public:
  static Result<std::shared_ptr<ClientCore>> create(std::string_view base_url, ClientOptions options);

  /// Runs a call on the caller's thread and reads its answer.
  /// @param sent  is given the fields of the last attempt, credentials included, if it is not null.
  Result<void> run(const CallRequest& request, Reader reader, const std::stop_token& stop, Headers* sent = nullptr);
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
  CallEnvironment environment;
  Surroundings surroundings;

 private:
  std::uint64_t seed_ = 0;
};

}  // namespace noun::inline v0
