#include "resource/request_builder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "decision/location.hpp"
#include "resource/body_content.hpp"
#include "resource/field_rules.hpp"
#include "resource/option_rules.hpp"
#include "vocabulary/json_pointer.hpp"
#include "wire/json_edit.hpp"
#include "wire/percent.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr Duration longest_attempt = std::chrono::hours(24);

/// The options that verbs, send() and listings share.
struct CommonOptions {
  const Headers& headers;
  Priority priority;
  std::optional<Duration> attempt_timeout;
  std::optional<Duration> stall_timeout;
  Instant deadline;
  UseCache cache;
};

/// The error, with the request that it was for.
Error error_of(const ClientCore& core, const Error& fault, Method method, const std::string& url) {
  auto details = fault.details();
  details.request = {.method = method, .url = core.shown(url), .curl = {}};
  return Error(std::move(details));
}

std::optional<Error> apply(CallRequest& request, const ClientCore& core, const CommonOptions& options) {
  if (core.refused) return error_of(core, *core.refused, request.method, request.url);
  if (core.options.quota_ledger && !core.options.quota_ledger->is_of_this_process())
    return invalid(core, request, detail::made_before_fork, detail::make_after_fork);
  if (is_running(core.credentials.get()))
    return refusal(Errc::credentials, detail::calls_itself, detail::use_another_client,
                   {.method = request.method,
                    .url = core.shown(request.url, request.headers)});
  if (const auto fault = core.add_headers(request.headers, options.headers))
    return invalid(core, request, *fault, "fix the call's headers");
  if (const auto secret = core.exposed(options.headers, request.url))
    return invalid(core, request, *secret, detail::use_https);
  if (options.attempt_timeout && *options.attempt_timeout <= Duration::zero())
    return invalid(core, request, "attempt_timeout must be greater than zero",
                   "fix attempt_timeout in the call's options");
  if (options.stall_timeout && *options.stall_timeout <= Duration::zero())
    return invalid(core, request, "stall_timeout must be greater than zero", "fix stall_timeout in the call's options");
  request.attempt_timeout =
      std::min(options.attempt_timeout.value_or(core.driver_context.timeouts.attempt), longest_attempt);
  const auto& usual = core.driver_context.timeouts;
  const auto stall = options.stall_timeout.value_or(std::max(usual.stall, options.attempt_timeout.value_or(usual.stall)));
  if (stall != usual.stall)
    request.timeouts = std::make_shared<const Timeouts>(
        Timeouts{.connect = usual.connect, .attempt = usual.attempt, .stall = stall});
  request.deadline = options.deadline;
  request.use_cache = options.cache;
  request.priority = options.priority;
  return std::nullopt;
}

std::optional<Error> apply(CallRequest& request, ClientCore& core, const CallOptions& options) {
  const auto deadline = options.deadline.from(core.driver_context.clock->now().steady);
  if (auto error =
          apply(request, core, CommonOptions{options.headers, options.priority, options.attempt_timeout,
                                                 options.stall_timeout, deadline, options.cache}))
    return error;
  for (const auto* condition : {&options.if_match, &options.if_none_match})
    if (*condition && (*condition)->empty())
      return invalid(core, request,
                     fmt::format("CallOptions::{} is empty: the response that it came from had no ETag",
                                 condition == &options.if_match ? "if_match" : "if_none_match"),
                     "leave it out to do without the condition");
  if (options.if_match && options.if_match->starts_with("W/") && !core.call_context.dialect.weak_if_match)
    return invalid(core, request, "CallOptions::if_match is a weak ETag, which never matches (RFC 9110, section 13.1.1)",
                   "read the item without compression in between, which makes strong ETags weak; or set "
                   "ClientOptions::dialect.weak_if_match if the API compares weak ones, as OData does");
  if (options.retry)
    if (const auto fault = fault_of_retry("CallOptions::retry", *options.retry))
      return invalid(core, request, *fault, advice_on_option(*fault));
  request.retry = options.retry;
  if (options.wait_until_ready && request.method != Method::get && request.method != Method::head)
    return invalid(core, request, "CallOptions::wait_until_ready is for GET and HEAD",
                   "pass the result of this call to Client::finish()");
  Headers own;
  if (options.if_match) own.add("If-Match", *options.if_match);
  if (options.if_none_match) own.add("If-None-Match", *options.if_none_match);
  const auto& key_header = core.call_context.dialect.idempotency_header;
  request.idempotency_key = core.key_of(options.idempotency_key);
  if (!request.idempotency_key.empty()) {
    if (key_header.empty())
      return invalid(core, request, "the dialect has no header for an idempotency key",
                     "set ClientOptions::dialect.idempotency_header, or leave CallOptions::idempotency_key empty");
    own.add(key_header, request.idempotency_key);
  }
  if (own.empty()) return std::nullopt;
  if (const auto fault = fault_of_headers(own))
    return invalid(core, request, *fault, "fix if_match, if_none_match or idempotency_key in CallOptions");
  for (const auto& field : own) request.headers.set(field.name, field.value);
  return std::nullopt;
}

/// Adds what noun::body made: its content type, and its source if it is streamed. A stream may take any time, unless
/// the call says otherwise.
std::optional<Error> add_content(CallRequest& request, const ClientCore& core, const detail::BodyContent& content,
                                 const CallOptions& options) {
  if (!content.fault.empty()) return invalid(core, request, content.fault, "fix the body");
  if (!content.content_type.empty()) {
    const Headers type = {{"Content-Type", content.content_type}};
    if (const auto fault = fault_of_headers(type))
      return invalid(core, request, *fault, "fix the content type of the body");
    request.headers.set("Content-Type", content.content_type);
  }
  if (content.pieces.empty()) return std::nullopt;
  auto source = open_stream(content.pieces);
  if (!source) return invalid(core, request, source.error().what(), source.error().advice());
  request.source = *std::move(source);
  if (!options.attempt_timeout) request.attempt_timeout = Duration::max();
  request.body_file = content.file;
  return std::nullopt;
}

/// The types preferred, and any other: a server may refuse (406) what its response, which has no body, is not.
std::string or_anything(const std::string& accept) {
  return accept.empty() || accept.find("*/*") != std::string::npos ? accept : accept + ", */*;q=0.1";
}

/// A body as a member inside the dialect's envelope.
/// @source RFC 6902, section 6: a JSON Patch is an array of operations, not a member.
Body enveloped(const Body& body, std::string_view place, std::string_view content_type) {
  if (place.empty() || content_type.starts_with("application/json-patch+json")) return body;
  std::string text(detail::BodyAccess::text_of(body));
  for (; !place.empty(); place.remove_suffix(place.size() - place.rfind('/')))
    text = fmt::format("{{{}:{}}}", wire::json_quoted(detail::name_of(place.substr(place.rfind('/') + 1))), text);
  return text;
}

/// Visits the segments of a path after its first slash, with their numbers.
template <class Visit>
void for_each_segment(std::string_view path, Visit visit) {
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.empty()) return;
  for (std::size_t number = 0, start = 0; start <= path.size(); ++number) {
    const auto end = std::min(path.find('/', start), path.size());
    visit(number, path.substr(start, end - start));
    start = end + 1;
  }
}

bool looks_like_an_id(std::string_view segment) {
  return segment.find_first_of("0123456789") != std::string_view::npos;
}

}  // namespace

Error invalid(const ClientCore& core, const CallRequest& request, std::string_view what, std::string_view advice) {
  return refusal(Errc::invalid_argument, what, advice,
                 {.method = request.method, .url = core.shown(request.url, request.headers)});
}

quota::RouteKey route_of(std::string_view path) {
  quota::RouteKey route = 0;
  for_each_segment(path, [&](std::size_t, std::string_view segment) {
    if (!segment.empty()) route = quota::route_below(route, looks_like_an_id(segment) ? "{}" : segment);
  });
  return route;
}

std::uint64_t ids_of(std::string_view path) {
  std::uint64_t ids = 0;
  for_each_segment(path, [&](std::size_t number, std::string_view segment) {
    if (number < 64 && looks_like_an_id(segment)) ids |= std::uint64_t{1} << number;
  });
  return ids;
}

std::shared_ptr<const std::string> shown_route(const ClientCore& core, std::string_view path, std::uint64_t ids) {
  return shown_route(core, wire::split_url(core.base_url).path, path, ids);
}

std::shared_ptr<const std::string> shown_route(const ClientCore& core, std::string_view base, std::string_view path,
                                               std::uint64_t ids) {
  if (!core.call_context.observed) return nullptr;
  std::string route(base);
  for_each_segment(path, [&](std::size_t number, std::string_view segment) {
    route += '/';
    route += number >= 64 || (ids >> number & 1U) != 0 ? "{id}" : segment;
  });
  return std::make_shared<const std::string>(std::move(route));
}

void append_query(std::string& url, const Query& query) {
  if (query.empty()) return;
  char separator = url.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [name, value] : query) {
    url += std::exchange(separator, '&');
    wire::append_query(url, name);
    url += '=';
    wire::append_query(url, value);
  }
}

Result<CallRequest> build_request(ClientCore& core, const Address& address, const detail::VerbRequest& verb,
                                  bool reads_nothing) {
  if (verb.refused) return error_of(core, *verb.refused, verb.method, core.url_of(address));
  if (const auto& refused = detail::AddressAccess::refusal_of(address)) return *refused;
  CallRequest built{.method = verb.method,
                    .url = core.url_of(address),
                    .route = quota::route_below(detail::AddressAccess::route_of(address), to_string(verb.method)),
                    .shown_route = shown_route(core, address.path(), detail::AddressAccess::ids_of(address)),
                    .body = verb.body,
                    .has_body = verb.has_body,
                    .usual_statuses = core.usual_statuses(verb.verb)};
  if (!address.fault().empty()) return invalid(core, built, address.fault(), "fix the address");
  if (const auto collection = detail::AddressAccess::collection_of(address);
      core.cache && !is_safe(verb.method) && !collection.empty())
    built.cached =
        std::make_shared<CachedRequest>(CachedRequest{.collection = fmt::format("{}{}", core.base_url, collection)});
  append_query(built.url, verb.options.query);
  core.add_query(built.url);
  if (auto error = apply(built, core, verb.options)) return *std::move(error);
  if (verb.options.wait_until_ready) built.usual_statuses = nullptr;
  if (verb.verb == detail::Verb::get && built.headers.contains("Range")) built.usual_statuses = &core.part_statuses;
  if (reads_nothing && !core.options.headers.contains("Accept") && !verb.options.headers.contains("Accept"))
    built.headers.set("Accept", or_anything(core.call_context.dialect.accept));
  if (!built.has_body) return built;
  if (const auto& content = detail::BodyAccess::content_of(verb.body)) {
    if (auto error = add_content(built, core, *content, verb.options)) return *std::move(error);
    return built;
  }
  if (verb.verb == detail::Verb::any) return built;
  const auto& dialect = core.call_context.dialect;
  if (!built.headers.contains("Content-Type"))
    built.headers.add("Content-Type",
                      built.method == Method::patch ? dialect.patch_content_type : dialect.content_type);
  if (verb.is_json)
    built.body = enveloped(verb.body, dialect.member.request, built.headers.get("Content-Type").value_or(""));
  return built;
}

std::pair<Address, detail::VerbRequest> at_path(const Address& base, Request request, CallOptions options) {
  using detail::AddressAccess;
  const auto& core = *AddressAccess::core_of(base);
  detail::VerbRequest verb{.method = request.method, .body = std::move(request.body), .options = std::move(options)};
  verb.has_body = !verb.body.empty();
  const auto refused = [&](std::string_view what, std::string_view advice) {
    verb.refused = refusal(Errc::invalid_argument, what, advice);
    return std::pair(AddressAccess::with_url(base, {}, {}, 0, 0), std::move(verb));
  };
  if (verb.has_body && (verb.method == Method::get || verb.method == Method::head))
    return refused("a GET or HEAD request must not have a body", "remove it, or use another method");
  const auto path = below_base(request.path, core.base_url, core.origin());
  if (!path) return refused("the URL is not below the client's base URL", "make a client for its base, or use a path");
  // Without the query, which may hold a secret.
  const auto target = path->substr(0, path->find('?'));
  const bool is_url = path->data() != request.path.data();
  if (const auto* fault = is_url ? fault_of_path(*path) : fault_of_written_path(*path))
    return refused(fmt::format("{} (\"{}\")", fault, wire::printable_excerpt(target, 60)),
                   "use a path below the base URL");
  for (auto& field : verb.options.query) request.query.push_back(std::move(field));
  verb.options.query = std::move(request.query);
  for (const auto& field : verb.options.headers) request.headers.erase(field.name);
  for (auto& field : verb.options.headers) request.headers.push_back(std::move(field));
  verb.options.headers = std::move(request.headers);
  const auto* slash = target.empty() || target.front() == '/' ? "" : "/";
  return {AddressAccess::with_url(base, fmt::format("{}{}", slash, target), std::string(path->substr(target.size())),
                                  route_of(target), ids_of(target)),
          std::move(verb)};
}

Result<CallRequest> build_poll_request(ClientCore& core, std::string url, const FinishOptions& options,
                                       Instant deadline, bool reads_nothing) {
  auto base = wire::split_url(core.base_url).path;
  auto below = wire::split_url(url).path;
  if (!below.starts_with(base) || (below.size() > base.size() && below[base.size()] != '/')) base = {};
  below.remove_prefix(base.size());
  auto shown = shown_route(core, base, below, ids_of(below));
  CallRequest request{.route = quota::route_below(route_of(below), to_string(Method::get)),
                      .shown_route = std::move(shown)};
  request.url = std::move(url);
  core.add_query(request.url);
  if (auto error = apply(request, core, CommonOptions{options.headers, options.priority, options.attempt_timeout,
                                                      std::nullopt, deadline, UseCache::off}))
    return *std::move(error);
  if (reads_nothing && !core.options.headers.contains("Accept") && !options.headers.contains("Accept"))
    request.headers.set("Accept", or_anything(core.call_context.dialect.accept));
  return request;
}

Result<CallRequest> build_page_request(ClientCore& core, const Address& address, const ListOptions& options) {
  const bool has_body = !options.body.empty();
  CallRequest request{.method = has_body ? core.call_context.dialect.search_method : Method::get,
                      .url = core.url_of(address),
                      .has_body = has_body,
                      .changes_nothing = has_body,
                      .usual_statuses = options.paging ? nullptr : core.usual_page_statuses()};
  append_query(request.url, options.query);
  auto body = options.body.text(core.call_context.limits.json_depth);
  if (!body) return error_of(core, body.error(), request.method, request.url);
  request.body = *std::move(body);
  const CommonOptions common{options.headers, options.priority, options.attempt_timeout, options.stall_timeout,
                             Instant::max(), options.cache};
  if (auto error = apply(request, core, common)) return *std::move(error);
  if (has_body && !request.headers.contains("Content-Type")) request.headers.add("Content-Type", "application/json");
  return request;
}

}}  // namespace noun
