#pragma once
/// @file
/// The options of a client, of one call, and of one listing; for designated initialisers.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <noun/budget.hpp>
#include <noun/clock.hpp>
#include <noun/credentials.hpp>
#include <noun/dialect.hpp>
#include <noun/event.hpp>
#include <noun/headers.hpp>
#include <noun/limits.hpp>
#include <noun/origin.hpp>
#include <noun/quota.hpp>
#include <noun/retry.hpp>
#include <noun/tls.hpp>
#include <noun/transport.hpp>

namespace noun { inline namespace v0 {

/// Asks for an idempotency key made by noun.
struct AutoKey {};
/// A fresh UUID (version 4) for each logical call, kept over its attempts.
inline constexpr AutoKey auto_key{};

/// The key by which the service knows two requests for one, so that a POST or PATCH may be sent again. Off by default.
/// @source draft-ietf-httpapi-idempotency-key-header-07; sent bare, as most services want it.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class IdempotencyKey {
 public:
  /// None.
  IdempotencyKey() = default;
  /// @{
  /// A fresh one for each call, or this text; empty text is none.
  IdempotencyKey(AutoKey) noexcept : automatic_(true) {}
  template <class T>
    requires std::convertible_to<T, Text>
  IdempotencyKey(const T& text) : text_(Text(text).view()) {}
  /// @}

  /// Whether noun makes a fresh one for each call.
  bool automatic() const noexcept { return automatic_; }
  /// The caller's own, or empty.
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  bool automatic_ = false;
};

/// The options of a client. What is out of its range is `invalid_argument` when the client is made.
struct ClientOptions {
  /// What the service knows the caller by.
  Credentials credentials = {};
  /// How the service spells the conventions.
  Dialect dialect = {};
  RetryPolicy retry = {};   ///< when to send again, and after how long
  RetryBudget budget = {};  ///< a bound on all of the client's retries
  QuotaPolicy quota = {};   ///< how to spend the service's quota
  Timeouts timeouts = {};   ///< how long the parts of an attempt may take
  Limits limits = {};       ///< how much a service may make noun read
  /// On every request. `Accept: application/json` and a User-Agent are there unless given here.
  Headers headers = {};
  /// How the other side of an https connection is known.
  Tls tls = {};
  /// http://[user:password@]host:port; empty for none. The environment is not read.
  std::string proxy = {};
  /// Clients of one origin, identity and ledger share a quota; with the same proxy and TLS settings they share
  /// connections too. Empty: this client (and its copies) for itself.
  std::string identity = {};
  /// Where next links may also lead, with credentials.
  std::vector<Origin> trusted_origins = {};
  /// Whether a 2xx that the dialect does not expect is an error (`protocol`); otherwise the observer is told.
  bool strict_statuses = false;
  /// Told every step of every call. Called on the thread of the call, never under a lock, by many threads at once; may
  /// call noun. What it throws is dropped and counted.
  std::function<void(const Event&)> observer = {};
  /// libcurl if null.
  std::shared_ptr<Transport> transport = {};
  /// The system's if null.
  std::shared_ptr<Clock> clock = {};
  /// One for the process if null.
  std::shared_ptr<QuotaLedger> quota_ledger = {};
  /// Whether credentials may go over plain http to a host that is not this machine.
  bool credentials_over_http = false;
  /// The path of a Unix socket on which the service listens, as in `/run/docker.sock`; the base URL's host is then a
  /// name only. At most 107 bytes; empty for none; not together with `proxy` or `trusted_origins`.
  std::string unix_socket = {};
};

/// The options of one call.
struct CallOptions {
  /// Appended to the path; percent-encoded by noun.
  Query query = {};
  /// Beside the client's; a name given here replaces the client's. The client's credentials come last: they replace a
  /// field of the same name.
  Headers headers = {};
  /// The ETag that the member must still have (RFC 9110, section 13.1.1), with its quotes; empty for none.
  std::string if_match = {};
  /// The ETag that it must not have; `*` with replace() creates only.
  std::string if_none_match = {};
  IdempotencyKey idempotency_key = {};   ///< so that a POST or PATCH may be sent again
  Priority priority = Priority::normal;  ///< whose permits it may take
  /// Greater than zero.
  std::optional<Duration> attempt_timeout = {};
  /// When the call must have ended, all attempts and waits included.
  std::optional<Instant> deadline = {};
  /// Ends the call within 50 ms of a stop request.
  std::stop_token stop = {};
};

/// What a listing does with an item that is not what T needs.
enum class BadItems {
  stop,     ///< its error ends the listing; begin() again goes on behind it
  deliver,  ///< its error is one element among the others; pages have them apart (Page::faults)
};

/// The options of one listing.
struct ListOptions {
  /// On the request of each page that noun composes; a service's next link is followed as it is.
  Query query = {};
  /// As in CallOptions, on the request of each page.
  Headers headers = {};
  /// Items on a page, sent as the dialect's size parameter; 1 to 1,000,000,000.
  std::optional<std::size_t> page_size = {};
  /// Ends after so many items; at most half of what a std::size_t can be. Behind a bookmark they are counted anew.
  std::optional<std::size_t> max_items = {};
  /// Pages to read ahead while the caller works, in the background; at most 1,000. Where the first answer lets the
  /// others be known (numbered pages with a last one, offsets with a total), so many are asked for at the same time, as
  /// far as the quota allows (QuotaPolicy::in_flight_unknown where the service tells of none); they are delivered in
  /// order all the same. Not to be forked over. At 0 a page is asked for when it is needed, on the caller's thread.
  std::size_t prefetch = 0;
  /// A bookmark of the same listing to go on from.
  std::string resume = {};
  Priority priority = Priority::bulk;  ///< whose permits its pages may take
  /// Greater than zero.
  std::optional<Duration> attempt_timeout = {};
  /// When the listing must have ended.
  std::optional<Instant> deadline = {};
  /// Ends the page that is being fetched within 50 ms of a stop request.
  std::stop_token stop = {};
  /// JSON text. If given, pages are asked for with POST and this body, for services whose searches and queries are
  /// listed so. noun takes it for a request that changes nothing: it is sent again as a GET would be.
  std::string body = {};
  /// Where an item has what it is known by: a JSON pointer (RFC 6901), as in `/id`. If given, an item whose key came
  /// before is left out, also behind a bookmark that was made on its page with the same key; with another one, or none,
  /// a bookmark goes by the position on its page. Remembers every key: some 40 bytes an item.
  std::string key = {};
  BadItems bad_items = BadItems::stop;  ///< what to do with items that do not decode
};

}}  // namespace noun
