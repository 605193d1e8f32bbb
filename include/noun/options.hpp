#pragma once
/// @file
/// The options of a client, of one call, and of one listing; for designated initializers.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/cache.hpp>
#include <noun/clock.hpp>
#include <noun/credentials.hpp>
#include <noun/dialect.hpp>
#include <noun/error.hpp>
#include <noun/event.hpp>
#include <noun/http.hpp>
#include <noun/json.hpp>
#include <noun/limits.hpp>
#include <noun/quota.hpp>
#include <noun/result.hpp>
#include <noun/retry.hpp>
#include <noun/stop.hpp>
#include <noun/text.hpp>
#include <noun/time.hpp>
#include <noun/transport.hpp>

namespace noun { inline namespace v0 {

/// Posts a function to where the program wants it to run: an event loop, a thread pool. The function is to run once,
/// not inside the executor's own call. noun calls the executor on any thread, several at a time; it must not block.
using Executor = std::function<void(std::function<void()> run)>;

/// Scheme, host and port, as in `https://mirror.example.com`; checked when the client is made.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class Origin {
 public:
  /// From text, unchecked.
  template <class T>
  requires std::convertible_to<const T&, Text> Origin(const T& url) : url_(Text(url).view()) {}

  /// The text as given.
  const std::string& url() const noexcept { return url_; }

 private:
  std::string url_;
};

/// The type of auto_key.
struct AutoKey {};
/// A fresh UUID (version 4) for each logical call, kept over its attempts.
inline constexpr AutoKey auto_key{};

/// The key by which the server recognizes a repeated request: a POST or PATCH may be sent again. Off by default.
/// @source draft-ietf-httpapi-idempotency-key-header-07; sent without quotes, as most APIs expect it.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class IdempotencyKey {
 public:
  /// None.
  IdempotencyKey() = default;
  /// @{
  /// A fresh one for each call, or this text; empty text is none.
  IdempotencyKey(AutoKey) noexcept : automatic_(true) {}
  template <class T>
  requires std::convertible_to<T, Text> IdempotencyKey(const T& text) : text_(Text(text).view()) {}
  /// @}

  /// Whether noun makes one for each call.
  bool automatic() const noexcept { return automatic_; }
  /// The caller's own, or empty.
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  bool automatic_ = false;
};

/// The options of a client. A value out of its range makes Client::create() return `invalid_argument`.
struct ClientOptions {
  /// Header fields that identify the caller: bearer(), basic(), header(), oauth2_client_credentials(), or a function.
  Credentials credentials = {};
  /// The conventions of the API: rate-limit headers, statuses, paging. noun::dialects has presets.
  Dialect dialect = Dialect();
  RetryPolicy retry = {};   ///< when a request is sent again, and after how long
  RetryBudget budget = {};  ///< limits the retries of all calls of the client
  QuotaPolicy quota = {};   ///< how the API's quota is used
  Timeouts timeouts = {};   ///< how long the parts of an attempt may take
  Limits limits = {};       ///< how much noun reads from a server
  /// Sent with every request. `Accept: application/json` and a User-Agent are sent unless given here. noun itself sets
  /// Connection, Content-Length, Expect, Host, Keep-Alive, Proxy-Authorization, TE, Transfer-Encoding and Upgrade: one
  /// of them is `invalid_argument`, as is a value with a control character.
  Headers headers = {};
  /// In the URL of every request: an API version, a key. A parameter of the same name in a call, in Request::path or in
  /// a next link replaces it. Not added to the target of a redirect. Its values are hidden in all output.
  Query query = {};
  /// Query parameters whose values are hidden in events, errors and messages, in addition to those that are named like
  /// a secret (`api_key`, `access_token`, `sig`, …). Names compare exactly.
  TextList secret_parameters = {};
  /// How the server of an https connection is verified.
  Tls tls = Tls();
  /// http://[user:password@]host:port, or what proxy_from_environment() returned; empty for none.
  std::string proxy = {};
  /// Clients with the same origin, identity and ledger share a quota; with the same proxy and TLS settings they also
  /// share connections. Empty: the client shares with its copies only.
  std::string identity = {};
  /// Further origins to which next links and the monitors of operations are followed, with credentials, and redirects
  /// of downloads with a body, without credentials.
  std::vector<Origin> trusted_origins = {};
  /// Whether a 2xx that the dialect does not expect is an error (`protocol`); otherwise it is an event, once for
  /// each method and status.
  bool strict_statuses = false;
  /// Called with every step of every call, never under a lock, by many threads at once. The events of one call arrive
  /// in order. An exception from it is dropped and counted (Client::observer_faults()).
  ///
  /// A blocking call calls it on its own thread. Calls in the background (noun::start(), Client::run_all(), prefetched
  /// pages) call it on the thread that moves the bytes of all of them: one of noun, or one of the program while it waits
  /// for a result of Client::run_all(). There it must not block: a blocking call of noun returns `refused`, and
  /// noun::start() is allowed. The events of a stream and `polling` come on a worker of noun.
  ///
  /// What it refers to must exist until all copies of the client, those of Client::with() too, all listings and streams
  /// and all calls in the background have ended. The destructor of the last waits for it, except on a thread of noun.
  std::function<void(const Event&)> observer = {};
  /// libcurl if null. Not together with `tls`, `proxy` or `unix_socket`, which only a transport made by the client has:
  /// give them to libcurl_transport(), which takes the URL of one proxy, not proxy_from_environment().
  std::shared_ptr<Transport> transport = {};
  /// The system's if null.
  std::shared_ptr<Clock> clock = {};
  /// One for the process if null.
  std::shared_ptr<QuotaLedger> quota_ledger = {};
  /// Allows secrets over unencrypted connections: plain http to another machine, or to a proxy. Secrets are
  /// `credentials`; headers of the client and of calls that identify the caller (Authorization, Cookie) or are named
  /// like a secret (`X-Api-Key`); and query parameters that are named so or in `secret_parameters`. This machine is
  /// localhost, *.localhost, 127.0.0.0/8 and ::1; a Unix socket is always safe. If false, such a client is not made,
  /// and such a call is not sent (`invalid_argument`).
  bool credentials_over_http = false;
  /// The path of the server's Unix socket, such as `/run/docker.sock`; the base URL's host is then only a name. At most
  /// 107 bytes (103 on macOS and BSD); empty for none; not together with `proxy` or `trusted_origins`.
  std::string unix_socket = {};
  /// Authenticates bookmarks, and the tokens of operations (HMAC-SHA256), for programs that accept them from users: 32
  /// random bytes, at least 16, the same wherever a bookmark is resumed. A bookmark made without it, or with another
  /// one, is then `invalid_argument`. Hidden in all output. Empty: a bookmark has only a checksum, and must come from a
  /// trusted source: whoever changes it chooses which path below the base URL, or at a trusted origin, is requested
  /// with the credentials, and which items are skipped.
  std::string bookmark_key = {};
  /// Keeps responses, so that what has not changed is not sent again; none if null. Calls and the pages of listings use
  /// it, downloads do not. Many clients may share one: a response is used for the same `identity` only, or without an
  /// identity for the same credentials; and for the same tenant, account or project, where a header field names one.
  std::shared_ptr<Cache> cache = {};
  CacheMode cache_mode = CacheMode::validate;  ///< when a stored response is used
  /// Returns the trace context that is sent with an attempt, from the attempt's `sent` event, which the observer has
  /// received just before: Telemetry::trace_context(). Sent as `traceparent` and `tracestate`, unless the call has a
  /// `traceparent` of its own in its headers. Text that is not valid is not sent, and nothing is sent to another origin to
  /// which a redirect leads. Called as the observer is, and with the same rules. A function that signs requests does not
  /// see these fields. None if empty.
  std::function<TraceContext(const Event& sent)> trace_context = {};
};

/// The options that Client::with() replaces, each as a whole; those that are empty stay as they are. Write their types:
/// `{.headers = noun::Headers{{"X-Tenant", "7"}}}`.
struct ClientChanges {
  std::optional<RetryPolicy> retry = {};   ///< ClientOptions::retry
  std::optional<QuotaPolicy> quota = {};   ///< ClientOptions::quota
  std::optional<Timeouts> timeouts = {};   ///< ClientOptions::timeouts
  std::optional<Limits> limits = {};       ///< ClientOptions::limits
  std::optional<Headers> headers = {};     ///< ClientOptions::headers
  std::optional<Query> query = {};         ///< ClientOptions::query
  /// ClientOptions::observer; null for none.
  std::optional<std::function<void(const Event&)>> observer = {};
  /// ClientOptions::trace_context; null for none.
  std::optional<std::function<TraceContext(const Event& sent)>> trace_context = {};
};

/// The value of ClientOptions::proxy from the environment variables `https_proxy`, `http_proxy`, `all_proxy` and
/// `no_proxy`. The scheme of the client's base URL selects the proxy, and its host is compared with `no_proxy`:
/// comma-separated domains, addresses, blocks (`10.0.0.0/8`) or `*`. Lower-case names come before upper-case ones, and
/// `HTTP_PROXY` is not read: a CGI server sets it from a request.
/// @returns       text of no particular form; empty if no proxy is set.
/// @threadsafety  safe unless another thread changes the environment.
/// @source        curl(1), section "ENVIRONMENT".
NOUN_API std::string proxy_from_environment();

/// The options of one call.
struct CallOptions {
  /// Appended to the path; percent-encoded by noun.
  Query query = {};
  /// Sent in addition to the client's, with the same restrictions; a name given here replaces the client's. The
  /// client's credentials replace a field of the same name.
  Headers headers = {};
  /// The strong ETag that the item must still have (RFC 9110, section 13.1.1), with its quotes: Response::etag(). An
  /// empty text, or a weak ETag (`W/"…"`), which never matches, is an error: nothing is sent. Dialect::weak_if_match
  /// allows weak ones.
  std::optional<std::string> if_match = {};
  /// The ETag that it must not have; with `*`, replace() only creates. An empty text is an error.
  std::optional<std::string> if_none_match = {};
  IdempotencyKey idempotency_key = {};   ///< makes a POST or PATCH repeatable
  Priority priority = Priority::normal;  ///< the order in which waiting calls are served
  /// Replaces Timeouts::attempt; greater than zero. A longer one than Timeouts::stall replaces that too.
  std::optional<Duration> attempt_timeout = {};
  /// Replaces Timeouts::stall; greater than zero. For a long poll: how long the server may be silent.
  std::optional<Duration> stall_timeout = {};
  /// When the call must have ended, including all attempts and waits: `5s` after its start, or an Instant.
  Deadline deadline = {};
  /// Ends the call within 50 ms of a stop request.
  StopToken stop = {};
  /// How a GET or HEAD uses ClientOptions::cache. With `if_none_match` or another condition, or a Range, in its headers
  /// it does not use it.
  UseCache cache = UseCache::normal;
  /// Whether a GET or HEAD that gets a 202 is sent again until it gets another response. The waits are those of
  /// Client::finish(), and end at `deadline`. Repetitions have the priority `bulk`. attempts() and elapsed() of an error
  /// are of all requests, and its message is of the last one. It has the last response.
  bool wait_until_ready = false;
  /// Replaces ClientOptions::retry. With one attempt, `{.max_attempts = 1}`, no fault is retried; rejections because of
  /// the quota are still waited for, and rejected credentials replaced once.
  std::optional<RetryPolicy> retry = {};
};

/// The options of Client::finish().
struct FinishOptions {
  /// Sent with each poll, as in CallOptions.
  Headers headers = {};
  Priority priority = Priority::bulk;  ///< the order in which waiting polls are served
  /// Replaces Timeouts::attempt for each poll; greater than zero. A longer one than Timeouts::stall replaces that too.
  std::optional<Duration> attempt_timeout = {};
  /// When the operation must have ended: `10min` after the start of finish(), or an Instant. The error
  /// `deadline_exceeded` has the token to continue with: Error::poll_token().
  Deadline deadline = {};
  /// Ends the polling within 50 ms of a stop request. The server continues the operation: Error::poll_token().
  StopToken stop = {};
};

/// What a listing does with an item that is not what T needs.
enum class BadItems {
  stop,     ///< its error ends the listing; begin() again continues after it
  deliver,  ///< its error is one element among the others; pages have it in Page::faults
};

/// @{
/// The enumerator's name, as it is written here.
/// @threadsafety  safe; the operator as the stream.
NOUN_API std::string_view to_string(BadItems choice) noexcept;
NOUN_API std::ostream& operator<<(std::ostream& out, BadItems choice);
/// @}

/// The body of a listing's requests: JSON, as text or as any value that nlohmann can write.
///
///     auto found = issues.list({.body = noun::Json{{"state", "open"}}});
///
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class ListBody {
 public:
  /// @{
  /// @param text  JSON; it is sent as it is. Empty is no body.
  ListBody() = default;
  ListBody(std::string text) noexcept : text_(std::move(text)) {}
  ListBody(std::string_view text) : text_(text) {}
  ListBody(const char* text) : text_(Text(text).view()) {}
  /// @}
  ListBody(std::nullptr_t) = delete;
  /// @param value  noun::Json, or a type with a to_json; it is copied. One that cannot be written as JSON is an error of
  ///               the listing (`invalid_argument`).
  template <class T>
    requires(!std::convertible_to<const T&, std::string_view>)
  ListBody(const T& value) : write_([value](std::size_t depth) { return detail::encode_body(value, depth); }) {}

  /// Whether there is none.
  bool empty() const noexcept { return text_.empty() && !write_; }
  /// The JSON to send, or why the value cannot be written.
  /// @param depth  Limits::json_depth.
  Result<std::string> text(std::size_t depth) const { return write_ ? write_(depth) : Result<std::string>(text_); }

 private:
  std::string text_;
  std::function<Result<std::string>(std::size_t)> write_;
};

/// The options of one listing.
struct ListOptions {
  /// In the URL of each page that noun composes; a next link of the server is followed as it is.
  Query query = {};
  /// As in CallOptions, for the request of each page.
  Headers headers = {};
  /// Items on a page, sent as Paging::size_parameter; 1 to 1,000,000,000. `invalid_argument` if the paging has no size
  /// parameter, or if `query` has it too.
  std::optional<std::size_t> page_size = {};
  /// Ends the listing after this many items; at most half of the largest std::size_t. A resumed listing counts from 0.
  std::optional<std::size_t> max_items = {};
  /// Pages to fetch ahead in the background while the caller works; at most 1,000. If the first response says where the
  /// others are (numbered pages with a last one, offsets with a total), that many pages are requested at once, as far
  /// as the quota allows (QuotaPolicy::in_flight_unknown if the server reports none). Together they have at most
  /// Limits::body bytes, so fewer large pages are fetched ahead. They are delivered in order. Do not fork while it
  /// runs. With 0, a page is requested when it is needed, on the caller's thread.
  std::size_t prefetch = 0;
  /// A bookmark of the same listing; the first item is the one after it. Empty: from the beginning. `invalid_argument`
  /// if it is damaged, or of another path, query or body. From users only with ClientOptions::bookmark_key.
  std::string resume = {};
  Priority priority = Priority::bulk;  ///< the order in which waiting calls are served
  /// Replaces Timeouts::attempt; greater than zero. A longer one than Timeouts::stall replaces that too.
  std::optional<Duration> attempt_timeout = {};
  /// Replaces Timeouts::stall; greater than zero.
  std::optional<Duration> stall_timeout = {};
  /// When the listing must have ended: `10min` after the first begin(), or an Instant. See Listing::plan().
  Deadline deadline = {};
  /// Ends the page that is being fetched within 50 ms of a stop request.
  StopToken stop = {};
  /// If given, pages are requested with this body and with Dialect::search_method, for APIs whose searches have a body.
  /// The request must not change anything: it is retried like a GET.
  ListBody body = {};
  /// Where an item has its key: a JSON pointer (RFC 6901) such as `/id`. If given, an item whose key was delivered
  /// before is left out, also after resuming a bookmark of this page that was made with the same key. Without a key, a
  /// bookmark is a position on its page. Remembers every key: about 40 bytes for each item.
  std::string key = {};
  UseCache cache = UseCache::normal;    ///< how each page uses ClientOptions::cache
  BadItems bad_items = BadItems::stop;  ///< what to do with items that do not decode
  /// How this list is paged, if it differs from ClientOptions::dialect.paging: an API may have lists of several kinds.
  std::optional<Paging> paging = {};
};

}}  // namespace noun
