#pragma once
/// @file
/// The state of a retry budget.

#include <mutex>

#include <noun/retry.hpp>

namespace noun { inline namespace v0 {

/// The tokens left in a RetryBudget. Safe to use from many threads.
class BudgetAccount {
 public:
  explicit BudgetAccount(RetryBudget budget) noexcept : budget_(budget), tokens_(budget.capacity) {}

  /// Takes one token for a retry. Returns false if less than one is left.
  bool take() noexcept;
  /// Adds `per_success` tokens after a successful call, up to `capacity`.
  void success() noexcept;
  double tokens() const noexcept;

 private:
  const RetryBudget budget_;
  mutable std::mutex mutex_;
  double tokens_;
};

}}  // namespace noun
