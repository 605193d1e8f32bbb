#pragma once
/// @file
/// Limits the retries of a whole client, so that retries do not multiply the load of an outage.

namespace noun { inline namespace v0 {

/// A token bucket shared by all calls of a client. A retry takes 1 token, a success returns `per_success`. First
/// attempts and rejections because of the quota take none and are never held back.
struct RetryBudget {
  /// Tokens at the start, and the maximum; 0 to 1e9. 0 allows no retry.
  double capacity = 10;
  /// Tokens that a success returns; 0 to 1e9.
  double per_success = 0.1;
};

}}  // namespace noun
