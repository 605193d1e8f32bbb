#pragma once
/// @file
/// What a SimulatedService responds about long-running operations.

#include <cstddef>
#include <string>
#include <string_view>

#include <noun/polling.hpp>
#include <noun/testing/simulated_service.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// An operation by which a member is created.
struct SimulatedOperation {
  ServiceOperations how = {};
  std::string collection = {};
  std::string body = {};
  /// How often its monitor was requested.
  std::size_t polls = 0;
  bool is_created = false;
  /// Of the request that creates the member.
  Response created = {};
};

/// The response that accepts an operation.
Response accepted_response(const Polling& polling, const SimulatedOperation& operation, std::string_view monitor);
/// Counts a request of the monitor. Returns whether the operation has ended by then.
bool count_poll(SimulatedOperation& operation) noexcept;
/// The response of the monitor.
Response monitor_response(const Polling& polling, const SimulatedOperation& operation);

}}}  // namespace noun::testing
