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

#include "curl/curl_handle.hpp"
#include "curl/curl_persistence.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// Keeps idle handles; the last one given back is taken first.
/// @threadsafety  safe. Handles are destroyed outside its lock.
class Pool {
 public:
  /// Takes a handle with a usable connection to the origin of `url`, else one without a connection, else null; null if
  /// the connections of that origin do not last.
  std::unique_ptr<Handle> take(std::string_view url, const Limits& limits, Instant now);
  /// Returns a handle after a successful transfer.
  void give_back(std::unique_ptr<Handle> handle, const Limits& limits, Instant now) noexcept;
  /// Records that the server ended the kept connection of the handle.
  /// @param used  when it was to be used again.
  void ended(const Handle& handle, Instant used);

 private:
  using Handles = std::vector<std::unique_ptr<Handle>>;

  Handles remove_stale(const Limits& limits, Instant now);
  std::unique_ptr<Handle> find(std::string_view url);

  std::mutex mutex_;
  Persistences persistences_;
  /// Ordered by idle time, the longest first.
  Handles idle_;
};

}}}  // namespace noun::curl
