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

std::shared_ptr<const wire::SpellingSearch> KnownSecrets::search_of(std::vector<std::string> words) const {
  constexpr std::size_t most = 8;
  // A server may have chosen the words.
  constexpr std::size_t longest = 4096;
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(searches_.begin(), searches_.end(),
                                    [&](const Search& each) { return each.words == words; });
    if (known != searches_.end()) return known->search;
  }
  auto search = std::make_shared<const wire::SpellingSearch>(words);
  std::size_t length = 0;
  for (const auto& word : words) length += word.size();
  if (length > longest) return search;
  const std::lock_guard lock(mutex_);
  if (searches_.size() == most) searches_.erase(searches_.begin());
  searches_.push_back({std::move(words), search});
  return search;
}

}}  // namespace noun
