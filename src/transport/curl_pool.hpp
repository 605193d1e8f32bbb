#pragma once
/// @file
/// The idle handles of one transport: who gets which, how many are kept and for how long. What a handle does is in
/// curl_handle.

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <noun/limits.hpp>
#include <noun/time.hpp>

#include "transport/curl_handle.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// Keeps idle handles; the last one given back is the first one taken.
/// @threadsafety  safe. Handles are destroyed outside its lock.
class Pool {
 public:
  /// A handle with a good connection to the origin of `url`, or one with none at all, or null.
  std::unique_ptr<Handle> take(std::string_view url, const Limits& limits, Instant now);
  /// Takes a handle back whose last transfer was a success.
  void give_back(std::unique_ptr<Handle> handle, const Limits& limits, Instant now) noexcept;

 private:
  using Handles = std::vector<std::unique_ptr<Handle>>;

  Handles remove_stale(const Limits& limits, Instant now);
  std::unique_ptr<Handle> find(std::string_view url);

  std::mutex mutex_;
  /// The longest idle one first.
  Handles idle_;
};

}}}  // namespace noun::curl
