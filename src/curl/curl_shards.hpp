#pragma once
/// @file
/// The multi handles of one multiplexer. They share its loop, with all sockets and timers, and the addresses of names,
/// but each has a few of the connections to an origin only: see Spread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <curl/curl.h>

#include <noun/time.hpp>

#include "curl/curl_lane.hpp"

namespace noun { inline namespace v0 { namespace curl {

class Shards;

/// One of them.
struct Shard {
  Shards& all;
  std::uint16_t number;
  CURLM* multi = nullptr;
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
  /// Lets the lane know the addresses that the others know. Returns false if memory ran out.
  bool join(Lane& lane) noexcept;
  /// Begins the lane's transfer. Returns false if memory or descriptors ran out.
  bool add(Lane& lane) noexcept;
  /// Ends it, if it has begun.
  static void remove(Lane& lane) noexcept;
  /// Ends all connections. No lane may be added to one.
  void close() noexcept { shrink_to(0); }
  /// Whether there is one after the first that neither runs a transfer nor has an idle connection, nor do those after it.
  bool has_surplus() const noexcept { return needed() < shards_.size(); }
  /// Destroys those.
  void shrink() noexcept { shrink_to(needed()); }
  /// In a child of fork(): all of this is the parent's.
  void abandon() noexcept;

  std::size_t size() const noexcept { return shards_.size(); }
  /// Whether this one has the lane.
  bool has(Number number, const Lane& lane) const noexcept { return lane.shard == shards_[number].get(); }
  /// The one that a socket belongs to which Readiness watches.
  Number of(int descriptor) const noexcept { return tracks_.readiness.group_of(descriptor); }
  /// When the first of them wants to run.
  Instant due() const noexcept;
  /// Whether this one wants to run now; true once.
  bool take_due(Number number) noexcept;
  /// Lets libcurl act on an event of a socket (CURL_CSELECT_…), or on the time (CURL_SOCKET_TIMEOUT). Returns false if it
  /// failed: then its transfers do not go on.
  bool act(Number number, curl_socket_t socket, int events) noexcept;
  /// After act(): a lane whose transfer libcurl has ended, with its result; null if there is none left.
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
  /// When libcurl wants to run, by number.
  std::vector<Instant> due_;
};

}}}  // namespace noun::curl
