#pragma once
/// @file
/// What a client hides in every message, event and bookmark, whatever the request is.

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "wire/spelling.hpp"

namespace noun { inline namespace v0 {

/// Secrets that need not be in the request that a message is about (the values of the client's query, credentials,
/// the proxy's password, tokens that noun fetched), and names of parameters whose values are secret in each request.
/// Safe to use from many threads.
class KnownSecrets {
 public:
  /// Adds a secret for good.
  void add(std::string secret);
  /// Adds a secret that is replaced from time to time; the last 16 are remembered.
  void add_passing(std::string secret);
  /// Adds the name of a query parameter with secret values; compared exactly.
  void add_parameter(std::string name);
  /// Adds the secrets of `others`, also those that are added to it later.
  void include(std::shared_ptr<const KnownSecrets> others);

  std::vector<std::string> all() const;
  bool has_parameter(std::string_view name) const;
  /// Returns a search of these words. It is kept: each event of a client searches the same words, as a rule.
  std::shared_ptr<const wire::SpellingSearch> search_of(std::vector<std::string> words) const;

 private:
  struct Search {
    std::vector<std::string> words;
    std::shared_ptr<const wire::SpellingSearch> search;
  };

  mutable std::mutex mutex_;
  std::vector<std::string> lasting_;
  std::vector<std::string> passing_;
  std::set<std::string, std::less<>> parameters_;
  std::vector<std::shared_ptr<const KnownSecrets>> included_;
  mutable std::vector<Search> searches_;
};

}}  // namespace noun
