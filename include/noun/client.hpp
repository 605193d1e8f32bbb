#pragma once
/// @file
/// The client of one API.
///
///     noun::Client api{"https://api.example.com/v1", {.credentials = noun::bearer(token)}};
///     auto languages = api.collection<Language>("languages");

#include <concepts>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <noun/collection.hpp>
#include <noun/download.hpp>
#include <noun/item.hpp>
#include <noun/operation.hpp>
#include <noun/options.hpp>
#include <noun/quota.hpp>
#include <noun/result.hpp>
#include <noun/stream.hpp>

namespace noun { inline namespace v0 {

namespace detail {
struct ClientAccess;
}

class Client;

namespace detail {

/// @{
/// What op::finish() runs, from an operation that starts it, a first response or the error in its place, or a token.
NOUN_API OperationRequest finish_request(const Client& api, OperationRequest start, FinishOptions options);
NOUN_API OperationRequest finish_request(const Client& api, std::shared_ptr<const Response> started, const Error* error,
                                         FinishOptions options);
NOUN_API OperationRequest finish_request(const Client& api, std::string_view token, FinishOptions options);
template <class T>
OperationRequest finish_from(const Client& api, const Operation<T>& start, FinishOptions options) {
  return finish_request(api, OperationAccess::request_of(start), std::move(options));
}
template <class T>
OperationRequest finish_from(const Client& api, const Result<T>& started, FinishOptions options) {
  return finish_request(api, started.shared_response(), started ? nullptr : &started.error(), std::move(options));
}
inline OperationRequest finish_from(const Client& api, Text token, FinishOptions options) {
  return finish_request(api, token.view(), std::move(options));
}
/// @}

}  // namespace detail

/// The client of one API. Cheap to copy: copies share connections, quota and retry budget. Needs no global
/// initialization or shutdown. After a fork the child starts with its own connections; a fork while another thread is
/// inside a call is not supported.
/// @threadsafety  safe.
class NOUN_API Client {
 public:
  /// As create(), for programs with exceptions.
  /// @param base_url  as create() takes it.
  /// @param options   as create() takes them.
  /// @throws noun::Exception  if create() returns an error.
  explicit Client(Text base_url, ClientOptions options = ClientOptions());
  /// A client of the API at `base_url`. Sends nothing and opens no connection.
  /// @param base_url  http or https, with or without a path, without userinfo, query and fragment; a trailing slash
  ///                  makes no difference.
  /// @param options   see ClientOptions; the defaults fit most APIs.
  /// @returns         `invalid_argument` for a bad base URL or an option out of its range; `tls` for a file that cannot
  ///                  be read.
  static Result<Client> create(Text base_url, ClientOptions options = ClientOptions());
  /// @{
  /// Copyable. A move is a copy, so that a moved-from client is still valid.
  Client(const Client&) noexcept = default;
  Client& operator=(const Client&) noexcept = default;
  ~Client() = default;
  /// @}

  /// A copy with other options, which shares connections, quota and retry budget with this client:
  /// `api.with({.quota = noun::QuotaPolicy{.max_wait = 6h}})`. Calls in the background (start(), run_all(), prefetch)
  /// have connections of their own.
  /// @param changes  the options to replace. If a value is out of its range, every call of the copy returns
  ///                 `invalid_argument`.
  [[nodiscard]] Client with(ClientChanges changes) const;

  /// @{
  /// A collection below the base URL.
  template <class T = Json>
  Collection<T> collection(Name name) const {
    return Collection<T>(base().below(name));
  }
  template <class T = Json>
  Collection<T> collection(const RuntimeName& name) const {
    return Collection<T>(base().below(name));
  }
  /// @}

  /// The item at the base URL itself; `api.root().as_collection()` is the collection there.
  template <class T = Json>
  Item<T> root() const {
    return Item<T>(base());
  }

  /// @{
  /// An item without an id, such as `/user`.
  template <class T = Json>
  Item<T> singleton(Name name) const {
    return Item<T>(base().below(name));
  }
  template <class T = Json>
  Item<T> singleton(const RuntimeName& name) const {
    return Item<T>(base().below(name));
  }
  /// @}

  /// Sends a request that is not resource-shaped: raw bytes, with the same credentials, quota, retries and limits.
  /// @param request  a path below the base URL, percent-encoded by the caller.
  /// @param options  of this call; its query is added to the request's, its headers replace those of the same name.
  /// @returns  the response if it is a 2xx (or a 404 or 410 to a DELETE that an earlier attempt may have carried out), or
  ///           else the error that a verb would return; `invalid_argument` for a path that leaves the base URL.
  Result<Response> send(const Request& request, const CallOptions& options = CallOptions()) const;

  /// @{
  /// The item that the Location of a response names: the one that a 201 created, or the one that reports on a 202,
  /// which is accepted and not finished: finish() waits for it. Sends nothing. The URL is used as the server wrote it,
  /// with its query; what is below the item has no query of it.
  ///
  ///     auto created = tasks.create<void>(noun::Json{{"title", "pay the rent"}});
  ///     auto task = api.follow(created).get();
  ///
  /// @tparam T        what the item is read as.
  /// @param response  of a call of this client, or the result with it. If the call failed and its response has no
  ///                  Location, every call of the item returns the error of the result.
  /// @returns  the item. Every call of it returns `refused`, and sends nothing, if the Location is of another origin or
  ///           not below the base URL, and `protocol` if there is no Location, or more than one.
  /// @source   RFC 9110, section 10.2.2.
  template <class T = Json>
  Item<T> follow(const Response& response) const {
    return Item<T>(location_of(response));
  }
  template <class T = Json, class R>
  Item<T> follow(const Result<R>& response) const {
    return Item<T>(location_of(response.response(), response ? nullptr : &response.error()));
  }
  /// @}

  /// Streams a body of any size to a file or a function, in constant memory. Credentials, quota and retries are as for
  /// every call; after bytes were received the attempts count from the first again, and the retry costs no budget. It
  /// continues with Range, if the response had a strong ETag or an old enough Last-Modified; otherwise it starts again.
  /// A redirect to another https origin (or from http on this machine to http on this machine) is followed without
  /// credentials and without headers of the client and of the call. With another method than GET it is followed only to
  /// ClientOptions::trusted_origins, where the body goes too; any other origin is `refused`. A Content-Encoding that the
  /// server applies although noun accepts none is an error (`protocol`). The observer receives `progress`.
  /// @param request  as send() takes it; not a HEAD. Any method, but only a GET is continued.
  /// @param target   the path of the file, or a function.
  /// @param options  of this download.
  /// @returns  the download when it is complete, or the error that a verb would return; `too_large` for more than
  ///           `max_bytes`, `resource` if the file cannot be written, `truncated` for a function that would have to
  ///           take bytes back. A body without a length whose connection ends is taken as complete.
  /// @source   RFC 9110, sections 13.1.5 and 14.
  Result<Download> download(const Request& request, const DownloadTarget& target,
                            const DownloadOptions& options = {}) const;

  /// A stream of events, each as soon as it arrives: server-sent events (`text/event-stream`), or JSON in lines
  /// (`application/x-ndjson`, `application/jsonl`, `application/stream+json`, `application/json-seq`). Sends nothing
  /// before it is read. Credentials, quota and retries are as for every call; the request counts as in flight until the
  /// head of its response has arrived. If the connection breaks afterwards, a POST is never sent again: the events that
  /// arrived are delivered, then the error. A GET or QUERY connects again with StreamOptions::reconnect.
  /// @tparam T       what the data of an event is read as: JSON, or EventText.
  /// @param request  as send() takes it; not a HEAD.
  /// @param options  of this stream.
  /// @returns  the events. Their last element may be an error: that of a verb; `protocol` for a response of another
  ///           type; `too_large` for an event over Limits::body; `truncated` for an early end.
  template <class T = Json>
  Stream<T> stream(Request request, StreamOptions options = StreamOptions()) const {
    return Stream<T>(std::make_shared<detail::StreamSource>(base(), std::move(request), std::move(options)));
  }

  /// Waits for the end of a long-running operation: polls the URL that reports on it, as Dialect::polling says, and
  /// reads the result. Before each poll, also the first, it waits as long as the server reports (Retry-After, also of
  /// an earlier response), or else 1 s, 2 s, 4 s up to 30 s, and never less than 250 ms. Polls are calls like any
  /// other, with credentials, quota, retries and redirects. The request that starts the operation is sent once more
  /// only if its own call retries it.
  ///
  ///     auto started = issues.create<noun::Json>({{"import", "old.csv"}});
  ///     auto moved = api.finish(started, {.deadline = std::chrono::minutes(10)});
  ///
  /// @tparam R       what the result is read as; with void, a result with a URL of its own is not requested.
  /// @param from     a result of this client, such as that of a create(): an operation that has started; an operation
  ///                 of noun::op that starts it, and of which either stop token ends all; or a token of poll_token() or
  ///                 Error::poll_token(). A result that is an error is returned as it is, unless the server accepted
  ///                 the request.
  /// @param options  of the polls, and of the whole.
  /// @returns  the result; `operation_failed` if the server reports that the operation failed or was cancelled, with
  ///           the server's message and body; `expired_cursor` if the server does not know it any more (404 or 410);
  ///           `refused` for a monitor or a result at another origin, unless that is trusted, and, with retry_at(),
  ///           for a reported wait before a poll that is longer than Dialect::farthest_reset; `protocol` if the
  ///           response does not name a monitor; `invalid_argument` for a token of another client. An error of a poll,
  ///           also `cancelled`, `deadline_exceeded`, `refused`, and `invalid_argument` for its options, has the token
  ///           to continue with, as Error::poll_token() says, and `sent() == answered`.
  /// @source   RFC 9110, section 15.3.3; https://google.aip.dev/151
  template <class R = Json, class From>
  Result<R> finish(const From& from, const FinishOptions& options = FinishOptions()) const {
    return Operation<R>(detail::finish_from(*this, from, options)).run();
  }

  /// The text with which finish() continues in another process, or later. Contains no credentials; authenticated by
  /// ClientOptions::bookmark_key like a bookmark, and without it trusted input. May ask the credentials function, in
  /// order to leave out of the text what it returns.
  /// @param started  the result of the call that started the operation.
  /// @returns  the token; the error of finish() if the response is not that of an operation that runs;
  ///           `invalid_argument` if the operation has already ended; `refused` if the monitor is not below the base
  ///           URL, and there is no `bookmark_key`, or if its URL repeats credentials that change.
  template <class T>
  Result<std::string> poll_token(const Result<T>& started) const {
    return poll_token_of(started.shared_response(), started ? nullptr : &started.error());
  }

  /// Runs many operations at the same time, under the same quota.
  /// @param operations  a range of Operation<T>; noun::op makes them. It is copied, but from a view (std::ranges::view)
  ///                    each operation is taken when it starts, so their number costs no memory:
  ///                    `ids | std::views::transform([&](int id) { return noun::op::get(tasks[id]); })`. What the
  ///                    view refers to must exist until the last one starts. An exception of the view is thrown where
  ///                    the result of that operation would be read; no operation after it starts.
  /// @param options     how many at once: `{.in_flight = 8}`. If it is out of range, each operation returns
  ///                    `invalid_argument`, and nothing is sent.
  /// @returns           an input range of their results, Result<T>, in the order of the operations.
  template <class Operations>
  auto run_all(Operations&& operations, RunOptions options = {}) const {
    using Range = std::remove_cvref_t<Operations>;
    using Each = std::remove_cvref_t<decltype(*std::begin(std::declval<Range&>()))>;
    using Results = Outcomes<typename Each::value_type>;
    constexpr bool is_own = std::same_as<Operations, std::vector<Each>>;
    if constexpr (is_own || (std::ranges::view<Range> && std::constructible_from<Range, Operations>)) {
      return Results(Range(std::forward<Operations>(operations)), options);
    } else {
      std::vector<Each> all;
      if constexpr (requires { std::size(operations); }) all.reserve(std::size(operations));
      for (const auto& operation : operations) all.push_back(operation);
      return Results(std::move(all), options);
    }
  }

  /// The current state of the quota of this client. Sends nothing.
  QuotaSnapshot quota_snapshot() const;
  /// The time of the client's clock. A deadline for several calls is an instant of it, also in tests with a
  /// ManualClock: `{.deadline = api.now().steady + 20s}`.
  Now now() const noexcept;
  /// The base URL, without a trailing slash.
  const std::string& base_url() const noexcept;
  /// The number of exceptions from the observer that were dropped.
  std::uint64_t observer_faults() const noexcept;

 private:
  friend struct detail::ClientAccess;

  explicit Client(std::shared_ptr<detail::ClientCore> core) noexcept;
  Address base() const;
  Address location_of(const Response& response) const;
  Address location_of(const Response* response, const Error* error) const;
  Result<std::string> poll_token_of(const std::shared_ptr<const Response>& started, const Error* error) const;

  std::shared_ptr<detail::ClientCore> core_;
};

/// Access to a client for the operations.
struct detail::ClientAccess {
  /// The address of the base URL.
  static Address base(const Client& client) { return client.base(); }
};

}}  // namespace noun
