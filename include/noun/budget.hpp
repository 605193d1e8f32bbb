#pragma once
/// @file
/// A bound on the retries of a whole client, so that an outage is not multiplied.

namespace noun { inline namespace v0 {

/// A token bucket that all calls of a client share: a retry takes 1, a success gives `per_success` back. First attempts
/// take nothing and are never held back; nor does a rejection for the quota's sake take anything.
struct RetryBudget {
  /// Tokens at the beginning and at the most; 0 to 1e9. 0 allows no retry.
  double capacity = 10;
  /// Tokens that a success gives back; 0 to 1e9.
  double per_success = 0.1;
};

}}  // namespace noun
