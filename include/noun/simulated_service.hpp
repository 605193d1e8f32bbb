#pragma once
/// @file
/// A service in memory, for tests: collections of members, a rate limit, and faults when asked for.

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

#include <noun/limit_fields.hpp>
#include <noun/manual_clock.hpp>
#include <noun/simulated_limit.hpp>
#include <noun/transport.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// A SimulatedService's conventions; the plain ones by default.
struct ServiceOptions {
  /// Requests per period, by the service's wall clock, counted as `counting` says; nothing for no limit.
  std::optional<std::int64_t> limit = {};
  Duration period = std::chrono::seconds(60);  ///< how long a window is; greater than zero
  /// Where in the period an aligned window begins.
  Duration phase = Duration::zero();
  /// Moved on the clock by every request; one that may not take so long fails with `timeout`, the request applied if
  /// half of it has passed.
  Duration latency = std::chrono::milliseconds(5);
  /// How far the service's wall clock is ahead of the test's; may be negative.
  Duration clock_offset = Duration::zero();
  /// Whether the answers carry the X-RateLimit fields.
  bool rate_headers = true;
  ServiceReset reset = ServiceReset::epoch;  ///< the form of X-RateLimit-Reset
  /// Whether a 429 carries Retry-After.
  bool retry_after = true;
  std::size_t page_size = 30;      ///< items of a page where the request does not say
  std::size_t largest_page = 100;  ///< items of a page at the most
  /// The member of a body that names it.
  std::string id_member = "id";
  /// How requests are counted; its limit, period and phase are the ones above.
  LimitOptions counting = {};
  ResetLie reset_lie = ResetLie::none;  ///< what is wrong with the reset
};

/// Serves what add() put in: GET with page, per_page and Link, POST, PUT, PATCH (RFC 7396) and DELETE, with 201, 204,
/// 404, 405, 409 and 429. A path's last segment is an id if the path without it is a collection. Safe to use from many
/// threads.
class NOUN_API SimulatedService final : public Transport {
 public:
  /// Whether a fault takes a request's place, or applies it first, as when a connection dies before the answer.
  enum class When { instead, after };
  /// What a fault makes of a request: an answer or error of its own, or nothing.
  using Outcome = std::optional<std::pair<Result<Response>, When>>;
  /// Asked before each request is looked at, with its number from 1.
  using Fault = std::function<Outcome(const Attempt& attempt, std::size_t number)>;

  /// Empty.
  /// @param clock    what its windows and latencies are by; the client's as well.
  /// @param options  its conventions.
  explicit SimulatedService(std::shared_ptr<ManualClock> clock, ServiceOptions options = {});
  ~SimulatedService() override;

  /// Puts a member into a collection, which is made if it is new.
  /// @param collection  the path from the root: `/languages`, `/v1/repos/fmtlib/fmt/issues`.
  /// @param id          not encoded; a member with this id is replaced.
  /// @param member      anything nlohmann can write.
  template <class T>
  void add(std::string_view collection, Text id, const T& member) {
    add_json(collection, id.view(), nlohmann::json(member).dump());
  }
  /// The same for a member that is JSON text already.
  /// @throws std::invalid_argument  for what is no JSON, or nested deeper than 1,000 levels, as add() does.
  void add_json(std::string_view collection, std::string_view id, std::string_view json);
  /// Makes an empty collection.
  void add_collection(std::string_view collection);
  /// Called by one thread at a time; it may call the service's other functions (this one too, for the requests behind
  /// it), but not send to it.
  void on_request(Fault fault);

  Result<Response> send(const Attempt& attempt, const std::stop_token& stop) override;

  /// The JSON text of a member, or nothing.
  std::optional<std::string> member(std::string_view collection, std::string_view id) const;
  /// How many members a collection has; 0 if there is none such.
  std::size_t size(std::string_view collection) const;
  /// How many requests were counted.
  std::size_t requests() const;
  /// How many of them were rejected for the limit.
  std::size_t rejected() const;

 private:
  struct Shelves;

  std::size_t count_request();
  Outcome fault_for(const Attempt& attempt, std::size_t number);
  Response answer(const Attempt& attempt, Now now);
  Response answer_admitted(const Attempt& attempt);

  mutable std::mutex mutex_;
  std::shared_ptr<ManualClock> clock_;
  ServiceOptions options_;
  std::mutex fault_mutex_;
  std::shared_ptr<Fault> fault_;
  std::unique_ptr<Shelves> shelves_;
  SimulatedLimit limit_;
  std::size_t requests_ = 0;
  std::size_t rejected_ = 0;
};

}}}  // namespace noun::testing
