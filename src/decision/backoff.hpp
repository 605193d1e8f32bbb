#pragma once
/// @file
/// How long to wait where the service did not say.

#include <noun/retry.hpp>

namespace noun { inline namespace v0 {

/// How long to wait before retry number `attempt`.
/// @param attempt  1 for the first retry; at least 1.
/// @param spread   uniform in [0, 1), drawn by the caller.
/// @returns        between the doubled delay and that delay stretched by `jitter`; never negative.
/// @source RFC 9110, section 10.2.3 leaves the case without Retry-After open; doubling is the API's convention.
Duration backoff(const RetryPolicy& policy, int attempt, double spread) noexcept;

}}  // namespace noun
