#pragma once
/// @file
/// What an estimator is: it reads every Observation of a quota policy and says when the next request may go. How far it
/// is trusted is decided in admission, not here.

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

/// How far a claim is believed.
enum class Trust : std::uint8_t {
  reported,  ///< the server says so
  proven,    ///< a guess by which a request was sent and served
  guessed,   ///< tried by one request alone
};

/// Where nothing tells when a request may go, it is asked again after so long.
constexpr Duration next_look = std::chrono::seconds(1);

/// When the next request may go.
struct Claim {
  Instant earliest;
  Trust trust = Trust::guessed;
  WaitReason reason = WaitReason::quota;
  /// Whether a request that goes by this claim, and is served, proves it.
  bool conclusive = true;
};

/// What a claim does to the reset that the server reported.
enum class Effect : std::uint8_t {
  relaxes,   ///< a request may go before the reset, not later than it
  replaces,  ///< the reset is not waited for; a request goes if the reported remaining covers it, or else by the claim
  binds,     ///< as `replaces`, and no request goes before the claim, whatever the reported remaining is
};

/// The next request.
struct Ask {
  RouteKey route = 0;
  std::int64_t cost = 1;     ///< of the request
  std::int64_t reserve = 0;  ///< what must be left over, for interactive calls and for those that asked before

  std::int64_t wanted() const noexcept { return cost + reserve; }
};

/// A new estimator is one file, one entry in the tuple of admission.hpp, and one table of tests.
template <class E>
concept Estimator = requires(E e, const E& constant, const Ask& ask, const Observation& seen, const Account& account,
                             Instant now, StateWriter& writer, StateReader& reader) {
  { E::effect } -> std::convertible_to<Effect>;
  // Whether its claims count only while the reported limit and remaining are believed.
  { E::needs_report } -> std::convertible_to<bool>;
  // A request is sent; or it was not sent after all.
  e.on_sent(now, ask);
  e.on_unsent(ask);
  // Each observation once, in the order in which they are recorded; the account has counted it.
  e.on_response(seen, account);
  // A request that went by this claim alone was rejected: the same claim is not made again.
  e.on_refuted();
  // Whether a request that went by this claim proves nothing although it was served. Asked after on_response.
  { constant.is_doubtful() } -> std::same_as<bool>;
  // Nothing: it says nothing of the request.
  { constant.claim(now, ask, account) } -> std::same_as<std::optional<Claim>>;
  E::fields(constant, writer);
  E::fields(e, reader);
};

}}}  // namespace noun::quota
