#include "cache/flights.hpp"

namespace noun { inline namespace v0 { namespace cache {

Flights::Seat Flights::lead(const std::shared_ptr<Flights>& flights, Request request) {
  const std::lock_guard lock(flights->mutex_);
  if (flights->by_name_.contains(request.name)) return {};
  auto flight = std::make_shared<Flight>(Flight{std::move(request)});
  flights->by_name_.emplace(flight->request.name, flight);
  return {flights, std::move(flight), nullptr};
}

Flights::Seat Flights::follow(const std::shared_ptr<Flights>& flights, const Request& request) {
  const std::lock_guard lock(flights->mutex_);
  const auto found = flights->by_name_.find(request.name);
  if (found == flights->by_name_.end()) return {};
  const auto& flight = found->second;
  const auto& leader = flight->request;
  if (leader.headers != request.headers || leader.writes != request.writes || leader.priority < request.priority)
    return {};
  return {flights, flight, flight->followers.emplace_back(std::make_shared<quota::Wakeable>())};
}

bool Flights::Seat::has_landed() const {
  const std::lock_guard lock(flights_->mutex_);
  return flight_->landed;
}

Flights::Followers Flights::Seat::land(Bytes stored) noexcept {
  if (!flight_ || follows()) return {};
  const auto flights = std::exchange(flights_, nullptr);
  const auto flight = std::exchange(flight_, nullptr);
  const std::lock_guard lock(flights->mutex_);
  flights->by_name_.erase(flight->request.name);
  flight->landed = true;
  flight->stored = std::move(stored);
  return std::move(flight->followers);
}

}}}  // namespace noun::cache
