// A sample HTTP service over the ISO code lists, for tests, examples and people: collections with
// paging, all verbs on their members, a rate limit, and faults on demand.
//
//   atlas::Service service{{.limit = 60, .period = 10s}};
//   // ... talk to service.base_url() ...
//   service.stats().rejected;
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "atlas_options.hpp"
#include "atlas_stats.hpp"

namespace atlas {

/// Serves from its construction to stop(), on threads of its own that take no signals. All members may
/// be called from any thread; stop() and the destructor not from two at once.
class Service {
 public:
  /// Loads the lists, binds the port, and serves.
  /// Throws std::runtime_error with a sentence when an option is out of its range, or the data or the
  /// port is not available.
  explicit Service(Options options = {});

  /// Stops.
  ~Service();

  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Shuts every connection and waits until nothing runs any more, which takes milliseconds; answers
  /// under way are cut off. Does nothing the second time.
  void stop();

  /// The port that is listened on, also after stop().
  std::uint16_t port() const;

  /// Such as "http://127.0.0.1:8080/v1": with the prefix, without a slash at the end.
  std::string base_url() const;

  /// The totals so far, also after stop().
  Stats stats() const;

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

}  // namespace atlas
