#pragma once
/// @file
/// Secrets of a client that need not be in the request that a message is about.

#include <mutex>
#include <string>
#include <vector>

namespace noun { inline namespace v0 {

/// The client secret, and the tokens that noun fetched. Safe to use from many threads.
class KnownSecrets {
 public:
  /// Adds a secret for good.
  void add(std::string secret);
  /// Adds a secret that is replaced from time to time; the last 16 are remembered.
  void add_passing(std::string secret);
  std::vector<std::string> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lasting_;
  std::vector<std::string> passing_;
};

}}  // namespace noun
