#include "cache/flights.hpp"

#include <new>

namespace noun { inline namespace v0 { namespace cache {

Flights::Seat Flights::board(const std::shared_ptr<Flights>& flights, Request request) {
  const std::lock_guard lock(flights->mutex_);
  auto& flight = flights->by_name_[request.name];
  if (!flight) {
    flight = std::make_shared<Flight>(Flight{std::move(request)});
    return {flights, flight, nullptr};
  }
  const auto& leader = flight->request;
  if (leader.headers != request.headers || leader.writes != request.writes || leader.priority < request.priority)
    return {};
  return {flights, flight, flight->followers.emplace_back(std::make_shared<quota::Wakeable>())};
}

bool Flights::Seat::has_landed() const {
  const std::lock_guard lock(flights_->mutex_);
  return flight_->landed;
}

/// Nothing changes it after the landing.
StoredResponses Flights::Seat::stored() const { return flight_->stored; }

Flights::Followers Flights::Seat::land(const StoredResponses* stored) noexcept {
  if (!flight_ || follows()) return {};
  const auto flights = std::exchange(flights_, nullptr);
  const auto flight = std::exchange(flight_, nullptr);
  const std::lock_guard lock(flights->mutex_);
  flights->by_name_.erase(flight->request.name);
  flight->landed = true;
  if (stored != nullptr && !flight->followers.empty()) try {
      flight->stored = *stored;
    } catch (const std::bad_alloc&) {
      // They send their own requests.
    }
  return std::move(flight->followers);
}

}}}  // namespace noun::cache
