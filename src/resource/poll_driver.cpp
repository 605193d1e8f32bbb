#include "resource/poll_driver.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <noun/client.hpp>

#include "call/redaction.hpp"
#include "call/report.hpp"
#include "decision/classify.hpp"
#include "decision/poll_token.hpp"
#include "paging/bookmark.hpp"
#include "resource/background_call.hpp"
#include "resource/bookmark_secrets.hpp"
#include "resource/request_builder.hpp"
#include "wire/spelling.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

Error invalid_token(std::string_view what, std::string_view advice) {
  return refusal(Errc::invalid_argument, what, advice);
}

Error token_error(wire::SealFault fault) {
  if (fault == wire::SealFault::malformed)
    return invalid_token("the text is not a token of an operation", "use what Client::poll_token() returned");
  return invalid_token("the token was made with another ClientOptions::bookmark_key, or with none",
                       "use the key that it was made with");
}

/// The header fields of a request of the client, as far as they are known without asking.
Headers fixed_headers(const ClientCore& core, const Headers& own) {
  auto headers = core.defaults;
  for (const auto& field : own) headers.set(field.name, field.value);
  for (const auto& field : core.call_context.credentials) headers.set(field.name, field.value);
  return headers;
}

/// The token of a position; nothing if no client could continue with it.
/// @param sent     the header fields of a request, with its credentials.
/// @param earlier  secrets of the request that started the operation.
std::optional<std::string> token_of(const ClientCore& core, PollPosition position, const Headers& sent,
                                    const std::vector<std::string>& earlier, WallTime next) {
  const auto& key = core.options.bookmark_key;
  const auto& known = *core.call_context.known_secrets;
  auto words = known.all();
  words.insert(words.end(), earlier.begin(), earlier.end());
  std::erase_if(words, [](const std::string& word) { return word.size() < shortest_secret; });
  const wire::SpellingSearch secrets(words);
  for (auto* url : {&position.monitor, &position.result}) {
    if (url->empty()) continue;
    if (key.empty() && !may_resume_at(*url, core.base_url, core.origins, core.base_url)) return std::nullopt;
    const auto without = withhold(*url, core.options.query, secrets_in(sent), known, core.base_url);
    // Credentials of another time are not those in the URL.
    if (core.call_context.credentials_may_change &&
        without != withhold(*url, core.options.query, {}, known, core.base_url))
      return std::nullopt;
    // What could not be left out, such as a secret that the URL has over several parameters.
    const auto own = without.starts_with(core.base_url) ? core.base_url.size() : 0;
    if (!secrets.find(std::string_view(without).substr(own)).empty()) return std::nullopt;
    *url = without;
  }
  return write_poll_token({std::move(position), core.base_url, next}, key);
}

/// What a token says, with the current values of the secrets.
Result<PollToken> read_token(const ClientCore& core, std::string_view text, const Headers& own) {
  const auto& key = core.options.bookmark_key;
  auto read = read_poll_token(text, key);
  if (const auto* fault = std::get_if<wire::SealFault>(&read)) return token_error(*fault);
  auto& token = std::get<PollToken>(read);
  if (token.base_url != core.base_url)
    return invalid_token("the token belongs to a client with another base URL",
                         "use the base URL that it was made with");
  for (auto* url : {&token.position.monitor, &token.position.result}) {
    if (url->empty()) continue;
    auto restored = restore(*url, core.options.query, *core.call_context.known_secrets, !key.empty(),
                            [&] { return secrets_in(fixed_headers(core, own)); });
    const auto* whole = std::get_if<std::string>(&restored);
    if (whole == nullptr)
      return invalid_token("the token needs a secret that the client does not have, or has no key to trust it with",
                           "use the credentials and ClientOptions::query that it was made with, and a bookmark_key");
    const auto origin = wire::origin_of(*whole);
    const bool is_ours = origin && std::find(core.origins.begin(), core.origins.end(), *origin) != core.origins.end();
    if (!is_ours || (key.empty() && !may_resume_at(*whole, core.base_url, core.origins, core.base_url)))
      return invalid_token("the token leads neither below the client's base URL nor to a trusted origin",
                           "add its origin to ClientOptions::trusted_origins if it belongs to the API");
    *url = *whole;
  }
  if (token.position.monitor.empty()) return token_error(wire::SealFault::malformed);
  return std::move(token);
}

/// The error of a response that was given. The method of its request is not known, so that the error has no request.
Error error_of_response(const ClientCore& core, const Failure& failure) {
  const Headers none;
  CallHistory history;
  history.note(Sent::answered);
  return report({.method = Method::get,
                 .url = {},
                 .secrets = {none, *core.call_context.known_secrets},
                 .fields = none,
                 .has_body = false,
                 .idempotency_key = {}},
                history, core.call_context.dialect, failure);
}

}  // namespace

PollDriver::PollDriver(ClientCore& core, bool reads_nothing)
    : core_(core),
      reads_nothing_(reads_nothing),
      poll_(core.call_context.dialect, core.origins, core.base_url, !reads_nothing) {}

std::optional<CallRequest> PollDriver::begin(const FinishRequest& finish) {
  options_ = finish.options();
  pass_on(on_stop_, options_.stop);
  deadline_ = options_.deadline.from(core_.driver_context.clock->now().steady);
  if (const auto* error = std::get_if<Error>(&finish.from())) return fail(*error);
  if (const auto* token = std::get_if<std::string>(&finish.from())) return resume(*token);
  if (const auto* operation = std::get_if<OperationRequest>(&finish.from())) return start(*operation);
  first_ = std::get<std::shared_ptr<const Response>>(finish.from());
  const auto now = core_.driver_context.clock->now();
  return take(poll_.on_response(now, *first_, core_.base_url), first_, nullptr, now);
}

std::optional<CallRequest> PollDriver::start(const OperationRequest& operation) {
  const auto* verb = std::get_if<VerbRequest>(&operation.work);
  if (verb == nullptr || verb->options.wait_until_ready)
    return fail(refusal(Errc::invalid_argument, "the operation does not start another one",
                        "pass a request to Client::finish(), without wait_until_ready"));
  // What is wrong with the options of the polls must not stop an operation that runs.
  if (auto poll = build_poll_request(core_, core_.base_url, options_, deadline_, reads_nothing_); !poll)
    return fail(std::move(poll).error());
  pass_on(on_start_stop_, verb->options.stop);
  auto request = build_request(core_, operation.address, *verb, false);
  if (!request) return fail(std::move(request).error());
  request->usual_statuses = nullptr;
  request->returns_see_other = true;
  request->deadline = std::min(request->deadline, deadline_);
  return *std::move(request);
}

std::optional<CallRequest> PollDriver::resume(std::string_view text) {
  auto token = read_token(core_, text, options_.headers);
  if (!token) return fail(std::move(token).error());
  const auto now = core_.driver_context.clock->now();
  const auto in = std::clamp<Duration>(token->next - now.wall, Duration::zero(), token->position.wait.span);
  return take(poll_.resume(now, std::move(token->position), in), nullptr, nullptr, now);
}

std::optional<CallRequest> PollDriver::next(const Done& done, const Call& call) {
  if (done.error) return std::nullopt;
  if (done.failure) {
    const auto& response = done.failure->response;
    const auto failed = poll_.on_error(response ? response->status : 0);
    if (failed)
      failure_ = {.code = failed->code, .what = failed->what, .advice = failed->advice, .response = response};
    return std::nullopt;
  }
  if (poll_.state() == PollState::starting) {
    secrets_ = secrets_in_query(call.request().url, *core_.call_context.known_secrets);
    for (auto& secret : secrets_in(call.headers())) secrets_.push_back(std::move(secret.text));
  }
  const auto now = core_.driver_context.clock->now();
  auto request = take(poll_.on_response(now, *done.response, call.request().url), done.response, &call, now);
  if (request) core_.keep(call, done);
  return request;
}

/// Carries out a step of the operation.
/// @param response  to which it is the step; null for a token.
/// @param call      that has it; null if it was given.
std::optional<CallRequest> PollDriver::take(PollStep step, const std::shared_ptr<const Response>& response,
                                            const Call* call, Now now) {
  if (auto* done = std::get_if<PollDone>(&step)) {
    place_ = std::move(done->place);
    return std::nullopt;
  }
  if (auto* failed = std::get_if<PollFailed>(&step)) {
    failure_ = {.code = failed->code,
                .what = redaction_of(*response, call).line(std::move(failed->what)),
                .server_error = failed->error,
                .advice = std::move(failed->advice),
                .response = response};
    return std::nullopt;
  }
  auto& [url, at] = std::get<PollNext>(step);
  due_ = at;
  failure_ = fault_of_wait(core_, {at - now.steady, poll_.position().wait.is_reported}, now, response);
  if (failure_) return std::nullopt;
  auto request = build_poll_request(core_, std::move(url), options_, deadline_, reads_nothing_);
  if (!request) return fail(std::move(request).error());
  request->not_before = at;
  request->returns_see_other = poll_.state() == PollState::polling;
  request->secrets = secrets_;
  if (response && at > now.steady)
    observe_wait(core_, *response, redaction_of(*response, call), call, at, now);
  return *std::move(request);
}

std::optional<CallRequest> PollDriver::fail(Error error) {
  error_ = std::move(error);
  return std::nullopt;
}

void PollDriver::pass_on(OnStop& callback, const StopToken& caller) {
  if (caller.stop_possible()) callback.emplace(caller, [this] { stop_.request_stop(); });
}

/// Hides the secrets of the call, or without one those of the client. Valid as long as both.
Redaction PollDriver::redaction_of(const Response& response, const Call* call) const {
  static const Headers none;
  return {call != nullptr ? call->request().url : response.url,
          {call != nullptr ? call->headers() : none, *core_.call_context.known_secrets, secrets_}};
}

Result<void> PollDriver::result(Done done, const Call& call, const Reader& reader) {
  if (error_) return with_token(*std::move(error_), call.headers());
  if (failure_) {
    core_.keep(call, done);
    return with_token(call.error_for(*failure_), call.headers());
  }
  auto result = core_.result_of(std::move(done), call, reader, place_);
  if (result || poll_.state() == PollState::starting) return result;
  return with_token(std::move(result).error(), call.headers());
}

Result<void> PollDriver::result(const Reader& reader) {
  if (error_) {
    const bool has_started = !poll_.position().monitor.empty();
    return has_started ? with_token(*std::move(error_), fixed_headers(core_, options_.headers)) : *std::move(error_);
  }
  if (!failure_) {
    DecodeFault fault;
    if (core_.read(reader, *first_, fault, place_)) return Result<void>(first_);
    failure_ = ClientCore::failure_of(std::move(fault), first_);
  }
  return with_token(error_of_response(core_, *failure_), fixed_headers(core_, options_.headers));
}

/// The error after the operation has started: with its token, unless it has ended without a result.
/// @param sent  the header fields of the last request.
Error PollDriver::with_token(Error error, const Headers& sent) const {
  if (error.code() == Errc::operation_failed || error.code() == Errc::expired_cursor) return error;
  auto details = error.details();
  details.sent = Sent::answered;
  const auto now = core_.driver_context.clock->now();
  const auto next = wall_time_of(std::max(due_, now.steady), now);
  // After a result that could not be fetched, the monitor is asked again.
  auto token = poll_.position().monitor.empty()
                   ? std::nullopt
                   : token_of(core_, poll_.position(), sent, secrets_, next);
  if (token) {
    details.poll_token = *std::move(token);
    if (details.code == Errc::deadline_exceeded) details.advice = "set a later deadline";
    const bool is_to_fix = details.code == Errc::refused || details.code == Errc::invalid_argument;
    if (!details.advice.empty()) details.advice += is_to_fix ? ", then " : ", or ";
    details.advice += "continue with Client::finish() and Error::poll_token()";
  } else if (!poll_.position().monitor.empty() && poll_.state() != PollState::ended) {
    if (!details.advice.empty()) details.advice += "; ";
    details.advice += "the operation may still run";
    if (core_.options.bookmark_key.empty())
      details.advice += ": set ClientOptions::bookmark_key for a token to continue with";
  }
  return Error(std::move(details));
}

Result<std::string> poll_token_of(ClientCore& core, const Response& started) {
  const auto now = core.driver_context.clock->now();
  Poll poll(core.call_context.dialect, core.origins, core.base_url, true);
  const auto step = poll.on_response(now, started, core.base_url);
  if (const auto* failed = std::get_if<PollFailed>(&step))
    return error_of_response(core, {.code = failed->code, .what = failed->what, .advice = failed->advice});
  if (poll.state() != PollState::polling)
    return refusal(Errc::invalid_argument, "the operation has already ended", "read its result with Client::finish()");
  auto headers = fixed_headers(core, {});
  if (core.call_context.credentials_may_change) {
    if (on_a_loop_thread()) return refusal_to_wait();
    auto credentials =
        core.credentials_for({.request = {.method = Method::get, .url = poll.position().monitor, .headers = headers},
                              .deadline = Instant::max()},
                             {});
    if (!credentials) return std::move(credentials).error();
    for (const auto& field : *credentials) headers.set(field.name, field.value);
  }
  auto token = token_of(core, poll.position(), headers, {}, wall_time_of(std::get<PollNext>(step).at, now));
  if (!token)
    return refusal(Errc::refused,
                   "the monitor of the operation is not below the client's base URL, or repeats a secret that cannot be "
                   "left out",
                   "set ClientOptions::bookmark_key, or add its origin to ClientOptions::trusted_origins");
  return *std::move(token);
}

std::optional<Error> fault_of_start(const Response* started, const Error* error) {
  constexpr int see_other = 303;
  // A response without the body that the caller's type needs may still start an operation, and a 303 ends one.
  const bool is_accepted = error == nullptr || error->code() == Errc::no_content || error->code() == Errc::decode ||
                           (error->code() == Errc::redirected && started != nullptr && started->status == see_other);
  if (!is_accepted) return *error;
  if (started != nullptr) return std::nullopt;
  return refusal(Errc::protocol, "there is no response that starts an operation", "read the error of the call");
}

Result<void> FinishRequest::perform(ClientCore& core, const Address& /*address*/, const Reader& reader) {
  PollDriver driver(core, reader.read == nullptr);
  return run(core, driver, driver.begin(*this), reader);
}

void FinishRequest::start(const std::shared_ptr<Work>& /*self*/, BackgroundCall& call, const Address& /*address*/) {
  auto driver = std::make_unique<PollDriver>(call.core(), call.reads_nothing());
  auto first = driver->begin(*this);
  call.start(std::move(driver), std::move(first));
}

OperationRequest finish_request(const Client& api, OperationRequest start, FinishOptions options) {
  return {ClientAccess::base(api), std::make_shared<FinishRequest>(std::move(start), std::move(options))};
}

OperationRequest finish_request(const Client& api, std::shared_ptr<const Response> started, const Error* error,
                                FinishOptions options) {
  FinishRequest::From from = std::move(started);
  const auto* const response = std::get<std::shared_ptr<const Response>>(from).get();
  if (auto refused = fault_of_start(response, error)) from = *std::move(refused);
  return {ClientAccess::base(api), std::make_shared<FinishRequest>(std::move(from), std::move(options))};
}

OperationRequest finish_request(const Client& api, std::string_view token, FinishOptions options) {
  return {ClientAccess::base(api), std::make_shared<FinishRequest>(std::string(token), std::move(options))};
}

}}}  // namespace noun::detail
