#include "decision/budget.hpp"

#include <algorithm>

namespace noun { inline namespace v0 {

bool BudgetAccount::take() noexcept {
  const std::lock_guard lock(mutex_);
  // 0.1 added ten times is slightly less than 1.
  if (tokens_ < 1 - 1e-9) return false;
  tokens_ = std::max(0.0, tokens_ - 1);
  return true;
}

void BudgetAccount::success() noexcept {
  const std::lock_guard lock(mutex_);
  tokens_ = std::min(budget_.capacity, tokens_ + budget_.per_success);
}

double BudgetAccount::tokens() const noexcept {
  const std::lock_guard lock(mutex_);
  return tokens_;
}

}}  // namespace noun
