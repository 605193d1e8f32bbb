#pragma once
/// @file
/// Limits: how long an attempt may take, and how much noun reads from a server.

#include <chrono>
#include <cstddef>

#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// Time limits of one attempt. Each is greater than zero; more than a day counts as a day.
struct Timeouts {
  /// Name resolution, TCP and TLS together.
  Duration connect = std::chrono::seconds(10);
  /// One attempt from its first step to its last byte; CallOptions and ListOptions may override it.
  Duration attempt = std::chrono::seconds(60);
  /// The longest time without a byte in either direction; whole seconds, rounded up.
  Duration stall = std::chrono::seconds(30);
};

/// Limits on what noun reads from a server. Exceeding one is an error of code `too_large` whose message names the
/// limit; `redirects` gives `redirected`, and `pages` and `empty_pages` give `refused`. The limits of connections give
/// no error.
struct Limits {
  /// Bytes of all heads of one response, including interim (1xx) ones; 1024 to 100,000: libcurl 7.88 reads no longer
  /// line. The trailers of a chunked body together with the extensions of its chunks have the same limit; the first 256
  /// bytes of the extensions of each chunk do not count.
  std::size_t head = std::size_t{64} * 1024;
  /// Header fields of one response, including interim (1xx) ones; at least 1.
  std::size_t fields = 256;
  /// Bytes of one body, as sent and as decompressed; 0 allows no body.
  std::size_t body = std::size_t{64} * 1024 * 1024;
  /// Decompressed bytes per byte sent, applied above 1 MiB of decompressed body; at least 1.
  std::size_t ratio = 200;
  /// Nesting of arrays and objects, in bodies sent and received; 1 to 10,000.
  std::size_t json_depth = 128;
  /// Values in one body received: each array, object and scalar is one; at least 1. A parsed value takes 16 to 150
  /// bytes of memory.
  std::size_t json_values = 2'000'000;
  /// Pages of one listing; at least 1.
  std::size_t pages = 100'000;
  /// Consecutive pages without an item; at least 1.
  std::size_t empty_pages = 100;
  /// Redirects of one call; 0 follows none.
  std::size_t redirects = 5;
  /// Requests in flight at the same time, each counted as one connection; more calls wait in noun's queue. 1 to
  /// 1,000,000. Clients that share a quota count together. No client uses more than a quarter of the file descriptors
  /// that the process may open.
  std::size_t connections = 512;
  /// Idle connections kept open for later calls. After a burst, calls in the background keep the burst's peak for 2 s.
  /// A connection is not reused shortly before the end that the server announces (Keep-Alive). 0 keeps none, for
  /// servers that close connections without notice: a request that such a server may have received fails with `send`,
  /// and a POST is not sent again. After two such ends soon after a response, none is kept to that origin for a minute.
  std::size_t idle_connections = 16;
  /// How long an idle connection is kept; not negative. Those of calls in the background are closed within a second
  /// after it; those of blocking calls by the next call, or with the client.
  Duration idle_time = std::chrono::seconds(60);
};

}}  // namespace noun
