#include "faults/fault_cell.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

#include "curl/caller.hpp"
#include "os/temporary_folder.hpp"

namespace noun_test {
namespace {

using noun::Errc;
using noun::Method;
using noun::Sent;

constexpr std::size_t max_attempts = 3;
constexpr std::string_view first_items = "[7]";
constexpr std::string_view secret = "hush";
constexpr const char* path_with_secret = "x?secret=hush";

bool is_repeatable(Method method) { return method != Method::post && method != Method::patch; }

/// Whether the site can send a sound response first.
bool greets(const Fault& fault) { return !fault.place && !fault.tls.spoken; }

/// The response to the first request of a cell; empty if that request already meets the fault.
std::string greeting(const Cell& cell) {
  const auto& fault = *cell.fault;
  if (!greets(fault)) return {};
  const std::string keeps = fault.reused ? "" : "Connection: close\r\n";
  switch (cell.way) {
    case Way::listing: return http_response(first_items, keeps + "Link: </x?page=2>; rel=\"next\"\r\n");
    case Way::finish: return http_response("", keeps + "Location: /x/1\r\n", "202 Accepted");
    default: return fault.reused ? http_response(first_items) : std::string();
  }
}

const RawServer& sound_server() {
  static const RawServer server(always(http_response("sound")));
  return server;
}

noun::ClientOptions options_of(const Fault& fault) {
  noun::ClientOptions options;
  options.retry = {.max_attempts = max_attempts, .jitter = 0};
  if (fault.hangs) {
    // A request is to be sent within the time, also by a busy machine.
    if (fault.sent == Sent::no) options.timeouts.connect = 60ms;
    options.timeouts.attempt = fault.tls.spoken ? 400ms : 100ms;
    options.timeouts.stall = 1s;
  }
  // Half of it is the first address's.
  if (fault.place && !fault.code) options.timeouts.connect = 600ms;
  options.limits.body = 1'000'000;
  if (fault.tls.spoken) options.tls.ca_file = trusted_authority();
  options.quota_ledger = noun::make_quota_ledger();
  options.credentials_over_http = true;
  return options;
}

/// Runs operations with a client, and keeps what they bring.
struct Run {
  const Cell& cell;
  const noun::Client& api;
  noun::Deadline deadline;
  Outcome& outcome;

  template <class T>
  bool keep(const noun::Result<T>& result) {
    if (!result) outcome.error = result.error();
    return bool(result);
  }
  template <class T>
  void keep_text(const noun::Result<T>& result) {
    if (!keep(result)) return;
    if constexpr (std::same_as<T, noun::Json>) {
      outcome.brought = result->dump();
    } else {
      outcome.brought = result->body;
    }
  }
  noun::Request request() const {
    noun::Request request{.method = cell.method, .path = path_with_secret};
    if (const auto body = usual_body(cell.method)) {
      request.headers = {{"Content-Type", "application/json"}};
      request.body = *body;
    }
    return request;
  }
  void call() {
    const noun::CallOptions options{.deadline = deadline};
    if (!cell.fault->json) return keep_text(api.send(request(), options));
    const noun::Json sent = {{"a", 1}};
    const auto item = api.collection("x")[1];
    switch (cell.method) {
      case Method::post: return keep_text(api.collection("x").create<noun::Json>(sent, options));
      case Method::put: return keep_text(item.replace<noun::Json>(sent, options));
      case Method::patch: return keep_text(item.update<noun::Json>(sent, options));
      default: return keep_text(item.get<noun::Json>(options));
    }
  }
  void background() {
    for (auto& result : api.run_all(std::vector{noun::op::send(api, request(), {.deadline = deadline})}))
      keep_text(result);
  }
  void listing() {
    auto items = noun::Json::array();
    for (const auto& item : api.collection("x").list({.query = {{"secret", secret}}, .deadline = deadline}))
      if (keep(item)) items.push_back(*item);
    outcome.brought = items.dump();
  }
  void download() {
    const TemporaryFolder folder;
    keep(api.download({.path = path_with_secret}, folder.path("f"), {.deadline = deadline, .max_bytes = 1'000'000}));
    outcome.brought = folder.read("f");
    if (outcome.error && std::filesystem::exists(folder.path("f"))) outcome.brought = "a file: " + outcome.brought;
  }
  void stream() {
    for (const auto& event :
         api.stream({.path = path_with_secret}, {.format = noun::StreamFormat::json_lines, .deadline = deadline}))
      if (keep(event)) outcome.brought += event->value.dump();
  }
  void finish() {
    const auto started = api.collection("x").create<noun::Json>(noun::Json::object());
    keep_text(api.finish(started, {.deadline = deadline}));
  }
};

/// What noun should make of a cell.
struct Expected {
  std::optional<Errc> code;
  Sent sent = Sent::answered;
  std::size_t requests = 1;
  std::string brought;
};

Expected expected(const Cell& cell) {
  const auto& fault = *cell.fault;
  const bool greeted = !greeting(cell).empty();
  const bool undecoded = fault.coded && (cell.way == Way::download || cell.way == Way::stream);
  Expected all{fault.code, fault.sent, 1, ""};
  auto attempts = fault.attempts;
  if (undecoded) {
    all.code = Errc::protocol;
    attempts = 1;
  } else if (cell.way == Way::stream && fault.sent == Sent::answered && !fault.bodyless) {
    // Events may have been delivered, so that it is not sent again.
    attempts = 1;
    if (all.code == Errc::protocol || all.code == Errc::timeout) all.code = Errc::truncated;
  }
  if (const auto other = fault.differently.find(cell.way); other != fault.differently.end()) {
    all.code = other->second.code;
    attempts = other->second.attempts;
  }
  const bool repeated = all.code && (fault.sent == Sent::no || is_repeatable(cell.method));
  all.requests = greeted + (fault.sent == Sent::no ? 0 : repeated ? attempts : 1);
  if (cell.way == Way::finish) all.sent = Sent::answered;
  const bool brings = !all.code && cell.method != Method::head;
  if (cell.way != Way::listing) {
    if (brings) all.brought = fault.body;
  } else {
    all.brought = greeted ? brings ? "[7,1,2]" : std::string(first_items) : brings ? fault.body : "[]";
  }
  return all;
}

}  // namespace

std::string_view to_string(Way way) {
  constexpr std::string_view names[] = {"call", "background", "listing", "download", "stream", "finish"};
  return names[static_cast<std::size_t>(way)];
}

std::string name_of(const Cell& cell) {
  return fmt::format("{} {}", cell.way == Way::call ? noun::to_string(cell.method) : to_string(cell.way),
                     cell.fault->name);
}

std::vector<Cell> cells_of(const Fault& fault) {
  std::vector<Cell> cells;
  for (const auto method : every_method) {
    const bool is_typed =
        method == Method::get || method == Method::post || method == Method::put || method == Method::patch;
    const bool sees_it = method != Method::head || fault.bodyless || (fault.sent != Sent::answered && fault.code);
    if (sees_it && (is_typed || !fault.json)) cells.push_back({&fault, Way::call, method});
  }
  cells.push_back({&fault, Way::listing});
  if (greets(fault)) cells.push_back({&fault, Way::finish});
  if (fault.json) return cells;
  // In the background the next attempt shares the connection of HTTP/2, of which the server has one stream only.
  if (!fault.tls.http2) cells.push_back({&fault, Way::background});
  cells.push_back({&fault, Way::download});
  cells.push_back({&fault, Way::stream});
  return cells;
}

Outcome run_cell(const Cell& cell, std::optional<noun::Duration> time_limit) {
  const auto& fault = *cell.fault;
  const auto first = greeting(cell);
  const auto site = site_of(fault, first);
  auto options = options_of(fault);
  if (cell.way == Way::background)
    // A loop waits for its sockets, not for the clock.
    options.retry.initial_backoff = options.retry.max_backoff = 1ms;
  else if (!time_limit)
    options.clock = std::make_shared<noun::testing::ManualClock>();
  options.transport = noun::libcurl_transport({.tls = std::exchange(options.tls, {})}).value();
  const auto transport = options.transport;
  const noun::Client api{site.url, std::move(options)};
  Outcome outcome;
  if (!first.empty() && cell.way != Way::listing && cell.way != Way::finish) (void)api.send({.path = "x"});
  const auto begun = std::chrono::steady_clock::now();
  Run run{cell, api, time_limit ? noun::Deadline(*time_limit) : noun::Deadline(), outcome};
  switch (cell.way) {
    case Way::call: run.call(); break;
    case Way::background: run.background(); break;
    case Way::listing: run.listing(); break;
    case Way::download: run.download(); break;
    case Way::stream: run.stream(); break;
    case Way::finish: run.finish(); break;
  }
  outcome.took = std::chrono::steady_clock::now() - begun;
  // A client that ends by its own limit may be faster than the server's count.
  Gate never;
  for (int i = 0; i < 500 && !time_limit && site.requests() < expected(cell).requests; ++i) never.wait_for(10ms);
  outcome.requests = site.requests();
  outcome.leaves_the_transport_usable = Caller{.transport = transport}.get(sound_server().url()).has_value();
  return outcome;
}

std::string complaint(const Cell& cell, const Outcome& outcome) {
  const auto wanted = expected(cell);
  const auto code = outcome.error ? std::optional(outcome.error->code()) : std::nullopt;
  const auto name = [](std::optional<Errc> one) { return one ? to_string(*one) : "success"; };
  std::string all;
  if (code != wanted.code) all += fmt::format("; {} in place of {}", name(code), name(wanted.code));
  if (outcome.error && outcome.error->sent() != wanted.sent)
    all += fmt::format("; sent: {} in place of {}", to_string(outcome.error->sent()), to_string(wanted.sent));
  if (outcome.requests != wanted.requests)
    all += fmt::format("; {} requests in place of {}", outcome.requests, wanted.requests);
  if (outcome.brought != wanted.brought)
    all += fmt::format("; it brought '{}' in place of '{}'", outcome.brought.substr(0, 80), wanted.brought);
  const bool goes_on = outcome.error && outcome.error->code() != Errc::expired_cursor;
  if (cell.way == Way::finish && goes_on && outcome.error->poll_token().empty()) all += "; no token to continue with";
  if (outcome.error && outcome.error->message().find(secret) != std::string::npos) all += "; it shows a secret";
  const bool has_response = outcome.error && outcome.error->response() != nullptr;
  if (outcome.error && cell.way == Way::call && has_response != (wanted.sent == Sent::answered))
    all += has_response ? "; it has a response" : "; it has no response";
  if (!outcome.leaves_the_transport_usable) all += "; the transport cannot be used any more";
  if (all.empty()) return all;
  return name_of(cell) + ": " + all.substr(2) + (outcome.error ? " (" + outcome.error->message() + ")" : "");
}

}  // namespace noun_test
