#pragma once
/// @file
/// The idle handles of one transport: their assignment, number and lifetime.

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <noun/limits.hpp>
#include <noun/time.hpp>

#include "transport/curl_handle.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// Keeps idle handles; the last one given back is taken first.
/// @threadsafety  safe. Handles are destroyed outside its lock.
class Pool {
 public:
  /// Takes a handle with a usable connection to the origin of `url`, else one without a connection, else null.
  std::unique_ptr<Handle> take(std::string_view url, const Limits& limits, Instant now);
  /// Returns a handle after a successful transfer.
  void give_back(std::unique_ptr<Handle> handle, const Limits& limits, Instant now) noexcept;

 private:
  using Handles = std::vector<std::unique_ptr<Handle>>;

  Handles remove_stale(const Limits& limits, Instant now);
  std::unique_ptr<Handle> find(std::string_view url);

  std::mutex mutex_;
  /// Ordered by idle time, the longest first.
  Handles idle_;
};

}}}  // namespace noun::curl
