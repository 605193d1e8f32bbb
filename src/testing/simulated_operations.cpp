#include "testing/simulated_operations.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace noun { inline namespace v0 { namespace testing {
namespace {

using Json = nlohmann::json;

void set(Json& body, const std::string& pointer, Json value) {
  if (!pointer.empty()) body[Json::json_pointer(pointer)] = std::move(value);
}

/// A value of the status, as JSON: `true` is a boolean.
Json status_of(const TextList& values, const char* otherwise) {
  const auto text = values.empty() ? otherwise : *values.begin();
  return text == "true" ? Json(true) : Json(text);
}

Response with_body(int status, const Json& body) {
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = body.dump()};
}

void add_wait(Response& response, const ServiceOperations& how) {
  if (!how.retry_after) return;
  const std::chrono::duration<double> seconds = *how.retry_after;
  response.headers.add("Retry-After", fmt::format("{}", seconds.count()));
}

}  // namespace

Response accepted_response(const Polling& polling, const SimulatedOperation& operation, std::string_view monitor) {
  Response response{.status = 202};
  const auto& fields = polling.monitor_headers;
  // Without a status in its body, the monitor is a Location.
  const bool has_field = !polling.status.empty() && !fields.empty();
  response.headers.add(has_field ? *fields.begin() : "Location", monitor);
  add_wait(response, operation.how);
  return response;
}

bool count_poll(SimulatedOperation& operation) noexcept { return ++operation.polls > operation.how.polls; }

Response monitor_response(const Polling& polling, const SimulatedOperation& operation) {
  const auto& how = operation.how;
  const bool runs = operation.polls <= how.polls;
  if (!runs && how.forgets) return {.status = 404};
  Json body = Json::object();
  const auto failure = Json{{"code", "Failed"}, {"message", "the disk is full"}};
  if (runs) {
    set(body, polling.status, "Running");
    set(body, polling.percent, 100 * operation.polls / (how.polls + 1));
    auto response = with_body(polling.status.empty() ? 202 : 200, body);
    add_wait(response, how);
    return response;
  }
  if (how.fails && polling.status.empty()) return with_body(422, failure);
  if (how.fails) {
    set(body, polling.status, status_of(polling.failed.empty() ? polling.done : polling.failed, "Failed"));
    set(body, polling.error, failure);
    return with_body(200, body);
  }
  const auto location = operation.created.headers.get("Location").value_or("");
  if (polling.status.empty()) return {.status = 303, .headers = {{"Location", std::string(location)}}};
  set(body, polling.status, status_of(polling.done, "Succeeded"));
  set(body, polling.result_url, std::string(location));
  set(body, polling.result, Json::parse(operation.created.body, nullptr, false));
  auto response = with_body(200, body);
  response.headers.add("Location", location);
  return response;
}

}}}  // namespace noun::testing
