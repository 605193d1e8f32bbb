#include "call/known_secrets.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace noun { inline namespace v0 {

void KnownSecrets::add(std::string secret) {
  const std::lock_guard lock(mutex_);
  lasting_.push_back(std::move(secret));
}

void KnownSecrets::add_passing(std::string secret) {
  constexpr std::size_t most = 16;
  const std::lock_guard lock(mutex_);
  if (passing_.size() == most) passing_.erase(passing_.begin());
  passing_.push_back(std::move(secret));
}

void KnownSecrets::add_parameter(std::string name) {
  const std::lock_guard lock(mutex_);
  parameters_.insert(std::move(name));
}

void KnownSecrets::include(std::shared_ptr<const KnownSecrets> others) {
  const std::lock_guard lock(mutex_);
  included_.push_back(std::move(others));
}

std::vector<std::string> KnownSecrets::all() const {
  const std::lock_guard lock(mutex_);
  auto all = lasting_;
  all.insert(all.end(), passing_.begin(), passing_.end());
  for (const auto& others : included_) {
    const auto more = others->all();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

bool KnownSecrets::has_parameter(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return parameters_.contains(name) || std::any_of(included_.begin(), included_.end(),
                                                   [&](const auto& others) { return others->has_parameter(name); });
}

}}  // namespace noun
