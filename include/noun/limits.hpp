#pragma once
/// @file
/// Ceilings: how long a piece of work may take, and how much a server may make noun read.

#include <chrono>
#include <cstddef>

#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// How long the parts of one attempt may take. Each is greater than zero; more than a day is read as a day.
struct Timeouts {
  /// Name resolution, TCP and TLS together.
  Duration connect = std::chrono::seconds(10);
  /// One attempt from its first step to its last byte; a CallOptions or ListOptions may set its own.
  Duration attempt = std::chrono::seconds(60);
  /// No byte in either direction for so long; whole seconds, rounded up.
  Duration stall = std::chrono::seconds(30);

  /// Whether all are the same.
  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

/// What a server may make noun read. Going over one is `too_large`, and the message names it, but for `redirects`
/// (`redirected`), and `pages` and `empty_pages` (`refused`).
struct Limits {
  /// Bytes of all heads of one answer, interim (1xx) ones included; at least 1024.
  std::size_t head = std::size_t{64} * 1024;
  /// Header fields of one answer, interim (1xx) ones included; at least 1.
  std::size_t fields = 256;
  /// Bytes of one body, as sent and as decompressed; 0 allows none.
  std::size_t body = std::size_t{64} * 1024 * 1024;
  /// Decompressed bytes per byte sent, applied above 1 MiB of decompressed body; at least 1.
  std::size_t ratio = 200;
  /// Nesting of arrays and objects, in bodies either way; 1 to 10,000.
  std::size_t json_depth = 128;
  /// Pages of one listing; at least 1.
  std::size_t pages = 100'000;
  /// Pages without an item, one after the other; at least 1.
  std::size_t empty_pages = 100;
  /// Redirects of one call; 0 follows none.
  std::size_t redirects = 5;
  /// Connections kept open for the next call.
  std::size_t idle_connections = 16;
  /// For how long such a connection is kept; not negative.
  Duration idle_time = std::chrono::seconds(60);

  /// Whether all are the same.
  friend bool operator==(const Limits&, const Limits&) = default;
};

}}  // namespace noun
