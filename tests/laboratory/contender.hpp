// What spends a quota in the laboratory: one policy of one client, asked by its workers and told their answers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <noun/headers.hpp>
#include <noun/simulated_limit.hpp>
#include <noun/time.hpp>

namespace laboratory {

using noun::Duration;
using noun::Instant;
using noun::Now;

/// One answer, as its worker got it.
struct Answer {
  std::size_t worker = 0;
  int attempt = 1;  ///< how often its job was sent
  bool rejected = false;
  bool unavailable = false;  ///< a rejection is a 503
  Now sent = {};
  Now received = {};
  const noun::Headers& headers;
};

/// What becomes of a rejected job.
struct Again {
  Instant at = {};            ///< when it may be sent again
  bool worker_waits = false;  ///< whether its worker waits for it, or goes on with the next
};

/// The policy of one client.
class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;

  /// Nothing: the worker sends now. Else when it asks again, at the latest.
  /// @param route  what kind of request it is.
  virtual std::optional<Instant> ask(std::size_t worker, Now now, std::size_t route) = 0;
  /// What is returned counts for rejections alone.
  virtual Again hear(const Answer& answer) = 0;
  /// Whether a worker that was told to wait asks again before.
  virtual bool overtaken(std::size_t) const { return false; }
};

}  // namespace laboratory
