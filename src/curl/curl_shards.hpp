#pragma once
/// @file
/// The multi handles of one multiplexer. They share its sockets, its timers and the addresses that were resolved. Each
/// has only some of the connections to an origin: see Spread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <curl/curl.h>

#include <noun/time.hpp>

#include "curl/curl_lane.hpp"

namespace noun { inline namespace v0 { namespace curl {

class Shards;

/// One multi handle.
struct Shard {
  Shards& all;
  std::uint16_t number;
  CURLM* multi = nullptr;
  /// In progress.
  std::size_t transfers = 0;
};

/// Used by one thread at a time.
class Shards {
 public:
  using Number = decltype(Shard::number);

  explicit Shards(Tracks& tracks) noexcept : tracks_(tracks) {}
  Shards(const Shards&) = delete;
  Shards& operator=(const Shards&) = delete;
  /// The lanes that have joined must be gone.
  ~Shards();

  /// Makes the first one. Returns false if memory or descriptors ran out.
  bool open();
  /// Lets the transfers of the lane use the addresses that were resolved for others. Returns false if memory ran out.
  bool join(Lane& lane) noexcept;
  /// Chooses a handle, and starts the transfer of the lane there. Returns false if memory or descriptors ran out.
  bool add(Lane& lane) noexcept;
  /// Ends that transfer; does nothing if there is none.
  static void remove(Lane& lane) noexcept;
  /// Closes all connections. Call remove() for all lanes before.
  void close() noexcept { shrink_to(0); }
  /// Whether shrink() would destroy a handle.
  bool has_surplus() const noexcept { return needed() < shards_.size(); }
  /// Destroys the last handles, as long as they have no transfer and no idle connection; never the first.
  void shrink() noexcept { shrink_to(needed()); }
  /// In a child of fork(): the handles are those of the parent, and stay as they are.
  void abandon() noexcept;

  Number size() const noexcept { return static_cast<Number>(shards_.size()); }
  /// Whether the transfer of the lane is in this handle.
  bool has(Number number, const Lane& lane) const noexcept { return lane.shard == shards_[number].get(); }
  /// The handle of a socket that is watched (Readiness).
  Number of(int descriptor) const noexcept { return tracks_.readiness.group_of(descriptor); }
  /// When libcurl wants act() next, for any handle.
  Instant due() const noexcept;
  /// Whether libcurl wants act() for this handle now; true once.
  bool take_due(Number number) noexcept;
  /// Passes libcurl an event of a socket (CURL_CSELECT_…), or the time (CURL_SOCKET_TIMEOUT). Returns false if the handle
  /// failed: then none of its transfers can continue.
  bool act(Number number, curl_socket_t socket, int events) noexcept;
  /// After act(): the next lane whose transfer is complete or has failed, as its Transfer::code() says; null if none is.
  Lane* take_ended(Number number) noexcept;
  /// As act(), with a transfer that fails at once, so that libcurl looks for dead connections there.
  bool sweep(Number number, CURL* transfer) noexcept;

 private:
  static int on_interest(CURL* easy, curl_socket_t socket, int what, void* shard, void*) noexcept;
  static int on_timer(CURLM*, long milliseconds, void* shard) noexcept;
  bool open_next() noexcept;
  std::size_t needed() const noexcept;
  void shrink_to(std::size_t size) noexcept;

  Tracks& tracks_;
  CURLSH* addresses_ = nullptr;
  std::vector<std::unique_ptr<Shard>> shards_;
  /// When libcurl wants act(), by number.
  std::vector<Instant> due_;
};

}}}  // namespace noun::curl
