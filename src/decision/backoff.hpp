#pragma once
/// @file
/// Exponential backoff, for responses without Retry-After.

#include <noun/retry.hpp>

namespace noun { inline namespace v0 {

/// The wait before retry number `attempt`.
/// @param attempt  1 for the first retry; at least 1.
/// @param spread   uniform in [0, 1), a random number from the caller.
/// @returns        between the doubled delay and that delay lengthened by `jitter`; never negative.
/// @source RFC 9110, section 10.2.3 does not define a wait without Retry-After; doubling is a convention.
Duration backoff(const RetryPolicy& policy, int attempt, double spread) noexcept;

}}  // namespace noun
