// What spends a quota in the laboratory: the policy of one client, which decides for its workers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <noun/http.hpp>
#include "laboratory/simulated_limit.hpp"
#include <noun/time.hpp>

namespace laboratory {

using noun::Duration;
using noun::Instant;
using noun::Now;

/// A response, as its worker received it.
struct Response {
  std::size_t worker = 0;
  int attempt = 1;  ///< how often its job was sent
  bool rejected = false;
  bool unavailable = false;  ///< a rejection is a 503
  Now sent = {};
  Now received = {};
  const noun::Headers& headers;
};

/// What happens to a rejected job.
struct Retry {
  Instant at = {};            ///< when it may be sent again
  bool worker_waits = false;  ///< whether its worker waits for it, or continues with the next
};

/// The policy of one client.
class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;

  /// Returns nothing if the worker may send now, otherwise when it calls again at the latest.
  /// @param route  the kind of request.
  virtual std::optional<Instant> acquire(std::size_t worker, Now now, std::size_t route) = 0;
  /// Handles a response. The returned value is used for rejections only.
  virtual Retry on_response(const Response& response) = 0;
  /// Whether a waiting worker should call acquire() earlier than that.
  virtual bool overtaken(std::size_t) const { return false; }
};

}  // namespace laboratory
