#pragma once
/// @file
/// The estimator concept. An estimator reads every Observation of a quota policy and claims when the next request may
/// be sent. Admission decides how far the claim is trusted.

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>

#include <noun/event.hpp>
#include <noun/time.hpp>

#include "quota/account.hpp"
#include "quota/observation.hpp"
#include "wire/state_bytes.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// How far a claim is trusted.
enum class Trust : std::uint8_t {
  reported,  ///< the server reports it
  proven,    ///< a guess: a request was sent by it and served
  guessed,   ///< a guess: only one request at a time is sent by it
};

/// When to acquire again if nothing indicates when a request may be sent.
constexpr Duration recheck_interval = std::chrono::seconds(1);

/// When the next request may be sent.
struct Claim {
  Instant earliest;
  Trust trust = Trust::guessed;
  WaitReason reason = WaitReason::quota;
  /// Whether the claim is proven if a request is sent by it and served.
  bool conclusive = true;
};

/// The effect of a claim on the reported reset.
enum class Effect : std::uint8_t {
  relaxes,  ///< a request may be sent before the reset; the claim never delays it beyond the reset
  /// The reset is not waited for. A request is sent if the reported remaining covers it, otherwise by the claim.
  replaces,
  binds,  ///< as `replaces`, and no request is sent before the claim, whatever remaining is reported
};

/// The request to admit.
struct PermitRequest {
  RouteKey route = 0;
  std::int64_t cost = 1;     ///< cost of the request
  std::int64_t reserve = 0;  ///< permits to leave for interactive calls and for calls ahead in the queue
  bool may_guess = true;     ///< whether an unproven length of a window may be tried

  std::int64_t wanted() const noexcept { return cost + reserve; }
};

/// What an estimator does, and what it knows, unless it has a function of this name. Admission asks all of them.
struct EstimatorDefaults {
  /// A request is sent, or was not sent after all.
  void on_sent(Instant, const PermitRequest&) noexcept {}
  void on_unsent(const PermitRequest&) noexcept {}
  /// A response to a request that was not counted, in place of on_response(). on_unsent() is called before.
  void on_uncounted(const Observation&) noexcept {}
  /// A request sent by this claim alone was rejected: the same claim is not made again.
  void on_refuted() noexcept {}
  /// Forgets the resets: another process will read later ones.
  void forget_resets() noexcept {}
  /// Whether a request sent by this claim proves nothing although it was served. Called after on_response().
  bool is_doubtful() const noexcept { return false; }
  bool is_whole() const noexcept { return true; }

  /// Requests served per period by a limit that the server does not report.
  std::optional<std::int64_t> count() const noexcept { return {}; }
  /// When that limit admits the request.
  std::optional<Instant> admits_at(const PermitRequest&, const Account&) const noexcept { return {}; }
  /// Whether it sends requests one by one.
  bool is_paced() const noexcept { return false; }
  /// Whether the last response was that of a request that tried more than what is known.
  bool is_trying() const noexcept { return false; }
  /// Lower bound of the permits there, if they are refilled one by one; may be negative.
  std::optional<std::int64_t> level(Instant) const noexcept { return {}; }
  /// When so many permits are there, if level() is known.
  std::optional<Instant> refilled_at(std::int64_t) const noexcept { return {}; }
  /// When a permit is there, if no reset frees any.
  std::optional<Instant> free_at() const noexcept { return {}; }
  /// Whether our own requests show the end of windows more exactly than any reported reset.
  bool outruns_resets() const noexcept { return false; }
  /// When to send one of the last `room` permits to learn more than now.
  std::optional<Instant> searches_at(Instant, std::int64_t) const noexcept { return {}; }
};

/// A new estimator is one file, one entry in the tuple of admission.hpp, and one table of tests.
template <class E>
concept Estimator = std::derived_from<E, EstimatorDefaults> &&
                    requires(E e, const E& constant, const PermitRequest& request, const Observation& seen,
                             const Account& account, Instant now, wire::StateWriter& writer, wire::StateReader& reader) {
  { E::effect } -> std::convertible_to<Effect>;
  // Whether its claims are used only while the reported limit and remaining are trusted.
  { E::needs_report } -> std::convertible_to<bool>;
  // Each observation once, in the order of recording. The account already includes it.
  e.on_response(seen, account);
  // Nothing if the estimator has no claim.
  { constant.claim(now, request, account) } -> std::same_as<std::optional<Claim>>;
  E::fields(constant, writer);
  E::fields(e, reader);
};

}}}  // namespace noun::quota
