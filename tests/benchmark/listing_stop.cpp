#include "listing_stop.hpp"

#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <noun/noun.hpp>
#include <noun/stop.hpp>

#include "curl/silent_server.hpp"
#include "joining_thread.hpp"

namespace paging_speed {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using noun_test::SilentServer;

constexpr auto patience = 20s;

/// A service, a client of it, and when the program began to break off and went on.
struct Scene {
  explicit Scene(std::size_t requests) : in_flight(requests) {}

  SilentServer service;
  noun::Client api{service.base_url()};
  noun::Collection<int> numbers = api.collection<int>("numbers");
  const std::size_t in_flight;
  steady_clock::time_point began = {};
  steady_clock::time_point returned = {};
};

void drop_listing(Scene& scene) {
  std::optional listing = scene.numbers.list({.prefetch = scene.in_flight});
  listing->begin()->value();
  scene.service.wait_for_held(scene.in_flight);
  scene.began = steady_clock::now();
  listing.reset();
  scene.returned = steady_clock::now();
}

void drop_outcomes(Scene& scene) {
  std::vector<int> ids(scene.in_flight + 1);
  std::iota(ids.begin(), ids.end(), 1);
  std::optional outcomes = scene.numbers.get_all(ids, {.in_flight = ids.size()});
  outcomes->begin()->value();
  scene.service.wait_for_held(scene.in_flight);
  scene.began = steady_clock::now();
  outcomes.reset();
  scene.returned = steady_clock::now();
}

void stop_listing(Scene& scene) {
  noun::StopSource stop;
  auto listing = scene.numbers.list({.prefetch = scene.in_flight, .stop = stop.get_token()});
  const noun_test::JoiningThread stopper([&] {
    scene.service.wait_for_held(scene.in_flight);
    scene.began = steady_clock::now();
    stop.request_stop();
  });
  noun::Errc last = noun::Errc::resource;
  for (const auto& number : listing)
    if (!number) last = number.error().code();
  scene.returned = steady_clock::now();
  if (last != noun::Errc::cancelled) throw std::runtime_error("a listing that was stopped did not say so");
}

}  // namespace

std::vector<Stopping> measure_stopping(std::size_t in_flight, std::size_t repetitions) {
  const std::vector<std::pair<std::string, std::function<void(Scene&)>>> ways{
      {"a listing goes", drop_listing}, {"outcomes go", drop_outcomes}, {"a stop request while waiting", stop_listing}};
  std::vector<Stopping> all;
  for (const auto& [name, way] : ways) {
    all.push_back({.name = name, .returned = {}, .closed = {}});
    for (std::size_t i = 0; i < repetitions; ++i) {
      Scene scene(in_flight);
      way(scene);
      if (!scene.service.wait_for_closed(in_flight, patience)) throw std::runtime_error(name + ": not all was closed");
      all.back().closed.push_back(Milliseconds(steady_clock::now() - scene.began).count());
      all.back().returned.push_back(Milliseconds(scene.returned - scene.began).count());
    }
  }
  return all;
}

}  // namespace paging_speed
