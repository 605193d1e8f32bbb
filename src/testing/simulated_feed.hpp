#pragma once
/// @file
/// The stream of events of a SimulatedService.

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <noun/stop.hpp>
#include <noun/testing/simulated_service.hpp>
#include <noun/transport.hpp>

#include "os/stoppable_condition.hpp"

namespace noun { inline namespace v0 { namespace testing {

/// The events of one feed, and the responses that deliver them.
/// @threadsafety  safe.
class SimulatedFeed {
 public:
  void run(ServiceFeed how);
  /// Appends an event.
  void publish(std::string_view data, std::string_view type);
  /// Breaks the open responses off.
  void drop();
  /// The head of the response to a request: 204 if there is nothing more.
  Response head(const Attempt& attempt) const;
  /// Delivers the events that the request asks for, and those that are published meanwhile.
  Result<Response> deliver(const Attempt& attempt, Response head, const StopToken& stop);

 private:
  mutable std::mutex mutex_;
  StoppableCondition changed_;
  ServiceFeed how_;
  /// As they are sent.
  std::vector<std::string> events_;
  std::size_t drops_ = 0;
};

}}}  // namespace noun::testing
