#pragma once
/// @file
/// The shared state of a client's copies: the base URL, the contexts of its calls, and the driver that runs them.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/operation.hpp>
#include <noun/options.hpp>

#include "call/call.hpp"
#include "loop/concurrent.hpp"
#include "loop/driver.hpp"
#include "resource/cache_access.hpp"
#include "resource/credentials_source.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {

namespace detail {

/// The advice on secrets that would be sent over plain http.
inline constexpr auto* use_https = "use https, or set ClientOptions::credentials_over_http";

/// Why a call is refused in a child process, and what to do.
constexpr const char* made_before_fork = "the shared quota ledger was made before fork(): this process cannot use it";
constexpr const char* make_after_fork = "make the ledger and its clients in the child process";

/// One client. Constant except for its counters; safe to use from many threads.
class ClientCore : public std::enable_shared_from_this<ClientCore> {
 public:
  /// Checks the options and creates a client. The release of the last reference waits for the driver's threads; on one
  /// of them, another thread waits.
  static Result<std::shared_ptr<ClientCore>> create(std::string_view base_url, ClientOptions options);

  /// As Client::with().
  std::shared_ptr<ClientCore> with(ClientChanges changes) const;

  /// Makes a call, for run(), and looks up what is stored for it. The request must outlive it.
  Call call(CallRequest& request);
  /// Runs a call on the caller's thread; on a loop's thread it fails.
  Done run(Call& call, const StopToken& stop);
  /// Whether more of a body may be given to the program: an error if its call is stopped, or its deadline has passed.
  Result<void> may_continue(const StopToken& stop, Instant deadline) const;
  /// Starts a call on the concurrent driver; see ConcurrentDriver::start. `how` has no job. Its `run_credentials` is
  /// for a function of the program only.
  void start(CallRequest request, CallStart how);
  /// Runs the started calls. Keep the client meanwhile.
  ConcurrentDriver& driver() noexcept { return driver_; }
  /// Stores and removes in the cache what a call has changed, after its end. On a thread of the program.
  void keep(const Call& call, const Done& done) noexcept;
  /// Reports a failure of the cache to the observer.
  CacheAccess::Notice notice_of(const CallRequest& request);
  /// Reads the response of a call that has ended, and keeps it; an error if that fails.
  /// @param at  as in read().
  Result<void> result_of(Done done, const Call& call, const Reader& reader, const std::optional<std::string>& at = {});
  /// Reads the body of a response, or the member inside its envelope.
  /// @param at  a JSON pointer to the member, instead of the dialect's.
  /// @returns  whether it could be read; if not, `fault` is set.
  bool read(const Reader& reader, const Response& response, DecodeFault& fault,
            const std::optional<std::string>& at = {}) const;
  /// Where requests to an address go, without a query.
  std::string url_of(const Address& address) const;
  /// Whether credentials come from a function of the program.
  bool asks_program() const noexcept {
    return credentials && std::holds_alternative<Credentials::Function>(credentials->from);
  }
  /// Returns the credentials that a request would carry. Calls the credentials function.
  Result<Headers> credentials_for(Authorize authorize, const StopToken& stop) const;
  /// The failure of a body that does not decode.
  static Failure failure_of(DecodeFault fault, std::shared_ptr<const Response> response);
  /// Sets `fields` to the client's header fields; `own` fields replace those of the same name.
  /// @returns  what is wrong with `own`, as a clause, or nothing.
  std::optional<std::string> add_headers(Headers& fields, const Headers& own) const;
  /// What others could read of a request, and must not, as a clause: its own header fields and its URL.
  std::optional<std::string> exposed(const Headers& own, std::string_view url) const;
  /// The idempotency key of a call: the caller's text, or a new one.
  std::string key_of(const IdempotencyKey& key) const;
  const std::vector<int>* usual_statuses(Verb verb) const noexcept;
  /// Of a page by the client's paging.
  const std::vector<int>* usual_page_statuses() const noexcept;
  /// Appends the parameters of ClientOptions::query that the URL does not have.
  void add_query(std::string& url) const;

  /// The URL of a request that was not sent, for an error.
  std::string shown(std::string_view url, const Headers& headers = {}) const;

  /// Scheme, authority and path, without a trailing slash. The first member, where cmake/noun_gdb.py reads it.
  std::string base_url;
  /// The options as given.
  ClientOptions options;
  /// Of the base URL.
  const wire::UrlOrigin& origin() const noexcept { return origins.front(); }
  /// The error of every call of a copy whose options are out of range.
  std::optional<Error> refused;

  /// The client's, then the trusted ones.
  std::vector<wire::UrlOrigin> origins;
  /// Whether a request may carry secrets: no one can read it on its way to any of the origins, or the options allow it.
  bool carries_secrets = true;
  std::shared_ptr<const CredentialsSource> credentials;
  Headers defaults;
  CallContext call_context;
  /// Null without a cache.
  std::shared_ptr<CacheAccess> cache;
  /// Statuses of success of a GET with a range: the dialect's for get, and 206.
  std::vector<int> part_statuses;
  DriverContext driver_context;

 private:
  void apply_options();

  /// Those that Client::with() cannot change.
  std::shared_ptr<const KnownSecrets> fixed_secrets_;
  std::uint64_t seed_ = 0;
  /// Destroyed first: its calls need the other members.
  ConcurrentDriver driver_{driver_context};
};

}  // namespace detail

using detail::ClientCore;

/// The error of a call that an observer makes on a loop's thread.
Error refusal_to_wait(const RequestSummary& request = {});

}}  // namespace noun
