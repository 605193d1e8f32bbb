// A sample HTTP server for the ISO code lists, for tests and examples: collections with pagination,
// all methods on their members, a rate limit, and faults on demand.
//
//   atlas::Service service{{.limit = 60, .period = 10s}};
//   // ... send requests to service.base_url() ...
//   service.stats().rejected;
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "atlas_options.hpp"
#include "atlas_stats.hpp"

namespace atlas {

/// Serves from its construction to stop(), on its own threads, which block all signals. Thread-safe,
/// except that stop() and the destructor must not run concurrently.
class Service {
 public:
  /// Loads the lists, binds the port, and serves.
  /// Throws std::runtime_error if an option is out of its range, or if the data or the port is not available.
  explicit Service(Options options = {});

  /// Stops.
  ~Service();

  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Shuts down every connection and joins all threads, which takes milliseconds. Pending responses are
  /// lost. A second call does nothing.
  void stop();

  /// The port, also after stop().
  std::uint16_t port() const;

  /// Such as "http://127.0.0.1:8080/v1": with the prefix, without a trailing slash.
  std::string base_url() const;

  /// The totals so far, also after stop().
  Stats stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace atlas
