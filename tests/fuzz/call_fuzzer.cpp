// Conversations of the call machine: the input is the options of a client, and a script of what happens to up to three
// calls on one quota gate. Steps keep their order, permits and places in the queue come back, waits end before the
// deadline, and no secret gets into messages and events. At the end the server answers every request: calls end.
#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>

#include <fmt/format.h>

#include "call/call.hpp"
#include "fuzz/invariant.hpp"
#include "vocabulary/presets.hpp"
#include "wire/json_edit.hpp"

namespace {

using namespace std::chrono_literals;
using namespace noun;
using noun_fuzz::require;

constexpr std::string_view origin = "https://api.example.com";
/// Secrets: of the URL, of a header field, of the credentials, and of the client.
constexpr std::array<const char*, 4> canaries = {"c4n4ry-of-url", "c4n4ry-of-field", "c4n4ry.of.token",
                                                 "c4n4ry/of/client"};

template <class T, std::size_t size>
T pick(FuzzedDataProvider& input, const T (&all)[size]) {
  return all[input.ConsumeIntegralInRange<std::size_t>(0, size - 1)];
}

Duration some_duration(FuzzedDataProvider& input) {
  static constexpr Duration usual[] = {0s, 1ns, 1ms, 999ms, 1s, 2s, 30s, 60s, 1h, 25h};
  return pick(input, usual);
}

/// How the server of this run spelled secrets.
std::vector<std::string> spellings;

/// A letter as it is, or as JSON, URLs or HTML escape it.
std::string spelled(FuzzedDataProvider& input, char letter) {
  switch (input.ConsumeIntegralInRange(0, 7)) {
    case 3: return fmt::format("\\u{:04x}", letter);
    case 4: return fmt::format("%{:02X}", letter);
    case 5: return fmt::format("%25{:02x}", letter);
    case 6: return fmt::format("&#x{:x};", letter);
    case 7: return {static_cast<char>(std::toupper(letter))};
    default: return {letter};
  }
}

std::string spelled_secret(FuzzedDataProvider& input) {
  std::string text;
  const std::string_view canary = canaries[input.ConsumeIntegralInRange<std::size_t>(0, canaries.size() - 1)];
  for (const char letter : canary) text += spelled(input, letter);
  return spellings.emplace_back(std::move(text));
}

void require_no_secret(std::string_view text) {
  std::vector<std::string_view> all(canaries.begin(), canaries.end());
  all.insert(all.end(), spellings.begin(), spellings.end());
  for (const auto secret : all) {
    const bool is_shown = text.find(secret) != std::string_view::npos;
    require(!is_shown, ("no secret is shown: " + wire::json_quoted(text)).c_str());
  }
}

void check(const Error& error) {
  const auto& details = error.details();
  for (const auto& text : {error.message(), details.what, details.advice, details.request.url, details.request.curl})
    require_no_secret(text);
  require(!error.message().empty(), "an error has a message");
  require(details.attempts > 0 || details.sent == Sent::no, "nothing is sent without an attempt");
}

/// What the server says, or repeats of the request.
std::string some_text(FuzzedDataProvider& input) {
  std::string text = input.ConsumeRandomLengthString(24);
  switch (input.ConsumeIntegralInRange(0, 5)) {
    case 0: break;
    case 1: text += "c4n4ry\\/of\\/client"; break;
    case 2: text += "Bearer c4n4ry.of.token"; break;
    case 3: text += "api_key=c4n4ry-of-url"; break;
    default: text += spelled_secret(input); break;
  }
  return text + input.ConsumeRandomLengthString(8);
}

std::string some_body(FuzzedDataProvider& input) {
  const auto text = some_text(input);
  switch (input.ConsumeIntegralInRange(0, 3)) {
    case 0: return {};
    case 1: return text;
    case 2: return "{\"message\":\"" + text + "\",\"code\":\"" + input.ConsumeRandomLengthString(8) + "\"}";
    default: return "{\"title\":\"Bad\",\"status\":400,\"detail\":\"" + text + "\"}";
  }
}

std::string without_control(std::string text) {
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; });
  return text;
}

Headers some_fields(FuzzedDataProvider& input) {
  static constexpr const char* names[] = {
      "Retry-After",       "Location",        "Location",         "Date",           "RateLimit",
      "RateLimit-Policy",  "RateLimit-Reset", "X-RateLimit-Limit", "X-RateLimit-Remaining",
      "X-RateLimit-Reset", "Content-Type",    "X-Request-Id",     "WWW-Authenticate", "X-RateLimit-Bucket"};
  static constexpr const char* values[] = {"0",
                                           "1",
                                           "5",
                                           "3600",
                                           "1700000020",
                                           "99999999999999999999",
                                           "Tue, 14 Nov 2023 22:13:20 GMT",
                                           "Tue, 14 Nov 2023 22:14:20 GMT",
                                           "\"default\";r=0;t=30",
                                           "\"default\";q=10;w=60",
                                           "application/json",
                                           "application/problem+json",
                                           "text/html",
                                           "/v1/things/8",
                                           "?token=c4n4ry-of-url",
                                           "https://other.example.com/c4n4ry-of-url",
                                           "http://api.example.com/",
                                           "//[",
                                           "core"};
  Headers fields;
  for (auto count = input.ConsumeIntegralInRange(0, 5); count > 0; --count)
    fields.add(pick(input, names), input.ConsumeBool() ? pick(input, values) : without_control(some_text(input)));
  return fields;
}

Response some_response(FuzzedDataProvider& input) {
  static constexpr int statuses[] = {200, 201, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404,
                                     408, 409, 412, 416, 421, 425, 429, 429, 500, 502, 503, 503, 504, 599};
  const int status = input.ConsumeBool() ? pick(input, statuses) : input.ConsumeIntegralInRange(200, 599);
  return {.status = status, .headers = some_fields(input), .body = some_body(input), .url = {}};
}

Error some_error(FuzzedDataProvider& input) {
  static constexpr Errc codes[] = {Errc::resolve,   Errc::connect,  Errc::tls,       Errc::send,      Errc::timeout,
                                   Errc::truncated, Errc::protocol, Errc::too_large, Errc::cancelled, Errc::resource};
  ErrorDetails details{.code = pick(input, codes), .what = some_text(input)};
  if (input.ConsumeBool()) details.sent = Sent::maybe;
  details.retryable = static_cast<Retryable>(input.ConsumeIntegralInRange(0, 3));
  if (details.sent == Sent::maybe && input.ConsumeBool()) {
    details.response = std::make_shared<const Response>(some_response(input));
    details.sent = Sent::answered;
  }
  return Error(std::move(details));
}

CallContext some_context(FuzzedDataProvider& input) {
  CallContext context;
  const auto& presets = noun_test::presets;
  if (const auto choice = input.ConsumeIntegralInRange<std::size_t>(0, presets.size()); choice < presets.size())
    context.dialect = presets[choice].second();
  context.retry = {.max_attempts = input.ConsumeIntegralInRange(1, 6),
                   .initial_backoff = some_duration(input),
                   .max_backoff = some_duration(input),
                   .jitter = input.ConsumeBool() ? 0.1 : 0,
                   .give_up_after = some_duration(input)};
  context.quota = {.when_exhausted = input.ConsumeBool() ? WhenExhausted::wait : WhenExhausted::fail,
                   .reserve = input.ConsumeIntegralInRange(0, 3),
                   .max_wait = some_duration(input),
                   .in_flight_unknown = input.ConsumeIntegralInRange<std::size_t>(1, 3),
                   .inference = input.ConsumeBool() ? Inference::full : Inference::reported_only};
  context.limits.redirects = input.ConsumeIntegralInRange<std::size_t>(0, 3);
  context.limits.connections = input.ConsumeIntegralInRange<std::size_t>(1, 3);
  if (input.ConsumeBool()) context.limits.body = 8;
  context.strict_statuses = input.ConsumeBool();
  context.observed = true;
  context.credentials_may_change = input.ConsumeBool();
  if (!context.credentials_may_change) context.credentials = {{"Authorization", "Bearer c4n4ry.of.token"}};
  auto secrets = std::make_shared<KnownSecrets>();
  secrets->add("c4n4ry/of/client");
  context.known_secrets = secrets;
  const RetryBudget budget{input.ConsumeIntegralInRange(0, 6) * 1.0, input.ConsumeBool() ? 0.2 : 0};
  context.budget = std::make_shared<BudgetAccount>(budget);
  context.gate = make_quota_ledger()->gate(origin, "fuzz");
  return context;
}

CallRequest some_request(FuzzedDataProvider& input, Instant began) {
  static const std::vector<int> usual = {200, 204};
  CallRequest request;
  request.method = static_cast<Method>(input.ConsumeIntegralInRange(0, 7));
  request.url = std::string(origin) + "/v1/things/7?page=1&api_key=c4n4ry-of-url";
  request.route = input.ConsumeIntegralInRange<quota::RouteKey>(0, 2);
  request.headers = {{"Accept", "application/json"}, {"X-Api-Key", "c4n4ry-of-field"}};
  request.has_body = input.ConsumeBool();
  if (request.has_body) request.body = "{}";
  if (input.ConsumeBool()) request.idempotency_key = "key-1";
  request.changes_nothing = input.ConsumeBool();
  request.priority = static_cast<Priority>(input.ConsumeIntegralInRange(0, 2));
  if (input.ConsumeBool()) request.demand = input.ConsumeIntegralInRange(0, 100);
  request.attempt_timeout = std::max<Duration>(some_duration(input), 1ms);
  if (input.ConsumeBool()) request.deadline = began + some_duration(input);
  if (input.ConsumeBool()) request.usual_statuses = &usual;
  return request;
}

/// One call, with what its driver would do.
class Conversation {
 public:
  Conversation(FuzzedDataProvider& input, const CallContext& context, Now now)
      : context_(context), request_(some_request(input, now.steady)), call_(context_, request_, 1, 42) {
    if (input.ConsumeIntegralInRange(0, 15) == 15)
      take(call_.on_cancel(now), now);
    else
      take(call_.begin(now), now);
  }

  bool sends() const { return std::holds_alternative<Send>(step_); }
  bool is_done() const { return std::holds_alternative<Done>(step_); }
  /// When something happens at the latest.
  Instant latest(Instant now) const {
    const auto* wait = std::get_if<Wait>(&step_);
    return wait != nullptr ? wait->until : now;
  }

  void go_on(FuzzedDataProvider& input, Now& now) {
    if (is_done()) return;
    if (!sends() && input.ConsumeIntegralInRange(0, 15) == 15) return take(call_.on_cancel(now), now);
    if (sends()) {
      pass(now, some_duration(input));
      return take(input.ConsumeIntegralInRange(0, 3) == 3 ? call_.on_response(now, some_error(input))
                                                          : call_.on_response(now, some_response(input)),
                  now);
    }
    if (const auto* wait = std::get_if<Wait>(&step_)) {
      // At its end, or woken before.
      if (input.ConsumeIntegralInRange(0, 3) < 3) pass(now, wait->until - now.steady);
      return wake(now);
    }
    pass(now, some_duration(input));
    if (input.ConsumeIntegralInRange(0, 7) == 7)
      return take(call_.on_credentials(now, Error(Errc::connect, input.ConsumeRandomLengthString(8))), now);
    authorize(now);
  }

  /// The next event if the server and the credentials are well.
  void go_on_well(Now now) {
    const Response success{.status = 200, .headers = {}, .body = {}, .url = {}};
    if (sends()) return take(call_.on_response(now, success), now);
    if (std::holds_alternative<Wait>(step_)) return wake(now);
    authorize(now);
  }

  static void pass(Now& now, Duration span) {
    span = std::clamp<Duration>(span, 0s, 48h);
    now.steady += span;
    now.wall += std::chrono::duration_cast<WallTime::duration>(span);
  }

 private:
  void authorize(Now now) {
    const auto authorize = std::get<Authorize>(step_);
    require(authorize.request.attempt == sent_ + 1, "credentials are for the next attempt");
    take(call_.on_credentials(now, Headers{{"Authorization", "Bearer c4n4ry.of.token"}}), now);
  }

  void wake(Now now) {
    was_late_ = was_late_ || now.steady > std::get<Wait>(step_).until;
    take(call_.on_wake(now), now);
  }

  /// Attempts that count for RetryPolicy::max_attempts.
  int faults() const {
    const auto& failed = call_.history().failed_attempts;
    return static_cast<int>(std::count_if(failed.begin(), failed.end(), [](const auto& each) {
      return each.code != Errc::rate_limited && each.status != 401;
    }));
  }

  void take(Step step, Now now) {
    step_ = std::move(step);
    if (const auto* send = std::get_if<Send>(&step_)) check_send(*send, now);
    if (const auto* wait = std::get_if<Wait>(&step_)) check_wait(*wait, now);
    if (const auto* done = std::get_if<Done>(&step_)) {
      const auto error = call_.error_of(*done);
      require(error || done->response, "a call ends with a response or an error");
      if (error) check(*error);
    }
    require(call_.history().attempts == sent_, "each attempt was sent");
    for (const auto& event : call_.take_events()) {
      require_no_secret(event.url);
      require_no_secret(event.route);
      require_no_secret(event.note);
      require_no_secret(event.partition);
      require(event.wait >= 0s && event.elapsed >= 0s, "times in events are not negative");
    }
    context_.gate->take_woken();
  }

  void check_send(const Send& send, Now now) {
    ++sent_;
    require(now.steady < request_.deadline, "nothing is sent after the deadline");
    require(send.deadline <= request_.deadline && send.deadline > now.steady, "an attempt ends before the deadline");
    require(wire::origin_of(send.url) == wire::origin_of(request_.url), "a request goes to its origin");
    require(faults() < context_.retry.max_attempts, "no attempt after the last");
  }

  void check_wait(const Wait& wait, Now now) const {
    require(wait.until >= now.steady, "a wait is not negative");
    require(wait.earliest <= wait.until, "a wait does not end before it may");
    require(wait.until <= request_.deadline, "a wait ends before the deadline");
    require(was_late_ || call_.history().held <= context_.quota.max_wait, "waits for the quota are limited");
  }

  const CallContext& context_;
  const CallRequest request_;
  Call call_;
  Step step_;
  int sent_ = 0;
  bool was_late_ = false;
};

using Conversations = std::list<Conversation>;

void check(const Conversations& calls, const CallContext& context, Now now) {
  const auto sending = std::count_if(calls.begin(), calls.end(), [](const auto& each) { return each.sends(); });
  const auto snapshot = context.gate->snapshot(now);
  require(snapshot.in_flight == static_cast<std::size_t>(sending), "who sends has a permit, and nobody else");
  require(snapshot.rejected <= snapshot.sent, "what was rejected was sent");
}

bool all_done(const Conversations& calls) {
  return std::all_of(calls.begin(), calls.end(), [](const auto& each) { return each.is_done(); });
}

/// Everything that happens first, until every call has ended.
void finish(Conversations& calls, const CallContext& context, Now now) {
  for (int rounds = 0; !all_done(calls); ++rounds) {
    require(rounds < 1000, "calls end when the server is well");
    auto next = calls.end();
    for (auto each = calls.begin(); each != calls.end(); ++each)
      if (!each->is_done() && (next == calls.end() || each->latest(now.steady) < next->latest(now.steady))) next = each;
    if (const auto until = next->latest(now.steady); until > now.steady) Conversation::pass(now, until - now.steady);
    next->go_on_well(now);
    check(calls, context, now);
  }
  const auto snapshot = context.gate->snapshot(now);
  require(snapshot.in_flight == 0 && snapshot.held == 0, "permits and places come back");
}

void save_and_load(const CallContext& context, Now now) {
  const auto state = context.gate->save(now.steady);
  require(context.gate->load(state, now.steady, quota::Gate::InFlight::is_ours), "a saved state is loaded");
  require(context.gate->save(now.steady) == state, "a loaded state is the one that was saved");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  spellings.clear();
  Now now{Instant(1000s), WallTime(1'700'000'000s)};
  const auto context = some_context(input);
  Conversations calls;
  for (int events = 0; events < 100 && input.remaining_bytes() > 0; ++events) {
    const auto choice = input.ConsumeIntegralInRange<std::size_t>(0, 7);
    if (calls.empty() || (choice == 7 && calls.size() < 3)) {
      calls.emplace_back(input, context, now);
    } else if (choice == 6) {
      Conversation::pass(now, some_duration(input));
    } else if (choice == 5) {
      save_and_load(context, now);
    } else {
      std::next(calls.begin(), static_cast<std::ptrdiff_t>(choice % calls.size()))->go_on(input, now);
    }
    check(calls, context, now);
  }
  finish(calls, context, now);
  return 0;
}
