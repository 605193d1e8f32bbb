// The shapes of what others do about a quota, and two to compare with: noun's gate, and a client that sees into the
// service.
#pragma once

#include <array>
#include <string_view>

#include "laboratory/experiment.hpp"

namespace laboratory {

enum class Shape {
  serial_pager,   ///< one after the other; a rejected one sleeps to the told reset and a second
  delayed_job,    ///< a queue that delays the rejected job alone, to the told reset
  sleeping_pool,  ///< each worker that is rejected sleeps to the told reset and a second
  blind_backoff,  ///< each worker that is rejected waits 1, 2, 4 … 60 s, by the job's own count
  even_pace,      ///< one request every `period / limit`
  static_split,   ///< the same, with the limit divided by the clients
  naive_gate,     ///< holds at what the fields say is left, by the local clock; one probe when it resets
  noun_gate,      ///< a gate for each client
  shared_gate,    ///< one gate for all clients
  clairvoyant,    ///< sends as soon as the service will admit; needs constant latency
};

std::string_view name_of(Shape shape);

/// Makes the contenders of one experiment.
Hire hire_of(Shape shape);

/// Runs it; a serial pager has one request in flight, a shared gate tells every client.
Outcome run(Experiment experiment, Shape shape);

/// What a program without noun could do about a limit that it does not know beforehand.
inline constexpr std::array rivals{Shape::serial_pager, Shape::delayed_job, Shape::sleeping_pool, Shape::blind_backoff,
                                   Shape::naive_gate};

}  // namespace laboratory
