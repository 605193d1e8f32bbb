#include "resource/token_store.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "call/redaction.hpp"
#include "curl/proxy_choice.hpp"
#include "os/steady_now.hpp"
#include "resource/client_core.hpp"
#include "resource/field_rules.hpp"
#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/decimal.hpp"
#include "wire/json_scan.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// How long before its end a token is replaced, so that it does not expire on its way to the server.
constexpr Duration margin = std::chrono::seconds(60);
constexpr std::chrono::duration<double> longest_life = std::chrono::hours(24 * 365 * 10);

constexpr std::string_view check_options = "check the options of oauth2_client_credentials()";

struct TokenError {
  std::string_view code;
  std::string_view advice;
};
/// @source RFC 6749, section 5.2.
constexpr std::array<TokenError, 6> token_errors = {{
    {"invalid_client", "check client_id, client_secret and auth in the options of oauth2_client_credentials()"},
    {"invalid_grant", check_options},
    {"invalid_request", check_options},
    {"invalid_scope", "check scope in the options of oauth2_client_credentials()"},
    {"unauthorized_client", "allow this client the client credentials grant"},
    {"unsupported_grant_type", "check that the token endpoint supports the client credentials grant"},
}};

std::string form_encoded(std::string_view text) {
  std::string encoded;
  wire::append_query(encoded, text);
  return encoded;
}

Query form_of(const OAuth2ClientCredentials& options) {
  Query form{{"grant_type", "client_credentials"}};
  if (!options.scope.empty()) form.add("scope", fmt::format("{}", fmt::join(options.scope, " ")));
  if (options.auth == ClientAuthentication::body) {
    form.add("client_id", options.client_id);
    form.add("client_secret", options.client_secret);
  }
  for (const auto& parameter : options.parameters) form.push_back(parameter);
  return form;
}

/// @source RFC 6749, section 2.3.1: both are form-encoded first.
std::string basic_credentials(const OAuth2ClientCredentials& options) {
  return wire::base64_encode(form_encoded(options.client_id.str()) + ":" + form_encoded(options.client_secret.str()));
}

std::string body_of(const OAuth2ClientCredentials& options) {
  std::string body;
  for (const auto& [name, value] : form_of(options))
    body += fmt::format("{}{}={}", body.empty() ? "" : "&", form_encoded(name), form_encoded(value));
  return body;
}

/// How long the token lives, if the response says so. Some servers write the number as text.
std::optional<Duration> life_in(std::string_view body) {
  const auto text = wire::json_scalar_at(body, "/expires_in");
  const auto seconds = text ? wire::read_decimal(*text) : std::nullopt;
  if (!seconds) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::min(std::chrono::duration<double>(*seconds), longest_life));
}

}  // namespace

TokenStore::TokenStore(OAuth2ClientCredentials options) : options_(std::move(options)) {
  secrets_->add(options_.client_secret.str());
  secrets_->add(basic_credentials(options_));
}

std::optional<std::string> TokenStore::fault(std::string_view proxy) const {
  const auto& url = options_.token_url.str();
  const auto where = wire::origin_of(url);
  if (!where) return "token_url of oauth2_client_credentials() is not an http or https URL";
  if (wire::split_url(url).has_fragment) return "token_url of oauth2_client_credentials() has a fragment";
  if (is_readable(*where, proxy))
    return "token_url of oauth2_client_credentials() is not https";
  if (options_.client_id.str().empty()) return "client_id of oauth2_client_credentials() is empty";
  if (options_.client_secret.str().empty()) return "client_secret of oauth2_client_credentials() is empty";
  return std::nullopt;
}

std::string TokenStore::origin() const { return wire::to_string(*wire::origin_of(options_.token_url.str())); }

Result<Headers> TokenStore::ask(const Authorize& authorize, ClientCore& client, const StopToken& stop) {
  auto& clock = *client.driver_context.clock;
  std::unique_lock lock(mutex_);
  const auto rejected = authorize.request.rejected.get("Authorization");
  if (rejected && *rejected == token_.authorization) token_ = {};
  for (const auto before = fetches_;;) {
    const auto now = clock.now().steady;
    if (now < token_.fresh_until) return Headers{{"Authorization", token_.authorization}};
    if (failure_ && fetches_ != before) return *failure_;
    if (!fetching_) break;
    if (stop.stop_requested()) return Error(Errc::cancelled, "cancelled by the caller");
    if (now >= authorize.deadline) return Error(Errc::deadline_exceeded, "the caller's deadline passed");
    // The thread that fetches needs real time, also if the client's clock is a virtual one.
    constexpr Duration longest_wait = std::chrono::hours(1);
    changed_.wait_until(lock, stop, steady_now() + std::min(authorize.deadline - now, longest_wait),
                        [&] { return !fetching_; });
  }

  fetching_ = true;
  lock.unlock();
  const auto finish = [&](Token token, std::optional<Error> failure) {
    lock.lock();
    fetching_ = false;
    ++fetches_;
    token_ = std::move(token);
    failure_ = std::move(failure);
    changed_.notify_all();
  };
  try {
    auto token = fetch(client, authorize.deadline, stop);
    if (token) {
      Headers fields{{"Authorization", token->authorization}};
      finish(*std::move(token), std::nullopt);
      return fields;
    }
    const auto& error = token.error();
    const bool is_own = error.code() == Errc::cancelled ||
                        (error.stopped_because() == StopReason::time && authorize.deadline != Instant::max());
    finish({}, is_own ? std::nullopt : std::optional(error));
    return error;
  } catch (...) {
    finish({}, std::nullopt);
    throw;
  }
}

Result<TokenStore::Token> TokenStore::fetch(ClientCore& client, Instant deadline, const StopToken& stop) const {
  CallRequest request{.method = Method::post,
                      .url = options_.token_url.str(),
                      .headers = client.defaults,
                      .body = body_of(options_),
                      .has_body = true,
                      .changes_nothing = true,
                      .attempt_timeout = client.driver_context.timeouts.attempt,
                      .deadline = deadline};
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  if (options_.auth == ClientAuthentication::basic)
    request.headers.add("Authorization", "Basic " + basic_credentials(options_));
  const auto asked_at = client.driver_context.clock->now().steady;
  auto call = client.call(request);
  const auto done = client.result_of(client.run(call, stop), call, {});
  if (!done) return failure_of(done.error());
  return token_in(*done.response(), asked_at);
}

Result<TokenStore::Token> TokenStore::token_in(const Response& response, Instant asked_at) const {
  const auto fault = [&](std::string_view how) { return Error(Errc::credentials, failed(how), check_options); };
  const auto text = wire::json_text_at(response.body, "/access_token");
  if (text) secrets_->add_passing(*text);
  if (!text || text->empty()) return fault("responded without an access_token");
  if (const auto type = wire::json_text_at(response.body, "/token_type"); type && wire::lowered(*type) != "bearer")
    return fault("responded with a token that is not a Bearer token");
  Token token{.authorization = "Bearer " + *text, .fresh_until = Instant::max()};
  if (fault_of_headers({{"Authorization", token.authorization}}))
    return fault("responded with a token that has a control character");
  if (const auto life = life_in(response.body))
    token.fresh_until = after(asked_at, *life - std::min<Duration>(margin, *life / 2));
  return token;
}

/// The response is not shown: it may have a token, or the secret.
Error TokenStore::failure_of(const Error& error) const {
  const auto* response = error.response();
  auto how = fmt::format("failed: {}", error.what());
  auto advice = error.advice();
  if (response != nullptr && response->status >= 300) {
    how = fmt::format("responded {}", response->status);
    if (error.attempts() > 1) how += fmt::format(" after {} attempts", error.attempts());
    if (response->status < 400) advice = "set token_url to the address that it redirects to";
    if (error.code() == Errc::unauthorized || error.code() == Errc::client_error) advice = check_options;
    const auto code = wire::json_text_at(response->body, "/error");
    for (const auto& known : token_errors)
      if (code == known.code) {
        how += fmt::format(" ({})", known.code);
        advice = known.advice;
      }
  }
  const bool is_own = error.code() == Errc::cancelled || error.code() == Errc::deadline_exceeded;
  return Error({.code = is_own ? error.code() : Errc::credentials,
                .what = failed(how),
                .advice = std::move(advice),
                .stopped_because = error.stopped_because(),
                .retry_at = error.retry_at()});
}

std::string TokenStore::failed(std::string_view how) const {
  const auto shown = Redaction(options_.token_url.str(), {{}, *secrets_}).url();
  return fmt::format("the token endpoint {}, not the API, {}", shown, how);
}

}}}  // namespace noun::detail
