#pragma once
/// @file
/// One bucket of a service's quota: all the policies that bind the same requests. A request needs a permit of each.

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "quota/quota_state.hpp"

namespace noun { inline namespace v0 {

/// What one request took from a bucket.
struct BucketTicket {
  PermitTicket first = {};
  /// By the policy's place in the bucket.
  std::vector<std::pair<std::size_t, PermitTicket>> more = {};
};

/// A bucket. Not safe to use from many threads: its gate locks.
class QuotaBucket {
 public:
  struct Decision {
    bool admitted = false;
    BucketTicket ticket = {};
    Instant until = {};
    WaitReason reason = WaitReason::none;
  };

  /// See QuotaGate::admit.
  Decision admit(Instant now, QuotaPolicy policy, const QuotaAsk& ask);
  /// The ticket of a request that was admitted elsewhere, but turns out to be counted here.
  BucketTicket adopt(Instant now, std::uint32_t route);
  /// See QuotaGate::settle.
  /// @param note  is given what a person should know.
  /// @returns     whether holders should ask again.
  bool settle(const BucketTicket& ticket, Now sent, Now received, const QuotaAnswer& answer, QuotaNote& note);
  /// The request was never sent.
  void give_back(const BucketTicket& ticket) noexcept;
  /// Requests that are under way elsewhere and will turn out to be counted here; negative once they have.
  void expect(std::int64_t requests) noexcept;
  /// The service rejected something, and said that it concerns this bucket too.
  void hold_until(Instant until) noexcept;

  /// The first policy, then the others by name, as snapshots without the bucket's name.
  std::vector<QuotaSnapshot> snapshots(Instant now) const;
  /// What is said of the policy that binds first, and its name.
  std::pair<QuotaReading, std::string_view> reading(Instant now) const;
  /// How long so many calls of a route have to wait, by all policies that tell what is left.
  QuotaForecast forecast(Instant now, std::int64_t calls, std::int64_t reserve, std::uint32_t route) const;

 private:
  struct Named {
    std::string name;
    QuotaState state = {};
  };

  std::size_t place_of(std::string_view name);
  QuotaPolicy policy_of_first(QuotaPolicy policy) const noexcept;

  QuotaState first_;
  std::deque<Named> more_;  // in the order in which answers told of them
};

}}  // namespace noun
