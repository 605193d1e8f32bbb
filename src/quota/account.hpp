#pragma once
/// @file
/// Bookkeeping of our own requests on one quota policy: what was sent, is in flight, and was served, and when. Bounded
/// in size. Holds facts only; infers nothing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// A sent request, as its permit stores it until the response.
struct Sending {
  Instant at = {};
  RouteKey route = 0;
  std::int64_t cost = 1;
  bool probe = false;           ///< sent alone, to learn from its response
  bool guessed = false;         ///< admitted by a claim that is not proven
  bool elsewhere = false;       ///< admitted on another partition: its order among the requests of this one is unknown
  std::uint8_t guesses = 0;     ///< bits of the estimators that admitted it although none was reported to remain
  std::uint8_t conclusive = 0;  ///< those of them whose claims are proven if it is served
  bool infers = false;          ///< inference is on (QuotaPolicy::inference)
  std::int64_t before = 0;      ///< number of requests sent before it
  Sums done = {};               ///< of those, requests with a response or lost
  Sums served = {};             ///< of those, requests served

  static void fields(auto& self, auto& archive) {
    archive(self.at, self.route, self.cost, self.probe, self.guessed, self.elsewhere, self.guesses, self.conclusive,
            self.infers, self.before, self.done, self.served);
  }
};

/// Log of our own requests that the server may have counted, in order of time. Beyond its capacity, requests are merged
/// into groups: all requests of a group were sent at or after `sent`, and received at or before `received`.
class RequestLog {
 public:
  struct Group {
    Instant sent = {};
    Instant received = {};
    std::int64_t requests = 0;

    static void fields(auto& self, auto& archive) { archive(self.sent, self.received, self.requests); }
  };
  static constexpr std::size_t most_groups = 128;
  static constexpr std::int64_t most_kept = 10'000;

  /// Sets how many requests to keep: a limit, capped at most_kept; none if it is negative.
  void keep(std::int64_t limit) noexcept { kept_ = std::clamp<std::int64_t>(limit, 0, most_kept); }
  /// Sets how many logs share the memory of one; the name of each quota policy has the memory of two groups.
  void share_memory(std::size_t logs) noexcept { most_ = std::max<std::size_t>(most_groups / logs, 10) - 2; }
  void record(Instant sent, Instant received, std::int64_t requests = 1);

  std::int64_t size() const noexcept { return size_; }
  bool is_whole() const noexcept;
  /// The group that contains the request number `n` from the end; `n` is 1 to size().
  const Group& nth_last(std::int64_t n) const noexcept;
  /// When that request is no longer counted, if each is counted for a period; nothing if there is none of this number.
  std::optional<Instant> freed_at(std::int64_t n, Duration period) const noexcept {
    return n >= 1 && n <= size_ ? std::optional(after(nth_last(n).received, period)) : std::nullopt;
  }
  /// Lower bound of the requests received at `when` or later.
  std::int64_t received_since(Instant when) const noexcept;
  /// Lower bound of the requests sent after `from` and received by `until`.
  std::int64_t within(Instant from, Instant until) const noexcept;

  static void fields(auto& self, auto& archive) { archive(self.groups_, self.size_, self.kept_, self.most_); }

 private:
  void compact();

  std::deque<Group> groups_;  // ordered by `received`
  std::int64_t size_ = 0;
  std::int64_t kept_ = 0;
  std::size_t most_ = most_groups;
};

/// The account of one quota policy.
class Account {
 public:
  /// Records that a request is sent.
  Sending send(Sending sending) noexcept {
    sending.before = sent().requests;
    sending.done = done_;
    sending.served = served_;
    sent_ += {1, sending.cost};
    return sending;
  }
  /// Records a request that was admitted on another partition or state, as was recorded there, but is counted here.
  Sending adopt(Sending sending, std::int64_t cost) noexcept {
    sent_ += {1, cost};
    sending.cost = cost;
    sending.elsewhere = true;
    sending.probe = sending.guessed = false;
    sending.before = 0;
    return sending;
  }
  /// Removes a request that was never sent.
  void unsend(const Sending& sending) noexcept { sent_ -= {1, sending.cost}; }
  /// Records that a request got a response or was lost.
  void finish(const Sending& sending) noexcept { done_ += {1, sending.cost}; }
  /// Records how a finished request ended.
  void record(const Sending& sending, Outcome outcome, Instant received);
  /// Marks the requests in flight as done: they belong to another process.
  void abandon_in_flight() noexcept {
    done_ = sent_;
    expected_ = 0;
    leased_ = 0;
  }
  /// Adds requests that are in flight elsewhere and will be counted here; negative once they are counted.
  void expect(std::int64_t requests) noexcept { expected_ += requests; }
  /// Adds permits that processes hold: unspent, in flight, or not reported yet. Negative once they are returned or
  /// reported.
  void lease(std::int64_t permits) noexcept { leased_ += permits; }
  std::int64_t leased() const noexcept { return leased_; }

  /// All requests. A leased permit counts as one: another process may have sent it.
  Sums sent() const noexcept { return sent_ + Sums{leased_, leased_}; }
  Sums served() const noexcept { return served_; }
  /// Requests without a response, and their cost. Each expected request adds a cost of 1.
  Sums in_flight() const noexcept { return sent() - done_ + Sums{0, expected_}; }
  /// If each request is counted for a period: the number, from the end, of the request that must not be counted any
  /// more before so many are sent.
  std::int64_t last_of(std::int64_t limit, std::int64_t wanted) const noexcept {
    return limit - wanted - in_flight().cost + 1;
  }
  /// What the server may have counted after a finished request.
  Sums perhaps_after(const Sending& sending) const noexcept { return sent() - sending.done - Sums{1, sending.cost}; }
  RequestLog& log() noexcept { return log_; }
  const RequestLog& log() const noexcept { return log_; }

  static void fields(auto& self, auto& archive) {
    archive(self.sent_, self.done_, self.served_, self.expected_, self.leased_, self.log_);
  }

 private:
  Sums sent_ = {};
  Sums done_ = {};
  Sums served_ = {};
  std::int64_t expected_ = 0;
  std::int64_t leased_ = 0;
  RequestLog log_;
};

}}}  // namespace noun::quota
