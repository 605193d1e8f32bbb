// One fault at every step of every journey: each is run once to count its steps, and then once for each step and fault.
// It has to end with the right value or with a true error, to leave nothing behind, and to be resumed where it stood.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/future.hpp>
#include <noun/noun.hpp>
#include <noun/stop.hpp>
#include <noun/testing.hpp>

#include "loop/call_bench.hpp"
#include "testing/local_bodies.hpp"

namespace noun_test { namespace injected_faults_test {

using namespace std::chrono_literals;
namespace kit = noun::testing;
using noun::Errc;
using noun::Error;
using noun::Json;
using noun::Method;
using noun::Response;
using noun::Sent;
using When = kit::SimulatedService::When;

/// Where a fault is injected.
enum class Point { request, credentials, element, event };
enum class Fault { refused, unanswered, answer_lost, answer_cut, stop, deadline, no_credentials, exception };

struct Injection {
  std::string name;
  Point at;
  Fault fault;
};

const std::vector<Injection>& injections() {
  static const std::vector<Injection> all = {
      {"connection refused", Point::request, Fault::refused},
      {"request lost", Point::request, Fault::unanswered},
      {"response lost", Point::request, Fault::answer_lost},
      {"response cut", Point::request, Fault::answer_cut},
      {"stop before a request", Point::request, Fault::stop},
      {"stop during an event", Point::event, Fault::stop},
      {"stop at an element", Point::element, Fault::stop},
      {"stop in the credentials", Point::credentials, Fault::stop},
      {"deadline before a request", Point::request, Fault::deadline},
      {"deadline during an event", Point::event, Fault::deadline},
      {"deadline at an element", Point::element, Fault::deadline},
      {"deadline in the credentials", Point::credentials, Fault::deadline},
      {"credentials fail", Point::credentials, Fault::no_credentials},
      {"credentials throw", Point::credentials, Fault::exception},
      {"observer throws", Point::event, Fault::exception},
  };
  return all;
}

/// A request as the transport saw it, and what it said about it.
struct SeenRequest {
  Method method;
  bool processed;
  Sent sent;
};

constexpr std::string_view file_bytes = "0123456789";

/// Serves the bytes of a file, four in each response: then the connection breaks.
noun::Result<Response> serve_file(const noun::Attempt& attempt) {
  constexpr std::size_t at_once = 4;
  const auto range = attempt.headers.get("Range");
  const auto first = range ? std::stoul(std::string(range->substr(std::string_view("bytes=").size()))) : 0;
  Response head{.status = range ? 206 : 200, .headers = {{"ETag", "\"a\""}}};
  if (first >= file_bytes.size())
    return Response{.status = 416, .headers = {{"Content-Range", "bytes */" + std::to_string(file_bytes.size())}}};
  if (range)
    head.headers.add("Content-Range", "bytes " + std::to_string(first) + "-9/" + std::to_string(file_bytes.size()));
  const auto rest = file_bytes.substr(first);
  noun::Delivery delivery(attempt, std::move(head));
  if (auto started = delivery.begin(); !started) return std::move(started).error();
  if (auto written = delivery.write(rest.substr(0, at_once)); !written)
    return std::move(delivery).broken(written.error());
  if (rest.size() > at_once) return std::move(delivery).broken(Error(Errc::truncated, "cut", Sent::answered));
  return std::move(delivery).whole();
}

/// A client, its server, and the fault that is injected between them.
class World {
 public:
  World(std::optional<Injection> injection, std::size_t number, noun::ClientOptions options = {})
      : injection_(std::move(injection)), number_(number) {
    service = std::make_shared<kit::SimulatedService>(clock, kit::ServiceOptions{.limit = 1000});
    for (int id = 1; id <= 8; ++id) service->add_json("/items", std::to_string(id), Json{{"id", id}}.dump());
    service->add_collection("/orders");
    options.credentials = [this](const noun::CredentialsRequest& request) { return credentials(request); };
    options.retry.jitter = 0;
    options.observer = [this](const noun::Event&) {
      if (step(Point::event) && injection_->fault == Fault::exception) throw std::runtime_error("not today");
    };
    options.transport = std::make_shared<FunctionTransport>(
        [this](const noun::Attempt& attempt, const noun::StopToken& stopped) { return send(attempt, stopped); });
    options.clock = clock;
    options.quota_ledger = noun::make_quota_ledger();
    api.emplace("https://api.example.com", std::move(options));
  }

  noun::CallOptions call() const { return {.deadline = deadline, .stop = stop.get_token()}; }
  /// The fault is injected if this is its step.
  bool step(Point at) {
    {
      const std::lock_guard lock(mutex_);
      if (calm_ || ++steps_[at] != number_ || !injection_ || injection_->at != at) return false;
    }
    if (injection_->fault == Fault::stop) stop.request_stop();
    if (injection_->fault == Fault::deadline) clock->advance(1h);
    return true;
  }
  /// From now on nothing is injected or counted.
  void calm_down() {
    const std::lock_guard lock(mutex_);
    calm_ = true;
  }
  std::map<Point, std::size_t> steps() const {
    const std::lock_guard lock(mutex_);
    return steps_;
  }
  std::vector<SeenRequest> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

  static constexpr auto deadline = 10min;
  std::shared_ptr<kit::ManualClock> clock = std::make_shared<kit::ManualClock>();
  std::shared_ptr<kit::SimulatedService> service;
  noun::StopSource stop;
  std::string token = "1";
  std::optional<noun::Client> api;

 private:
  noun::Result<noun::Headers> credentials(const noun::CredentialsRequest& request) {
    if (step(Point::credentials)) {
      if (injection_->fault == Fault::exception) throw std::runtime_error("not today");
      if (injection_->fault == Fault::no_credentials) return Error(Errc::credentials, "the vault is closed");
    }
    if (request.reason == noun::CredentialsReason::unauthorized) token = "2";
    return noun::Headers{{"Authorization", "Bearer " + token}};
  }
  noun::Result<Response> send(const noun::Attempt& attempt, const noun::StopToken& stopped) {
    const auto fault = step(Point::request) ? std::optional(injection_->fault) : std::nullopt;
    if (fault == Fault::refused) return note(attempt, false, Error(Errc::connect, "refused", Sent::no));
    if (fault == Fault::unanswered) return note(attempt, false, Error(Errc::send, "the connection died", Sent::maybe));
    if (seen().size() > 60) {
      ADD_FAILURE() << "the requests do not end";
      return Error(Errc::refused, "too many requests");
    }
    auto response = attempt.url.ends_with("/file") ? serve_file(attempt) : service->send(attempt, stopped);
    const bool delivered = response || response.error().sent() != Sent::no;
    if (fault == Fault::answer_lost && delivered) response = Error(Errc::send, "the connection died", Sent::maybe);
    if (fault == Fault::answer_cut && delivered) response = Error(Errc::truncated, "cut", Sent::answered);
    return note(attempt, delivered, std::move(response));
  }
  noun::Result<Response> note(const noun::Attempt& attempt, bool delivered, noun::Result<Response> response) {
    const std::lock_guard lock(mutex_);
    const bool rejected = response && response->status == 429;
    if (!calm_)
      seen_.push_back({attempt.method, delivered && !rejected, response ? Sent::answered : response.error().sent()});
    return response;
  }

  std::optional<Injection> injection_;
  std::size_t number_;
  mutable std::mutex mutex_;
  bool calm_ = false;
  std::map<Point, std::size_t> steps_;
  std::vector<SeenRequest> seen_;
};

/// What a journey delivered, and the error that ended it.
struct Ended {
  std::vector<std::string> elements = {};
  std::optional<Error> error = {};
  std::string mark = {};  ///< to resume with
};

/// How the operations of a journey run.
enum class Way { blocking, background };

template <class T>
noun::Result<T> run(const noun::Operation<T>& operation, Way way) {
  if (way == Way::blocking) return operation.run();
  auto later = noun::future(operation);
  if (later.wait_for(60s) != std::future_status::ready) ADD_FAILURE() << "the operation does not end";
  return later.get();
}

/// A journey in the table: what it does, and what is expected of it.
struct Journey {
  std::string name;
  std::function<void(World&)> prepare = [](World&) {};
  std::function<Ended(World&, Way)> go;
  /// Delivers the rest from the mark; null if it starts again.
  std::function<std::vector<std::string>(World&, const Ended&)> resume = nullptr;
  bool is_one_call = false;
  bool writes_once = false;  ///< a write that must not be repeated after it may have been processed
  std::function<noun::ClientOptions()> options = [] { return noun::ClientOptions(); };
};

/// The server's first requests get other responses.
std::function<void(World&)> first_respond(std::vector<Response> responses) {
  return [responses = std::move(responses)](World& world) {
    world.service->on_request([=](const noun::Attempt&, std::size_t number) -> kit::SimulatedService::Outcome {
      if (number > responses.size()) return std::nullopt;
      return std::pair(responses[number - 1], When::instead);
    });
  };
}

/// A journey of one call, whose value is the only element.
std::function<Ended(World&, Way)> one(std::function<noun::Operation<Json>(World&)> operation) {
  return [operation = std::move(operation)](World& world, Way way) {
    const auto result = run(operation(world), way);
    if (!result) return Ended{.error = result.error()};
    world.step(Point::element);
    return Ended{.elements = {result->dump()}};
  };
}
noun::Operation<Json> get(World& world, noun::CallOptions options) {
  return noun::op::get(world.api->collection("items")[1], std::move(options));
}
noun::Operation<Json> get(World& world) { return get(world, world.call()); }

Ended list(World& world, Way way, noun::ListOptions options) {
  options.page_size = 2;
  auto items = world.api->collection("items").list(std::move(options));
  Ended ended;
  const auto take = [&](const Json& item) {
    ended.elements.push_back(item.dump());
    world.step(Point::element);
  };
  if (way == Way::blocking)
    for (const auto& item : items) item ? take(*item) : void(ended.error = item.error());
  while (way == Way::background && !ended.error) {
    const auto page = run(noun::op::next_page(items), way);
    if (!page) ended.error = page.error();
    if (!page || !*page) break;
    for (const auto& item : (*page)->items) take(item);
  }
  ended.mark = items.bookmark();
  return ended;
}
Journey listing(std::string name, std::size_t prefetch) {
  return {.name = std::move(name),
          .go =
              [prefetch](World& world, Way way) {
                return list(world, way,
                            {.prefetch = prefetch, .deadline = World::deadline, .stop = world.stop.get_token()});
              },
          .resume = [](World& world,
                       const Ended& ended) { return list(world, Way::blocking, {.resume = ended.mark}).elements; }};
}

Ended follow(World& world, Way way, noun::StreamOptions options) {
  options.reconnect = true;
  auto stream = world.api->stream<int>({.path = "feed"}, std::move(options));
  Ended ended;
  const auto take = [&](const noun::StreamItem<int>& item) {
    ended.elements.push_back(std::to_string(item.value));
    ended.mark = item.id;
    world.step(Point::element);
  };
  if (way == Way::blocking)
    for (const auto& event : stream) event ? take(*event) : void(ended.error = event.error());
  while (way == Way::background && !ended.error) {
    const auto event = run(noun::op::next_event(stream), way);
    if (!event) ended.error = event.error();
    if (!event || !*event) break;
    take(**event);
  }
  return ended;
}

Ended download(World& world, Way way) {
  std::string taken;
  const auto done = run(noun::op::download(*world.api, {.path = "file"},
                                           [&](std::string_view bytes) {
                                             taken += bytes;
                                             world.step(Point::element);
                                           },
                                           {.deadline = World::deadline, .stop = world.stop.get_token()}),
                        way);
  // What was delivered is compared byte by byte.
  Ended ended;
  for (const char byte : taken) ended.elements.emplace_back(1, byte);
  if (!done) ended.error = done.error();
  return ended;
}

Ended get_three(World& world, Way) {
  Ended ended;
  const auto operation = get(world);
  for (const auto& each : world.api->run_all(std::vector{operation, operation, operation}))
    if (each)
      ended.elements.push_back(each->dump());
    else
      ended.error = each.error();
  return ended;
}

std::vector<Journey> journeys() {
  const auto create = [](World& world, noun::IdempotencyKey key) {
    auto options = world.call();
    options.idempotency_key = std::move(key);
    return noun::op::create<Json>(world.api->collection("orders"), Json{{"id", 1}}, options);
  };
  const Response unavailable{.status = 503};
  const Response fresh{.status = 200, .headers = {{"Cache-Control", "max-age=60"}}, .body = R"({"id":1})"};
  std::vector<Journey> all;
  all.push_back({.name = "a get that is retried",
                 .prepare = first_respond({unavailable, unavailable}),
                 .go = one([](World& world) { return get(world); }),
                 .is_one_call = true});
  all.push_back({.name = "a get that is rejected",
                 .prepare = first_respond({{.status = 429, .headers = {{"Retry-After", "7"}}}}),
                 .go = one([](World& world) { return get(world); }),
                 .is_one_call = true});
  all.push_back(
      {.name = "a get that is redirected",
       .prepare =
           [](World& world) {
             world.service->on_request([](const noun::Attempt& attempt, std::size_t) -> kit::SimulatedService::Outcome {
               if (!attempt.url.ends_with("/moved/1")) return std::nullopt;
               return std::pair(Response{.status = 307, .headers = {{"Location", "/items/1"}}}, When::instead);
             });
           },
       .go = one([](World& world) { return noun::op::get(world.api->collection("moved")[1], world.call()); }),
       .is_one_call = true});
  all.push_back({.name = "a get with new credentials",
                 .prepare =
                     [](World& world) {
                       world.service->on_request(
                           [](const noun::Attempt& attempt, std::size_t) -> kit::SimulatedService::Outcome {
                             if (attempt.headers.get("Authorization") == "Bearer 2") return std::nullopt;
                             return std::pair(Response{.status = 401}, When::instead);
                           });
                     },
                 .go = one([](World& world) { return get(world); }),
                 .is_one_call = true});
  all.push_back({.name = "a create",
                 .prepare = first_respond({{.status = 429, .headers = {{"Retry-After", "7"}}}}),
                 .go = one([create](World& world) { return create(world, {}); }),
                 .is_one_call = true,
                 .writes_once = true});
  all.push_back({.name = "a create with a key",
                 .prepare =
                     [](World& world) {
                       // A server that knows the key repeats its first response.
                       world.service->on_request(
                           [keys = std::set<std::string>()](const noun::Attempt& attempt,
                                                            std::size_t) mutable -> kit::SimulatedService::Outcome {
                             const auto key = attempt.headers.get("Idempotency-Key");
                             if (!key || keys.insert(std::string(*key)).second) return std::nullopt;
                             return std::pair(Response{.status = 201, .body = R"({"id":1})"}, When::instead);
                           });
                     },
                 .go = one([create](World& world) { return create(world, noun::auto_key); }),
                 .is_one_call = true});
  all.push_back(listing("a listing", 0));
  all.push_back(listing("a listing that reads ahead", 2));
  all.push_back({.name = "identical gets", .prepare = first_respond({fresh}), .go = get_three, .options = [] {
                   return noun::ClientOptions{.cache = noun::memory_cache(), .cache_mode = noun::CacheMode::rfc9111};
                 }});
  all.push_back({.name = "a stored response that is validated",
                 .go =
                     [](World& world, Way way) {
                       const auto first = one([](World& same) { return get(same); });
                       auto ended = first(world, way);
                       if (ended.error) return ended;
                       auto second = first(world, way);
                       ended.elements.insert(ended.elements.end(), second.elements.begin(), second.elements.end());
                       ended.error = second.error;
                       return ended;
                     },
                 .options = [] { return noun::ClientOptions{.cache = noun::memory_cache()}; }});
  all.push_back({.name = "a download in parts", .go = download});
  all.push_back({.name = "a long operation",
                 .prepare = [](World& world) { world.service->run_operations("/orders"); },
                 .go =
                     [create](World& world, Way way) {
                       const auto result =
                           run(noun::op::finish(*world.api, create(world, {}),
                                                {.deadline = World::deadline, .stop = world.stop.get_token()}),
                               way);
                       if (result) return Ended{.elements = {result->dump()}};
                       return Ended{.error = result.error(), .mark = result.error().poll_token()};
                     },
                 .resume = [](World& world, const Ended& ended) -> std::vector<std::string> {
                   if (ended.mark.empty()) return {};
                   return {world.api->finish<Json>(ended.mark).value().dump()};
                 },
                 .writes_once = true});
  all.push_back(
      {.name = "a stream",
       .prepare =
           [](World& world) {
             world.service->run_feed("/feed", {.ends = true, .breaks_after = 40});
             for (int number = 1; number <= 6; ++number) world.service->publish("/feed", number);
           },
       .go = [](World& world,
                Way way) { return follow(world, way, {.deadline = World::deadline, .stop = world.stop.get_token()}); },
       .resume =
           [](World& world, const Ended& ended) {
             return follow(world, Way::blocking, {.last_event_id = ended.mark}).elements;
           }});
  return all;
}

/// Maybe beats answered, and answered beats no.
Sent worst_of(const std::vector<SeenRequest>& seen) {
  const auto any = [&](Sent sent) {
    return std::any_of(seen.begin(), seen.end(), [&](const SeenRequest& one) { return one.sent == sent; });
  };
  return any(Sent::maybe) ? Sent::maybe : any(Sent::answered) ? Sent::answered : Sent::no;
}

/// The errors that a journey may end with.
bool is_right(const Error& error, const Journey& journey, Fault fault) {
  const auto code = error.code();
  switch (fault) {
    case Fault::unanswered:
    case Fault::answer_lost: return journey.writes_once && code == Errc::send;
    case Fault::answer_cut: return journey.writes_once && code == Errc::truncated;
    case Fault::stop: return code == Errc::cancelled && error.stopped_because() == noun::StopReason::cancelled;
    case Fault::deadline: return error.stopped_because() == noun::StopReason::time;
    case Fault::no_credentials:
    case Fault::exception: return code == Errc::credentials;
    case Fault::refused: break;
  }
  return false;
}

class InjectedFaults : public ::testing::TestWithParam<Way> {
 protected:
  static void check(World& world, const Journey& journey, const Injection& injection, const Ended& ended,
                    const std::vector<std::string>& whole) {
    const auto seen = world.seen();
    world.calm_down();
    if (ended.error) {
      EXPECT_TRUE(is_right(*ended.error, journey, injection.fault)) << *ended.error;
      if (journey.is_one_call) {
        EXPECT_EQ(ended.error->sent(), worst_of(seen)) << *ended.error;
        EXPECT_EQ(ended.error->attempts(), static_cast<int>(seen.size())) << *ended.error;
      }
    } else {
      EXPECT_EQ(ended.elements, whole);
    }
    EXPECT_EQ(world.api->observer_faults(), injection.at == Point::event && injection.fault == Fault::exception);
    const auto writes = std::count_if(
        seen.begin(), seen.end(), [](const SeenRequest& one) { return one.method == Method::post && one.processed; });
    if (journey.writes_once) EXPECT_LE(writes, ended.error && ended.error->sent() == Sent::no ? 0 : 1);
    EXPECT_LE(world.service->size("/orders"), 1U);
    if (ended.error && journey.resume) {
      auto all = ended.elements;
      for (auto& element : journey.resume(world, ended)) all.push_back(std::move(element));
      // An operation that the server has accepted is continued.
      const bool started =
          !journey.writes_once || (ended.error->sent() == Sent::answered && ended.error->code() != Errc::truncated);
      EXPECT_EQ(all, started ? whole : std::vector<std::string>());
    } else {
      ASSERT_LE(ended.elements.size(), whole.size());
      EXPECT_TRUE(std::equal(ended.elements.begin(), ended.elements.end(), whole.begin()));
    }
    const auto after = get(world, {.cache = noun::UseCache::off}).run();
    EXPECT_TRUE(after) << after.error();
    // A page that was read ahead may still be ending on a thread of noun.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (world.api->quota_snapshot().in_flight > 0 && std::chrono::steady_clock::now() < patience)
      std::this_thread::yield();
    const auto quota = world.api->quota_snapshot();
    EXPECT_EQ(quota.in_flight, 0U);
    EXPECT_EQ(quota.held, 0U);
  }
};

TEST_P(InjectedFaults, at_every_step_of_every_journey_leave_the_right_value_or_a_true_error) {
  std::size_t cells = 0;
  for (const auto& journey : journeys()) {
    World calm(std::nullopt, 0, journey.options());
    journey.prepare(calm);
    const auto whole = journey.go(calm, GetParam());
    ASSERT_FALSE(whole.error) << journey.name << ": " << *whole.error;
    auto steps = calm.steps();
    for (const auto& injection : injections())
      for (std::size_t number = 1; number <= steps[injection.at]; ++number, ++cells) {
        SCOPED_TRACE(journey.name + ": " + injection.name + ", step " + std::to_string(number));
        World world(injection, number, journey.options());
        journey.prepare(world);
        check(world, journey, injection, journey.go(world, GetParam()), whole.elements);
      }
  }
  RecordProperty("cells", std::to_string(cells));
}

INSTANTIATE_TEST_SUITE_P(ways, InjectedFaults, ::testing::Values(Way::blocking, Way::background),
                         [](const auto& each) { return each.param == Way::blocking ? "blocking" : "background"; });

}}  // namespace noun_test::injected_faults_test
