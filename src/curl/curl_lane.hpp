#pragma once
/// @file
/// An attempt in progress in a multiplexer, with the callbacks that libcurl has for it.

#include <cstdint>
#include <list>
#include <optional>
#include <set>

#include <curl/curl.h>

#include <noun/time.hpp>
#include <noun/transport.hpp>

#include "curl/connect_ramp.hpp"
#include "curl/curl_sockets.hpp"
#include "curl/curl_transfer.hpp"
#include "os/readiness.hpp"
#include "os/steady_now.hpp"

namespace noun { inline namespace v0 { namespace curl {

struct Lane;
struct Shard;

/// When to look at a lane at the latest.
struct Timer {
  Instant when;
  Multiplexer::Id id;
  Lane* lane;

  friend bool operator<(const Timer& left, const Timer& right) noexcept {
    return left.when != right.when ? left.when < right.when : left.id < right.id;
  }
};
using Timers = std::set<Timer>;
using LanePlaces = std::list<Lane*>;

/// What the lanes of one multiplexer share.
struct Tracks {
  Readiness readiness;
  Sockets sockets;
  /// The time of the current round of events.
  Instant now = steady_now();
  Timers timers;
  /// The lanes that libcurl has, whose requests are not being sent yet.
  LanePlaces connecting;
  ConnectRamp ramp;
};

/// What has happened to the attempt of a lane.
struct LaneProgress {
  /// Whether it opened a connection.
  bool opened = false;
  Instant sent = Instant::max();
  /// When the last byte went in either direction. Until the request is being sent, libcurl's connect timeout applies.
  Instant moved = Instant::max();
  curl_off_t uploaded = 0;
  SocketUse socket = {};
  /// The sockets that libcurl waits for while it connects.
  int watched = 0;
  /// Whether a socket of it cannot be watched.
  bool unwatched = false;
  /// Whether the connection that libcurl chose was found bad before anything was sent on it.
  bool unusable = false;
  bool head_seen = false;
  std::optional<Ending> ending = {};
};

/// One attempt in progress. Its nodes in lists and sets are made once, and used again for later attempts.
struct Lane : LaneProgress {
  explicit Lane(Tracks& all) : tracks(all), place{this} {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    clear_timer();
    stop_connecting();
  }

  bool open(const TransportOptions& options, TrustStore& trust);
  /// @param must_connect  whether to open a connection.
  CURLcode prepare(bool must_connect);
  void set_timer(Instant when);
  void clear_timer() noexcept;
  void connects() noexcept { tracks.connecting.splice(tracks.connecting.end(), place); }
  bool is_connecting() const noexcept { return place.empty(); }
  void stop_connecting() noexcept {
    if (is_connecting()) place.splice(place.end(), tracks.connecting, in_place);
  }
  Instant end() const noexcept { return std::min(deadline, after(moved, stall)); }
  /// Whether libcurl does not report how the body is being sent, so that its count is compared several times.
  bool is_counted() const noexcept { return attempt->has_body && attempt->source == nullptr; }
  Instant next_look() const noexcept;
  /// Nothing reports when its socket is ready: it ends as broken.
  void end_unwatched() noexcept {
    unwatched = true;
    if (timer) set_timer(tracks.now);
  }
  std::optional<Ending> overdue() noexcept;
  bool silent() const noexcept;

  Tracks& tracks;
  Transfer transfer;
  std::optional<Attempt> attempt;
  Multiplexer::Id id = 0;
  bool keep = true;
  ConnectRamp::Origin* origin = nullptr;
  /// That of the transfer, while there is one.
  Shard* shard = nullptr;
  Spread::Part* part = nullptr;
  /// Whether it uses no idle connection.
  bool fresh = false;
  bool waits = false;
  Instant deadline = {};
  Duration stall = {};

  LanePlaces place;
  LanePlaces::iterator in_place = place.begin();
  Timers::node_type spare_timer;
  std::optional<Timers::iterator> timer;
};

}}}  // namespace noun::curl
