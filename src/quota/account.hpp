#pragma once
/// @file
/// The certain facts about our own requests on one quota policy: what is in flight, what was sent, what was served, and
/// when. Bounded in size, and infers nothing.

#include <cstddef>
#include <cstdint>
#include <deque>

#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// A request that was sent, as its permit remembers it until the response.
struct Sending {
  Instant at = {};
  RouteKey route = 0;
  std::int64_t cost = 1;
  bool probe = false;           ///< sent alone, to learn from its response
  bool guessed = false;         ///< by a guess that nothing has proven
  bool elsewhere = false;       ///< admitted on another partition: its place among the requests of this one is unknown
  std::uint8_t guesses = 0;     ///< the estimators by whose claims it went although nothing was reported to be left
  std::uint8_t conclusive = 0;  ///< those of them that are proven if it is served
  std::int64_t before = 0;      ///< how many were sent before it
  Sums done = {};               ///< of those, what had got a response or was lost
  Sums served = {};             ///< of those, served
};

/// Our own requests that the server may have counted, by time. More than fit are kept as groups: a group's requests were
/// sent not before `sent`, and received not after `received`.
class RequestLog {
 public:
  struct Group {
    Instant sent = {};
    Instant received = {};
    std::int64_t requests = 0;

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.sent, self.received, self.requests);
    }
  };
  static constexpr std::size_t most_groups = 128;
  static constexpr std::int64_t most_kept = 10'000;

  /// How many requests are worth keeping: a limit, up to most_kept; and in how many groups at most.
  void keep(std::int64_t limit, std::size_t groups = most_groups) noexcept;
  void record(Instant sent, Instant received);

  std::int64_t size() const noexcept { return size_; }
  /// Whether what was read from bytes fits together.
  bool is_whole() const noexcept;
  /// The group of the request number `n` from the end; 1 to size().
  const Group& nth_last(std::int64_t n) const noexcept;
  /// How many were received at `when` or later, at least.
  std::int64_t received_since(Instant when) const noexcept;
  /// How many were sent after `from` and received by `until`, at least.
  std::int64_t within(Instant from, Instant until) const noexcept;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.groups_, self.size_, self.kept_, self.most_);
  }

 private:
  void compact();

  std::deque<Group> groups_;  // in the order of `received`
  std::int64_t size_ = 0;
  std::int64_t kept_ = 0;
  std::size_t most_ = most_groups;
};

/// The account of one quota policy.
class Account {
 public:
  /// A request goes out.
  Sending send(Instant now, RouteKey route, std::int64_t cost) noexcept {
    const Sending sending{
        .at = now, .route = route, .cost = cost, .before = sent_.requests, .done = done_, .served = served_};
    sent_ += {1, cost};
    return sending;
  }
  /// A request that was admitted elsewhere turns out to be counted here.
  Sending adopt(Instant sent, RouteKey route, std::int64_t cost) noexcept {
    sent_ += {1, cost};
    return {.at = sent, .route = route, .cost = cost, .elsewhere = true};
  }
  /// It was never sent.
  void unsend(const Sending& sending) noexcept { sent_ -= {1, sending.cost}; }
  /// It got a response, or was lost.
  void finish(const Sending& sending, Outcome outcome, Instant received);
  /// Requests in flight are another process's: taken as done.
  void abandon_in_flight() noexcept {
    done_ = sent_;
    expected_ = 0;
  }
  /// Requests that are under way elsewhere and will turn out to be counted here; negative once they have.
  void expect(std::int64_t requests) noexcept { expected_ += requests; }

  Sums sent() const noexcept { return sent_; }
  Sums served() const noexcept { return served_; }
  /// Requests without a response, and what they cost; one for each that is expected.
  Sums in_flight() const noexcept { return sent_ - done_ + Sums{0, expected_}; }
  /// What may have been counted after a request that is done.
  Sums perhaps_after(const Sending& sending) const noexcept { return sent_ - sending.done - Sums{1, sending.cost}; }
  RequestLog& log() noexcept { return log_; }
  const RequestLog& log() const noexcept { return log_; }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.sent_, self.done_, self.served_, self.expected_, self.log_);
  }

 private:
  Sums sent_ = {};
  Sums done_ = {};
  Sums served_ = {};
  std::int64_t expected_ = 0;
  RequestLog log_;
};

}}}  // namespace noun::quota
