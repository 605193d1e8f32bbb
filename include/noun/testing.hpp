#pragma once
/// @file
/// The testing kit: runs an hour of rate-limited paging in a millisecond, without a socket. Link noun::testing.
///
///     auto clock = std::make_shared<noun::testing::ManualClock>();
///     noun::testing::ServiceOptions options{.limit = 60};
///     auto service = std::make_shared<noun::testing::SimulatedService>(clock, options);
///     noun::Client api{"https://api.example.com", {.transport = service, .clock = clock}};

#include <noun/testing/manual_clock.hpp>
#include <noun/testing/recording.hpp>
#include <noun/testing/scripted_transport.hpp>
#include <noun/testing/simulated_service.hpp>
