#include <noun/telemetry.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "wire/url.hpp"

namespace noun { inline namespace v0 {
namespace {

using Attribute = Telemetry::Attribute;
using Span = Telemetry::Span;

constexpr std::string_view error_type = "error.type";
constexpr std::string_view request_method = "http.request.method";
constexpr std::string_view status_code = "http.response.status_code";
constexpr std::string_view full_url = "url.full";

/// Of one span, event or measurement.
class AttributeList {
 public:
  void add(std::string_view name, std::string_view value) { put({name, value}); }
  void add(std::string_view name, std::int64_t value) { put({name, value}); }
  void add(std::string_view name, double value) { put({name, value}); }
  operator std::span<const Attribute>() const noexcept { return {attributes_.data(), size_}; }

 private:
  void put(Attribute attribute) noexcept { attributes_[size_++] = attribute; }

  std::array<Attribute, 8> attributes_ = {};
  std::size_t size_ = 0;
};

/// Conventions know the methods of RFC 9110 and PATCH.
bool is_known(Method method) noexcept { return method != Method::query; }

std::string_view method_of(const Event& event) noexcept {
  return is_known(event.method) ? to_string(event.method) : "_OTHER";
}

std::string name_of(const Event& event) {
  const auto method = is_known(event.method) ? to_string(event.method) : "HTTP";
  return event.route.empty() ? std::string(method) : fmt::format("{} {}", method, event.route);
}

/// The method and the server.
void add_request(AttributeList& list, const Event& event) {
  list.add(request_method, method_of(event));
  const auto parts = wire::split_url(event.url);
  auto host = parts.authority;
  host.remove_prefix(host.rfind('@') + 1);
  std::int64_t port = parts.scheme == "http" ? 80 : 443;
  const auto bracket = host.find(']');
  if (const auto colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
      colon != std::string_view::npos) {
    std::from_chars(host.data() + colon + 1, host.data() + host.size(), port);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  list.add("server.address", host);
  list.add("server.port", port);
}

void add_route(AttributeList& list, const Event& event) {
  if (!event.route.empty()) list.add("url.template", event.route);
}

/// How an attempt failed: the name of the error, or the status; empty if it did not.
std::string fault_of(const Event& event) {
  constexpr int first_error = 400;
  if (event.error) return std::string(to_string(*event.error));
  return event.status >= first_error ? std::to_string(event.status) : "";
}

struct OpenCall {
  Span span = {};
  std::optional<Span> attempt = {};
  /// Whether its spans were ended because there were too many. Another thread may do that: State::mutex guards both.
  bool evicted = false;
};

}  // namespace

struct Telemetry::State {
  /// The call of the event; null if it is not open.
  std::shared_ptr<OpenCall> find(const Event& event) {
    const std::lock_guard lock(mutex);
    const auto found = calls.find(event.call);
    return found == calls.end() ? nullptr : found->second;
  }
  /// The same, which it opens if it is not.
  std::shared_ptr<OpenCall> open(const Event& event, const Span* parent);
  /// The same, which is not open any more.
  std::shared_ptr<OpenCall> close(const Event& event, const Span* parent);

  std::shared_ptr<OpenCall> start_call(const Event& event, const Span* parent) const;
  void start_attempt(const Event& event, OpenCall& call);
  void end_attempt(const Event& event);
  void end_call(const Event& event, OpenCall& call) const;
  void add_event(const Event& event, std::string_view name, const AttributeList& attributes);
  void add_wait(const Event& event);
  void record(const Event& event) const;
  void end(const Span& span, WallTime at, std::string_view fault, AttributeList attributes = {}) const {
    if (!fault.empty()) attributes.add(error_type, fault);
    if (functions.end_span) functions.end_span(span, {.at = at, .failed = !fault.empty(), .attributes = attributes});
  }

  Functions functions;
  std::mutex mutex;
  /// By the number of the call: the oldest first.
  std::map<std::uint64_t, std::shared_ptr<OpenCall>> calls;
};

std::shared_ptr<OpenCall> Telemetry::State::start_call(const Event& event, const Span* parent) const {
  AttributeList attributes;
  add_request(attributes, event);
  add_route(attributes, event);
  const auto name = "noun " + name_of(event);
  auto call = std::make_shared<OpenCall>();
  call->span = functions.start_span({.name = name,
                                     .kind = SpanKind::internal,
                                     .parent = parent,
                                     .at = event.at - std::chrono::duration_cast<WallTime::duration>(event.elapsed),
                                     .attributes = attributes});
  return call;
}

std::shared_ptr<OpenCall> Telemetry::State::open(const Event& event, const Span* parent) {
  if (auto known = find(event)) return known;
  auto call = start_call(event, parent);
  std::shared_ptr<OpenCall> oldest;
  std::optional<Span> attempt;
  {
    const std::lock_guard lock(mutex);
    calls.emplace(event.call, call);
    if (calls.size() > most_calls) {
      oldest = calls.extract(calls.begin()).mapped();
      oldest->evicted = true;
      attempt = oldest->attempt;
    }
  }
  if (attempt) end(*attempt, event.at, "_OTHER");
  if (oldest) end(oldest->span, event.at, "_OTHER");
  return call;
}

std::shared_ptr<OpenCall> Telemetry::State::close(const Event& event, const Span* parent) {
  {
    const std::lock_guard lock(mutex);
    if (auto known = calls.extract(event.call)) return std::move(known.mapped());
  }
  return start_call(event, parent);
}

void Telemetry::State::start_attempt(const Event& event, OpenCall& call) {
  AttributeList attributes;
  add_request(attributes, event);
  attributes.add(full_url, event.url);
  add_route(attributes, event);
  if (!is_known(event.method)) attributes.add("http.request.method_original", to_string(event.method));
  if (event.attempt > 1) attributes.add("http.request.resend_count", std::int64_t{event.attempt} - 1);
  const auto name = name_of(event);
  auto span = functions.start_span(
      {.name = name, .kind = SpanKind::client, .parent = &call.span, .at = event.at, .attributes = attributes});
  {
    const std::lock_guard lock(mutex);
    if (!call.evicted) {
      call.attempt = std::move(span);
      return;
    }
  }
  end(span, event.at, "_OTHER");
}

void Telemetry::State::end_attempt(const Event& event) {
  std::optional<Span> span;
  if (const auto call = find(event)) {
    const std::lock_guard lock(mutex);
    if (!call->evicted) span = std::exchange(call->attempt, std::nullopt);
  }
  if (!span) return;
  AttributeList attributes;
  if (event.status != 0) attributes.add(status_code, std::int64_t{event.status});
  end(*span, event.at, fault_of(event), attributes);
}

void Telemetry::State::end_call(const Event& event, OpenCall& call) const {
  const std::string_view fault = event.error ? to_string(*event.error) : "";
  if (call.attempt) end(*call.attempt, event.at, fault);
  AttributeList attributes;
  attributes.add("noun.attempts", std::int64_t{event.attempt});
  end(call.span, event.at, fault, attributes);
}

void Telemetry::State::add_event(const Event& event, std::string_view name, const AttributeList& attributes) {
  if (!functions.add_event) return;
  if (const auto call = find(event))
    functions.add_event(call->span, {.name = name, .at = event.at, .attributes = attributes});
}

void Telemetry::State::add_wait(const Event& event) {
  AttributeList attributes;
  attributes.add("noun.wait.reason", name_of(event.reason));
  attributes.add("noun.wait.duration", std::chrono::duration<double>(event.wait).count());
  add_event(event, "noun.wait", attributes);
}

void Telemetry::State::record(const Event& event) const {
  if (!functions.record_duration) return;
  const auto fault = fault_of(event);
  AttributeList attributes;
  add_request(attributes, event);
  if (event.status != 0) attributes.add(status_code, std::int64_t{event.status});
  if (!fault.empty()) attributes.add(error_type, fault);
  functions.record_duration({.name = "http.client.request.duration",
                             .seconds = std::chrono::duration<double>(event.elapsed).count(),
                             .attributes = attributes});
}

Telemetry::Telemetry(Functions functions) : state_(std::make_shared<State>()) {
  state_->functions = std::move(functions);
}

Telemetry Telemetry::below(Span parent) const {
  auto child = *this;
  child.parent_ = std::make_shared<const Span>(std::move(parent));
  return child;
}

void Telemetry::operator()(const Event& event) const {
  if (event.call == 0) return;
  auto& state = *state_;
  if (event.kind == EventKind::attempt_ended) state.record(event);
  if (!state.functions.start_span) return;
  AttributeList attributes;
  switch (event.kind) {
    case EventKind::sent: return state.start_attempt(event, *state.open(event, parent_.get()));
    case EventKind::attempt_ended: return state.end_attempt(event);
    case EventKind::ended: return state.end_call(event, *state.close(event, parent_.get()));
    case EventKind::holding: state.open(event, parent_.get()); return state.add_wait(event);
    case EventKind::retrying: return state.add_wait(event);
    case EventKind::cached:
      state.open(event, parent_.get());
      attributes.add("noun.cache.status", to_string(event.cache));
      return state.add_event(event, "noun.cache", attributes);
    case EventKind::redirected:
      attributes.add(full_url, event.url);
      return state.add_event(event, "noun.redirect", attributes);
    case EventKind::notice:
      attributes.add("noun.notice.text", event.note);
      return state.add_event(event, "noun.notice", attributes);
    case EventKind::page_delivered:
    case EventKind::polling:
    case EventKind::progress: return;
  }
}

std::function<TraceContext(const Event&)> Telemetry::trace_context() const {
  return [state = state_](const Event& sent) {
    const auto call = state->find(sent);
    return call && call->attempt ? call->attempt->context : TraceContext();
  };
}

Telemetry telemetry(Telemetry::Functions functions) { return Telemetry(std::move(functions)); }

}}  // namespace noun
