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
#include "quota/state_bytes.hpp"

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

/// A new estimator is one file, one entry in the tuple of admission.hpp, and one table of tests.
template <class E>
concept Estimator = requires(E e, const E& constant, const PermitRequest& request, const Observation& seen,
                             const Account& account, Instant now, StateWriter& writer, StateReader& reader) {
  { E::effect } -> std::convertible_to<Effect>;
  // Whether its claims are used only while the reported limit and remaining are trusted.
  { E::needs_report } -> std::convertible_to<bool>;
  // A request is sent, or was not sent after all.
  e.on_sent(now, request);
  e.on_unsent(request);
  // Each observation once, in the order of recording. The account already includes it.
  e.on_response(seen, account);
  // A request sent by this claim alone was rejected: the same claim is not made again.
  e.on_refuted();
  // Whether a request sent by this claim proves nothing although it was served. Called after on_response().
  { constant.is_doubtful() } -> std::same_as<bool>;
  // Nothing if the estimator has no claim.
  { constant.claim(now, request, account) } -> std::same_as<std::optional<Claim>>;
  E::fields(constant, writer);
  E::fields(e, reader);
};

}}}  // namespace noun::quota
