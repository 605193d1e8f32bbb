#pragma once
/// @file
/// The account of a retry budget.

#include <mutex>

#include <noun/budget.hpp>

namespace noun { inline namespace v0 {

/// The tokens that are left of a RetryBudget. Safe to use from many threads.
class BudgetAccount {
 public:
  explicit BudgetAccount(RetryBudget budget) noexcept : budget_(budget), tokens_(budget.capacity) {}

  /// Takes the token of one retry, if there is a whole one.
  bool take() noexcept;
  /// A call succeeded.
  void success() noexcept;
  double tokens() const noexcept;

 private:
  const RetryBudget budget_;
  mutable std::mutex mutex_;
  double tokens_;
};

}}  // namespace noun
