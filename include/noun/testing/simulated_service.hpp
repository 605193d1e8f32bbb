#pragma once
/// @file
/// An in-memory server for tests: collections of members, a rate limit, and injected faults.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <noun/dialect.hpp>
#include <noun/streaming.hpp>
#include <noun/testing/manual_clock.hpp>
#include <noun/transport.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// The form in which a SimulatedService writes the reset.
enum class ServiceReset {
  epoch,               ///< since 1970-01-01T00:00:00Z on the server's clock, whole seconds, rounded up
  epoch_milliseconds,  ///< as epoch, whole milliseconds, rounded up
  delta,               ///< from the response, whole seconds, rounded up
  rfc3339,             ///< `2026-01-20T12:01:00Z`, rounded up
  http_date,           ///< `Tue, 20 Jan 2026 12:01:00 GMT`, rounded up
  absent,              ///< no reset
};

/// The options of a SimulatedService.
struct ServiceOptions {
  /// How the server spells its conventions; the client's own dialect. All styles of paging but a PageStrategy, which is
  /// served as Automatic, and lists with a body; the names of the first quota's headers; trailing slashes; envelopes;
  /// statuses.
  Dialect dialect = Dialect();
  /// Names of query parameters that a list accepts and ignores. A parameter named as a key of the members selects those
  /// with an equal value. A list refuses all others, but for those of paging, with 400, unless it is empty.
  TextList parameters = {};
  /// Requests per window of the server's wall clock; nothing for no limit.
  std::optional<std::int64_t> limit = {};
  Duration period = std::chrono::seconds(60);  ///< the length of a window; greater than zero
  /// When the windows start: each a period after the one before, counted from 1970-01-01T00:00:00Z and this.
  Duration phase = Duration::zero();
  /// The time that every request takes on the clock. A request with a shorter time limit fails with `timeout`; it is
  /// applied if the limit is at least half of the latency.
  Duration latency = std::chrono::milliseconds(5);
  /// How far the server's wall clock is ahead of the test's; may be negative.
  Duration clock_offset = Duration::zero();
  /// Whether responses report the limit.
  bool rate_headers = true;
  /// The form of the reset; nothing for the one that the dialect reads, also one that is not in ServiceReset. It is
  /// `epoch` if the dialect reads several.
  std::optional<ServiceReset> reset = {};
  /// Whether a rejection has Retry-After.
  bool retry_after = true;
  std::size_t page_size = 30;      ///< items per page if the request does not set it
  std::size_t largest_page = 100;  ///< the maximum number of items per page
  /// The member of a body that holds the id. A body without one gets a new number, or text if the ids are text.
  std::string id_member = "id";
};

/// How the long-running operations of a SimulatedService go.
struct ServiceOperations {
  std::size_t polls = 2;  ///< how many requests of the monitor report that the operation runs
  /// What Retry-After reports; nothing for no such field. Fractions are written.
  std::optional<Duration> retry_after = std::chrono::seconds(1);
  bool fails = false;    ///< whether it ends as failed: with 422 if the dialect has no Polling::status
  bool forgets = false;  ///< whether the monitor is gone (404) when the operation has ended
};

/// How the events of a feed of a SimulatedService are delivered.
struct ServiceFeed {
  StreamFormat format = StreamFormat::event_stream;  ///< of the events that are published from now on
  /// Whether a response ends after the last event, and a request for those after it gets a 204. Otherwise a response
  /// stays open for the next event, until it is stopped; no time passes on the clock.
  bool ends = false;
  /// After how many bytes of its body each response breaks off; nothing for none. More than an event has.
  std::optional<std::size_t> breaks_after = {};
};

/// Serves the members that were added: GET, POST, PUT, PATCH (RFC 7396) and DELETE, with 404, 405, 409 and rejections.
/// QUERY of a collection is a GET that selects by the keys of its body too, which is a JSON object.
/// The last segment of a path is an id if the rest of the path is a collection. Members and pages of lists have an
/// ETag; If-Match (of members) and If-None-Match are obeyed (412, 304). A 304 to a request with Authorization is not
/// counted if Dialect::not_modified_cost is 0, but it is rejected as any other while nothing remains.
/// Safe to use from many threads.
class NOUN_API SimulatedService final : public Transport {
 public:
  /// Whether a fault replaces a request, or applies it first, as if the connection died before the response.
  enum class When { instead, after };
  /// The result of a fault: its own response or error, or nothing for no fault.
  using Outcome = std::optional<std::pair<Result<Response>, When>>;
  /// Called before each request is processed, with its number from 1.
  using Fault = std::function<Outcome(const Attempt& attempt, std::size_t number)>;

  /// Starts empty.
  /// @param clock    the clock for windows and latencies; the client must use the same one.
  /// @param options  the server's options.
  explicit SimulatedService(std::shared_ptr<ManualClock> clock, ServiceOptions options = {});
  ~SimulatedService() override;

  /// Adds a member to a collection, which is created if necessary.
  /// @param collection  the path from the root: `/languages`, `/v1/repos/fmtlib/fmt/issues`.
  /// @param id          not encoded; of no other member of the collection.
  /// @param member      any value that nlohmann can serialize.
  template <class T>
  void add(std::string_view collection, Text id, const T& member) {
    add_json(collection, id.view(), nlohmann::json(member).dump());
  }
  /// The same for a member given as JSON text.
  /// @throws std::invalid_argument  if it is not JSON, or nested deeper than 1,000 levels; add() throws it too.
  void add_json(std::string_view collection, std::string_view id, std::string_view json);
  /// Replaces a member as another client would: at once, without a request.
  /// @throws std::invalid_argument  if there is no such member, or as add_json().
  template <class T>
  void replace(std::string_view collection, Text id, const T& member) {
    replace_json(collection, id.view(), nlohmann::json(member).dump());
  }
  /// The same for a member given as JSON text.
  void replace_json(std::string_view collection, std::string_view id, std::string_view json);
  /// Makes an empty collection.
  void add_collection(std::string_view collection);
  /// Makes each POST to a collection, which is created if necessary, start an operation: a 202 names its monitor, which is
  /// `operations/1` beside the collection, and which reports as Dialect::polling says. When the operation ends, the
  /// member is created, and the monitor leads to it. For dialects whose monitor is in a header field.
  /// @param how  of the operations that start from now on.
  void run_operations(std::string_view collection, ServiceOperations how = {});
  /// Makes GET and QUERY of a path respond with a stream of all events that were published, from the one after
  /// `Last-Event-ID`, or after the query parameter `since`, which is for JSON: both count events from 1. Called again, it
  /// changes how the feed goes on.
  void run_feed(std::string_view path, ServiceFeed how = {});
  /// Appends an event to a feed, which run_feed() has made. Its id is its number.
  /// @param data  any value that nlohmann can serialize.
  /// @param type  of a server-sent event; empty for none.
  /// @throws std::invalid_argument  if there is no such feed.
  template <class T>
  void publish(std::string_view path, const T& data, Text type = {}) {
    publish_text(path, nlohmann::json(data).dump(), type.view());
  }
  /// The same for data that is not JSON, such as `[DONE]`. In a server-sent event each end of a line becomes `\n`.
  void publish_text(std::string_view path, std::string_view data, std::string_view type = {});
  /// Breaks the open responses of a feed off, as if their connections died.
  void drop_feed(std::string_view path);
  /// Sets the fault function. It is called by one thread at a time. It may call the other functions of this object
  /// (also this one, for later requests), but must not send requests to it.
  void on_request(Fault fault);

  Result<Response> send(const Attempt& attempt, const StopToken& stop) override;

  /// The JSON text of a member, or nothing.
  std::optional<std::string> member(std::string_view collection, std::string_view id) const;
  /// The number of members of a collection; 0 if there is no such collection.
  std::size_t size(std::string_view collection) const;
  /// The number of requests.
  std::size_t requests() const;
  /// The number of them that the limit did not count: a 304 that costs nothing.
  std::size_t uncounted() const;
  /// The number of them that were rejected because of the limit.
  std::size_t rejected() const;

 private:
  struct Collections;
  struct Counted {
    bool admitted = true;
    std::int64_t remaining = 0;
    Duration resets_in = Duration::zero();
  };

  std::size_t count_request();
  Outcome fault_for(const Attempt& attempt, std::size_t number);
  Response respond(const Attempt& attempt, Now now);
  Response respond_admitted(const Attempt& attempt);
  Counted count(WallTime at);
  void uncount(Counted& counted);
  Response reporting(Response response, const Counted& counted, WallTime at) const;

  mutable std::mutex mutex_;
  std::shared_ptr<ManualClock> clock_;
  ServiceOptions options_;
  std::mutex fault_mutex_;
  std::shared_ptr<Fault> fault_;
  std::unique_ptr<Collections> collections_;
  WallTime window_ = {};
  std::int64_t used_ = 0;
  std::size_t requests_ = 0;
  std::size_t uncounted_ = 0;
  std::size_t rejected_ = 0;
};

}}}  // namespace noun::testing
