// Common policies for a quota, and two to compare with: noun's gate, and a client that knows the state of the API.
#pragma once

#include <array>
#include <string_view>

#include "laboratory/experiment.hpp"

namespace laboratory {

enum class Shape {
  serial_pager,   ///< one request after the other; after a rejection it sleeps until the reported reset and one second
  delayed_job,    ///< a queue that delays only the rejected job, until the reported reset
  sleeping_pool,  ///< each rejected worker sleeps until the reported reset and one second
  blind_backoff,  ///< each rejected worker waits 1, 2, 4 … 60 s, by the attempts of its job
  even_pace,      ///< one request every `period / limit`
  static_split,   ///< the same, with the limit divided by the clients
  naive_gate,     ///< holds when the fields report that nothing remains, by the local clock; one probe at the reset
  noun_gate,      ///< a gate for each client
  shared_gate,    ///< one gate for all clients
  clairvoyant,    ///< sends as soon as the API will admit; needs constant latency
};

std::string_view name_of(Shape shape);

/// Creates the contenders of one experiment.
MakeContender maker_of(Shape shape);

/// Runs it. A serial pager has one request in flight; a shared gate informs every client.
Outcome run(Experiment experiment, Shape shape);

/// What a program without noun can do about a limit that it does not know in advance.
inline constexpr std::array rivals{Shape::serial_pager, Shape::delayed_job, Shape::sleeping_pool, Shape::blind_backoff,
                                   Shape::naive_gate};

}  // namespace laboratory
