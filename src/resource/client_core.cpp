#include "resource/client_core.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "call/redaction.hpp"
#include "curl/proxy_choice.hpp"
#include "decision/classify.hpp"
#include "loop/blocking.hpp"
#include "os/process.hpp"
#include "os/threads.hpp"
#include "resource/field_rules.hpp"
#include "resource/option_rules.hpp"
#include "resource/request_builder.hpp"
#include "wire/base64url.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"
#include "wire/problem.hpp"

namespace noun { inline namespace v0 {
namespace {

std::atomic<std::uint64_t> call_count{0};
std::atomic<std::uint64_t> client_count{0};

std::uint64_t random_number() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

/// The ledger of the process. Never destroyed: a global client may outlive this file's statics.
const std::shared_ptr<QuotaLedger>& process_ledger() {
  static const auto* ledger = new std::shared_ptr<QuotaLedger>(make_quota_ledger());
  return *ledger;
}

/// The identity for the ledger. A client without one has a number of its own, which no caller can give.
std::string key_of_quota(const std::string& identity) {
  if (identity.empty()) return fmt::format("#{}", ++client_count);
  return identity.starts_with('#') ? '#' + identity : identity;
}

/// The transports of clients that share an identity; a client without one has its own.
Result<std::shared_ptr<Transport>> transport_for(const ClientOptions& options) {
  struct Shared {
    std::mutex mutex;
    std::map<std::string, std::vector<std::pair<TransportOptions, std::weak_ptr<Transport>>>> by_identity;
    std::size_t drop_unused_at = 16;
  };
  static auto* shared = new Shared;
  TransportOptions wanted{.tls = options.tls, .proxy = options.proxy, .unix_socket = options.unix_socket};
  if (options.identity.empty()) return libcurl_transport(std::move(wanted));
  const std::lock_guard lock(shared->mutex);
  const auto unused = [](const auto& entry) { return entry.second.expired(); };
  // As in the ledger, all identities are looked at only now and then.
  if (shared->by_identity.size() >= shared->drop_unused_at) {
    std::erase_if(shared->by_identity, [&](const auto& entry) {
      return std::all_of(entry.second.begin(), entry.second.end(), unused);
    });
    shared->drop_unused_at = 2 * shared->by_identity.size() + 16;
  }
  auto& known = shared->by_identity[options.identity];
  std::erase_if(known, unused);
  for (const auto& [with, transport] : known)
    if (with == wanted)
      if (auto live = transport.lock()) return live;
  auto made = libcurl_transport(wanted);
  if (made) known.emplace_back(std::move(wanted), *made);
  return made;
}

Error invalid(std::string_view what, std::string_view advice) { return refusal(Errc::invalid_argument, what, advice); }

/// What is ambiguous in the path of the base URL, as a clause, or null.
const char* fault_of_base_path(std::string_view path) {
  if (std::any_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
    return "the path of the base URL has a character that must be percent-encoded";
  if (!wire::percent_decode(path))
    return "the path of the base URL has an invalid percent-encoding (a percent sign itself is %25)";
  return wire::has_dot_segment(path) ? "the path of the base URL has a dot segment" : nullptr;
}

/// The base URL without its trailing slash, or what is wrong with it.
Result<std::string> checked_base_url(std::string_view url) {
  constexpr std::string_view advice =
      "use http or https, a host and optionally a path, as in https://api.example.com/v1";
  const auto parts = wire::split_url(url);
  if (parts.has_query || parts.has_fragment) return invalid("the base URL has a query or a fragment", advice);
  if (parts.authority.find('@') != std::string_view::npos || (parts.authority.empty() && url.find('@') != url.npos))
    return invalid("the base URL has userinfo", "set ClientOptions::credentials instead");
  if (url.empty()) return invalid("the base URL is empty", advice);
  if (!wire::origin_of(url))
    return invalid(
        fmt::format("the base URL \"{}\" is not a valid http or https URL", wire::printable_excerpt(url, 60)),
        advice);
  if (const auto* fault = fault_of_base_path(parts.path)) return invalid(fault, advice);
  while (url.ends_with('/')) url.remove_suffix(1);
  return std::string(url);
}

Result<std::vector<wire::UrlOrigin>> checked_origins(std::string_view base_url, const std::vector<Origin>& trusted) {
  constexpr std::string_view advice = "write ClientOptions::trusted_origins as https://host[:port]";
  std::vector<wire::UrlOrigin> origins{*wire::origin_of(base_url)};
  for (const auto& origin : trusted) {
    const auto parts = wire::split_url(origin.url());
    auto judged = wire::origin_of(origin.url());
    if (!judged || parts.has_query || parts.has_fragment || (!parts.path.empty() && parts.path != "/"))
      return invalid("a trusted origin is not a scheme, a host and optionally a port", advice);
    if (origins.front().scheme == "https" && judged->scheme == "http")
      return invalid("a trusted origin is http, but the base URL is https", advice);
    origins.push_back(*std::move(judged));
  }
  return origins;
}

/// Whether requests may carry secrets: none is readable on its way to one of the origins, or the options allow it.
bool may_carry_secrets(const ClientOptions& options, const std::vector<wire::UrlOrigin>& origins) {
  if (options.credentials_over_http || !options.unix_socket.empty()) return true;
  // All connections of a client use the proxy of its own origin.
  const auto proxy = proxy_for(options.proxy, origins.front());
  return std::none_of(origins.begin(), origins.end(),
                      [&](const wire::UrlOrigin& origin) { return is_readable(origin, proxy); });
}

/// Finds secrets among what the caller gave, by their names.
class SecretNames {
 public:
  explicit SecretNames(const TextList& parameters) {
    for (const auto& name : parameters) parameters_.add_parameter(name);
  }
  /// Each returns the first secret, as the subject of a clause, or nothing.
  std::optional<std::string> in(const Headers& fields) const {
    for (const auto& field : fields)
      if (names_credentials(field.name)) return subject("header", field.name);
    return std::nullopt;
  }
  std::optional<std::string> in(const Query& query) const {
    for (const auto& field : query)
      if (names_secret(field.name, parameters_)) return subject(parameter, field.name);
    return std::nullopt;
  }
  std::optional<std::string> in_url(std::string_view url) const {
    const auto name = secret_parameter_in(url, parameters_);
    return name ? std::optional(subject(parameter, *name)) : std::nullopt;
  }

 private:
  static constexpr std::string_view parameter = "query parameter";

  static std::string subject(std::string_view kind, std::string_view name) {
    return fmt::format("the secret {} {}", kind, wire::printable_excerpt(name, 40));
  }

  KnownSecrets parameters_;
};

/// As a clause; nothing without a secret.
std::optional<std::string> would_be_sent(std::optional<std::string> secret, const ClientOptions& options,
                                         const wire::UrlOrigin& origin) {
  if (!secret) return std::nullopt;
  return fmt::format("{} would be sent over plain http{}", *secret,
                     proxy_for(options.proxy, origin).empty() ? "" : " to a proxy");
}

/// What is secret in the options and would be sent so that others can read it, as a clause, or nothing.
std::optional<std::string> exposed_by(const ClientOptions& options, const std::vector<wire::UrlOrigin>& origins) {
  if (may_carry_secrets(options, origins)) return std::nullopt;
  const SecretNames names(options.secret_parameters);
  std::optional<std::string> secret;
  if (!options.credentials.empty()) secret = "credentials";
  if (!secret) secret = names.in(options.headers);
  if (!secret) secret = names.in(options.query);
  return would_be_sent(std::move(secret), options, origins.front());
}

/// What is wrong with the options, of which a copy may have others.
std::optional<Error> fault_in(const ClientOptions& options, const std::vector<wire::UrlOrigin>& origins) {
  if (const auto fault = fault_of_options(options)) return invalid(*fault, advice_on_option(*fault));
  if (const auto fault = fault_of_headers(options.headers)) return invalid(*fault, "fix ClientOptions::headers");
  if (const auto secret = exposed_by(options, origins)) return invalid(*secret, detail::use_https);
  return std::nullopt;
}

/// The first option that a transport of the program does not use, or empty.
std::string_view ignored_option(const ClientOptions& options) noexcept {
  if (!options.transport) return "";
  if (!options.unix_socket.empty()) return "unix_socket";
  if (!options.proxy.empty()) return "proxy";
  return options.tls == Tls() ? "" : "tls";
}

/// The tokens that the credentials come from, or null.
const std::shared_ptr<detail::TokenStore>* tokens_of(const detail::CredentialsSource* source) noexcept {
  return source == nullptr ? nullptr : std::get_if<std::shared_ptr<detail::TokenStore>>(&source->from);
}

/// The client of the token endpoint, if the credentials come from one: with the connection settings of the API's
/// client, except for its Unix socket, and with a quota of its own.
/// @param options  as given.
Result<std::shared_ptr<ClientCore>> token_client_for(const ClientOptions& options,
                                                     const detail::CredentialsSource* source) {
  const auto* tokens = tokens_of(source);
  if (tokens == nullptr) return std::shared_ptr<ClientCore>();
  ClientOptions own{.retry = options.retry,
                    .budget = options.budget,
                    .quota = {.when_exhausted = options.quota.when_exhausted, .max_wait = options.quota.max_wait},
                    .timeouts = options.timeouts,
                    .limits = options.limits,
                    .tls = options.tls,
                    .proxy = options.proxy,
                    .identity = options.identity,
                    .transport = options.transport,
                    .clock = options.clock,
                    .quota_ledger = make_quota_ledger()};
  own.limits.redirects = 0;
  return ClientCore::create((*tokens)->origin(), std::move(own));
}

/// The secrets that every copy of the client has.
/// @param proxy  its URL, or empty.
std::shared_ptr<KnownSecrets> fixed_secrets(const detail::CredentialsSource* source, std::string_view proxy) {
  auto secrets = std::make_shared<KnownSecrets>();
  if (const auto* tokens = tokens_of(source)) secrets->include((*tokens)->secrets());
  if (source != nullptr)
    for (const auto& secret : source->secrets) secrets->add(secret);
  Headers fields;
  if (const auto* fixed = source == nullptr ? nullptr : std::get_if<Result<Headers>>(&source->from))
    fields = fixed->value();
  const auto authority = wire::split_url(proxy).authority;
  const auto user = authority.substr(0, std::min(authority.rfind('@'), authority.size()));
  if (user.size() < authority.size())  // as the proxy receives it
    fields.add("Proxy-Authorization",
               "Basic " + wire::base64_encode(wire::percent_decode(user).value_or(std::string(user))));
  for (const auto& secret : secrets_in(fields)) secrets->add(secret.text);
  return secrets;
}

/// The limits, with no more connections than a quarter of the file descriptors that the process may open.
Limits affordable(Limits limits) noexcept {
  const auto quarter = std::max<std::size_t>(most_descriptors() / 4, 1);
  limits.connections = std::min(limits.connections, quarter);
  return limits;
}

/// What is stored belongs to the identity; without one, to the credentials. Behind each Unix socket is another server.
detail::CacheSettings cache_settings_of(const ClientOptions& options, const detail::CredentialsSource* source) {
  const auto& dialect = options.dialect;
  detail::CacheSettings settings{.exchange = {.mode = options.cache_mode, .by_date = dialect.validates_by_date},
                                 .owner = fmt::format("{}\n{}", options.identity, options.unix_socket)};
  const bool may_change = options.credentials.may_change();
  settings.exchange.by_credentials = dialect.etag_depends_on_credentials || (options.identity.empty() && may_change);
  if (options.identity.empty() && source != nullptr && !may_change)
    for (const auto& field : std::get<Result<Headers>>(source->from).value())
      settings.owner += fmt::format("\n{}:{}", field.name, field.value);
  return settings;
}

/// A callback on the driver's thread cannot wait for that thread.
void destroy(ClientCore* core) noexcept try {
  if (core->driver().on_own_thread())
    thread_without_signals([core] { delete core; }).detach();
  else
    delete core;
} catch (const std::exception&) {
  // Without a thread to wait on, the client is leaked: running calls still use it.
}

/// The number of a call, and the seed of its random numbers.
std::pair<std::uint64_t, std::uint64_t> next_call(std::uint64_t seed) noexcept {
  const auto id = ++call_count;
  return {id, seed ^ (id * 0x9E3779B97F4A7C15U)};
}

std::vector<int> part_statuses_of(const Dialect& dialect) {
  constexpr int partial_content = 206;
  auto statuses = dialect.get_statuses;
  statuses.push_back(partial_content);
  return statuses;
}

}  // namespace

Error refusal_to_wait(const RequestSummary& request) {
  return refusal(Errc::refused,
                 "an observer, or another function on the thread that runs noun's calls, made a call, which would wait for "
                 "itself",
                 "start it with noun::start(), or make it on another thread", request);
}

Result<std::shared_ptr<ClientCore>> ClientCore::create(std::string_view url, ClientOptions options) {
  auto base = checked_base_url(url);
  if (!base) return std::move(base).error();
  if (const auto ignored = ignored_option(options); !ignored.empty())
    return invalid(fmt::format("ClientOptions::transport ignores ClientOptions::{}", ignored),
                   ignored == "proxy" ? "set TransportOptions::proxy of libcurl_transport() to the proxy's URL instead"
                                      : fmt::format("set TransportOptions::{} of libcurl_transport() instead", ignored));
  if (!options.unix_socket.empty() && !options.trusted_origins.empty())
    return invalid("a Unix socket cannot reach a trusted origin",
                   "leave ClientOptions::trusted_origins or ClientOptions::unix_socket empty");
  const auto given = options;
  auto origins = checked_origins(*base, options.trusted_origins);
  if (!origins) return std::move(origins).error();
  if (auto fault = fault_in(options, *origins)) return *std::move(fault);
  const auto source = detail::CredentialsAccess::source_of(options.credentials);
  if (auto fault = source ? fault_of(*source, options.proxy) : std::nullopt) return *std::move(fault);
  if (!options.transport) {
    options.proxy = proxy_for(options.proxy, origins->front());
    auto transport = transport_for(options);
    if (!transport) return std::move(transport).error();
    options.transport = *std::move(transport);
  }

  auto token_client = token_client_for(given, source.get());
  if (!token_client) return std::move(token_client).error();

  out_of_memory(Sent::no);
  const std::shared_ptr<ClientCore> core(new ClientCore, &destroy);
  core->base_url = *std::move(base);
  core->origins = *std::move(origins);
  core->carries_secrets = may_carry_secrets(given, core->origins);
  core->credentials = source;
  core->part_statuses = part_statuses_of(options.dialect);
  core->seed_ = random_number();

  const auto& ledger = options.quota_ledger ? options.quota_ledger : process_ledger();
  if (ledger->is_shared() && options.identity.empty())
    return invalid("a shared quota ledger needs ClientOptions::identity, the name of the quota",
                   "set ClientOptions::identity to the same text in all processes");
  if (ledger->is_shared() && options.clock && options.clock != system_clock())
    return invalid("a shared quota ledger needs the system's clock", "leave ClientOptions::clock empty");
  if (!ledger->is_of_this_process()) return invalid(made_before_fork, make_after_fork);
  core->call_context = {.dialect = std::move(options.dialect),
                        .strict_statuses = options.strict_statuses,
                        .credentials_may_change = options.credentials.may_change(),
                        .clock_offset = source && source->has_time ? std::make_shared<ClockOffset>() : nullptr,
                        .budget = std::make_shared<BudgetAccount>(options.budget),
                        .gate = ledger->gate(wire::to_string(core->origin()), key_of_quota(options.identity))};
  const auto secrets = fixed_secrets(source.get(), proxy_for(given.proxy, core->origin()));
  core->fixed_secrets_ = secrets;
  if (options.credentials.may_change())
    core->driver_context.credentials = [source, secrets, token_client = *std::move(token_client)](
                                           const Authorize& authorize, const StopToken& stop) {
      auto fields = ask(*source, authorize, token_client.get(), stop);
      // A server may repeat them in the URL of a request that ends before it has credentials of its own.
      if (fields && std::holds_alternative<Credentials::Function>(source->from) && !source->has_time)
        for (const auto& secret : secrets_in(*fields)) secrets->add_passing(secret.text);
      return fields;
    };
  else if (source)
    core->call_context.credentials = std::get<Result<Headers>>(source->from).value();
  core->driver_context.transport = std::move(options.transport);
  core->driver_context.clock = options.clock ? std::move(options.clock) : system_clock();
  if (given.cache) core->cache = given.cache->access(given.cache, cache_settings_of(given, source.get()));
  core->options = given;
  core->apply_options();
  return core;
}

/// Applies the options that Client::with() may change.
void ClientCore::apply_options() {
  defaults = {{"Accept", call_context.dialect.accept}, {"User-Agent", "noun/" NOUN_VERSION}};
  for (const auto& field : options.headers) defaults.erase(field.name);
  for (const auto& field : options.headers) defaults.push_back(field);
  call_context.retry = options.retry;
  call_context.quota = options.quota;
  call_context.limits = affordable(options.limits);
  call_context.observed = options.observer || options.trace_context;
  auto known_secrets = std::make_shared<KnownSecrets>();
  known_secrets->include(fixed_secrets_);
  known_secrets->add(options.bookmark_key);
  for (const auto& name : options.secret_parameters) known_secrets->add_parameter(name);
  for (const auto& field : options.query) {
    known_secrets->add_parameter(field.name);
    known_secrets->add(field.value);
  }
  for (const auto& secret : secrets_in(options.headers)) known_secrets->add(secret.text);
  call_context.known_secrets = std::move(known_secrets);
  driver_context.known_secrets = call_context.known_secrets;
  driver_context.dialect = &call_context.dialect;
  driver_context.timeouts = options.timeouts;
  driver_context.limits = options.limits;
  driver_context.observer = options.observer;
  driver_context.trace_context = options.trace_context;
}

std::shared_ptr<ClientCore> ClientCore::with(ClientChanges changes) const {
  const std::shared_ptr<ClientCore> core(new ClientCore, &destroy);
  core->base_url = base_url;
  core->origins = origins;
  core->carries_secrets = carries_secrets;
  core->credentials = credentials;
  core->part_statuses = part_statuses;
  core->seed_ = random_number();
  core->fixed_secrets_ = fixed_secrets_;
  core->call_context = call_context;
  core->driver_context.transport = driver_context.transport;
  core->driver_context.clock = driver_context.clock;
  core->driver_context.credentials = driver_context.credentials;
  core->cache = cache;

  auto changed = options;
  const auto replace = [](auto& option, auto& change) {
    if (change) option = *std::move(change);
  };
  replace(changed.retry, changes.retry);
  replace(changed.quota, changes.quota);
  replace(changed.timeouts, changes.timeouts);
  replace(changed.limits, changes.limits);
  replace(changed.headers, changes.headers);
  replace(changed.query, changes.query);
  replace(changed.observer, changes.observer);
  replace(changed.trace_context, changes.trace_context);
  core->refused = refused ? refused : fault_in(changed, origins);
  core->options = core->refused ? options : std::move(changed);
  core->apply_options();
  return core;
}

void ClientCore::add_query(std::string& url) const {
  Query missing;
  for (const auto& field : options.query)
    if (!wire::parameter_of(url, field.name)) missing.push_back(field);
  append_query(url, missing);
}

detail::CacheAccess::Notice ClientCore::notice_of(const CallRequest& request) {
  return [&](std::string note) {
    if (!driver_context.observer) return;
    const Redaction redaction(request.url, {request.headers, *call_context.known_secrets});
    driver_context.notify({{.kind = EventKind::notice,
                            .method = request.method,
                            .url = redaction.url(),
                            .at = driver_context.clock->now().wall,
                            .note = redaction.line(std::move(note))}});
  };
}

void ClientCore::keep(const Call& call, const Done& done) noexcept try {
  if (cache) cache->keep(*this, call, done);
} catch (...) {
  // Without memory, or a thread, nothing is validated in the background.
}

Call ClientCore::call(CallRequest& request) {
  if (cache) cache->look_up(request, notice_of(request));
  const auto [id, seed] = next_call(seed_);
  return Call(call_context, request, id, seed);
}

Result<void> ClientCore::may_continue(const StopToken& stop, Instant deadline) const {
  if (stop.stop_requested()) return Error(Errc::cancelled, "cancelled by the caller", Sent::answered);
  if (deadline == Instant::max() || driver_context.clock->now().steady < deadline) return {};
  return Error(Errc::timeout, "no complete response in time", Sent::answered);
}

Done ClientCore::run(Call& call, const StopToken& stop) {
  if (on_a_loop_thread()) return {.error = refusal_to_wait(call.error_for({.code = Errc::refused}).request())};
  return run_blocking(call, driver_context, stop);
}

Result<void> ClientCore::result_of(Done done, const Call& call, const Reader& reader,
                                   const std::optional<std::string>& at) {
  keep(call, done);
  if (auto error = call.error_of(done)) return *std::move(error);
  DecodeFault fault;
  if (read(reader, *done.response, fault, at)) return Result<void>(std::move(done.response));
  if (fault.code == Errc::decode && call.request().writes()) {
    fault.what = fmt::format("the server responded {}, but {}", status_text(done.response->status), fault.what);
    fault.advice = "do not send the request again; compare the type with the response in Error::response()";
  }
  return call.error_for(failure_of(std::move(fault), std::move(done.response)));
}

void ClientCore::start(CallRequest request, CallStart how) {
  if (cache) cache->look_up(request, notice_of(request));
  const auto [id, seed] = next_call(seed_);
  how.job = std::make_unique<CallJob>(call_context, std::move(request), id, seed);
  if (!asks_program()) how.run_credentials = {};
  // The call may have ended, and let go of the client, when the executor runs it.
  if (how.run_credentials)
    how.run_credentials = [run = std::move(how.run_credentials), core = shared_from_this()](std::function<void()> ask) {
      run([core, ask = std::move(ask)] { ask(); });
    };
  driver_.start(std::move(how));
}

bool ClientCore::read(const Reader& reader, const Response& response, DecodeFault& fault,
                      const std::optional<std::string>& at) const {
  if (reader.read == nullptr) return true;
  std::string_view body = response.body;
  if (const auto& place = at ? *at : call_context.dialect.member.reply;
      reader.is_member && !place.empty() && detail::has_value(response)) {
    const auto member = wire::json_value(body, place);
    if (member.elements.empty()) {
      fault = {.code = Errc::decode,
               .what = member.error ? fmt::format("the body cannot be decoded: {} at byte {}", member.error->what,
                                                  member.error->offset)
                                    : fmt::format("the response has no value at \"{}\"", place),
               .advice = at ? "compare ClientOptions::dialect.polling.result with the response"
                            : "compare ClientOptions::dialect.member.reply with the response",
               .text = body};
      return false;
    }
    body = member.elements.front();
  }
  if (reader.read(reader.target, response, body, call_context.limits, fault)) return true;
  // The start of a longer one may be half of a secret.
  constexpr std::size_t longest_type = 60;
  const auto type = response.headers.get("Content-Type").value_or("");
  if (fault.code == Errc::decode && !type.empty() && !wire::names_json(type) && !wire::is_json_text(body))
    fault.advice = fmt::format("the body is {}not JSON: check the path, or read it with Client::send()",
                               type.size() > longest_type ? "" : wire::printable(std::string(type)) + ", ");
  return false;
}

std::string ClientCore::url_of(const Address& address) const {
  const auto& ending = detail::AddressAccess::ending_of(address);
  const std::string_view end = ending ? std::string_view(*ending) : call_context.dialect.trailing_slash ? "/" : "";
  std::string url;
  url.reserve(base_url.size() + address.path().size() + end.size());
  url.append(base_url).append(address.path()).append(end);
  return url;
}

std::string ClientCore::shown(std::string_view url, const Headers& headers) const {
  return Redaction(url, {headers, *call_context.known_secrets}).url();
}

Result<Headers> ClientCore::credentials_for(Authorize authorize, const StopToken& stop) const {
  const auto now = driver_context.clock->now().wall;
  authorize.request.at = call_context.clock_offset ? call_context.clock_offset->corrected(now) : now;
  return call_context.credentials_may_change ? driver_context.credentials(authorize, stop) : call_context.credentials;
}

Failure ClientCore::failure_of(DecodeFault fault, std::shared_ptr<const Response> response) {
  return {.code = fault.code,
          .what = std::move(fault.what),
          .text = fault.text,
          .advice = std::move(fault.advice),
          .response = std::move(response)};
}

std::optional<std::string> ClientCore::add_headers(Headers& fields, const Headers& own) const {
  fields = defaults;
  if (own.empty()) return std::nullopt;
  if (auto fault = fault_of_headers(own)) return fault;
  for (const auto& field : own) fields.erase(field.name);
  for (const auto& field : own) fields.push_back(field);
  return std::nullopt;
}

std::optional<std::string> ClientCore::exposed(const Headers& own, std::string_view url) const {
  if (carries_secrets) return std::nullopt;
  const SecretNames names(options.secret_parameters);
  auto secret = names.in(own);
  if (!secret) secret = names.in_url(url);
  return would_be_sent(std::move(secret), options, origin());
}

/// @source RFC 9562, section 5.4.
std::string ClientCore::key_of(const IdempotencyKey& key) const {
  if (!key.automatic()) return key.text();
  const auto high = (random_number() & 0xFFFFFFFFFFFF0FFFU) | 0x4000U;
  const auto low = (random_number() & 0x3FFFFFFFFFFFFFFFU) | 0x8000000000000000U;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xFFFFU, high & 0xFFFFU,
                     low >> 48U, low & 0xFFFFFFFFFFFFU);
}

const std::vector<int>* ClientCore::usual_page_statuses() const noexcept {
  const auto& dialect = call_context.dialect;
  return std::holds_alternative<paging::ItemRange>(dialect.paging.style) ? &part_statuses : &dialect.get_statuses;
}

const std::vector<int>* ClientCore::usual_statuses(Verb verb) const noexcept {
  const auto& dialect = call_context.dialect;
  switch (verb) {
    case detail::Verb::get: return &dialect.get_statuses;
    case detail::Verb::create: return &dialect.create_statuses;
    case detail::Verb::replace: return &dialect.replace_statuses;
    case detail::Verb::update: return &dialect.update_statuses;
    case detail::Verb::remove: return &dialect.remove_statuses;
    case detail::Verb::any: break;
  }
  return nullptr;
}

}}  // namespace noun
