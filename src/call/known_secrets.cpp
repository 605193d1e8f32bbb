#include "call/known_secrets.hpp"

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

std::vector<std::string> KnownSecrets::all() const {
  const std::lock_guard lock(mutex_);
  auto all = lasting_;
  all.insert(all.end(), passing_.begin(), passing_.end());
  return all;
}

}}  // namespace noun
