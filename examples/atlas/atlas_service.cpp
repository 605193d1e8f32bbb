// The steps of a request: admission, handler, reply.
#include "atlas_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "atlas_admission.hpp"
#include "atlas_dataset.hpp"
#include "atlas_request_handler.hpp"
#include "atlas_server.hpp"

namespace atlas {
namespace {

std::string authority_of(const Options& options, std::uint16_t port) {
  const bool is_ipv6 = options.address.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(is_ipv6 ? "[{}]:{}" : "{}:{}"), options.address, port);
}

/// Whether a Host field is safe to use in links.
bool is_authority(std::string_view host) {
  constexpr std::string_view marks = "-._:[]";
  return !host.empty() && std::all_of(host.begin(), host.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

}  // namespace

class Service::Impl {
 public:
  explicit Impl(Options options);

  void stop() { server_.stop(); }
  std::uint16_t port() const { return server_.port(); }
  std::string base_url() const {
    return "http://" + authority_of(options_, port()) + join_path(split_prefix(options_.prefix));
  }
  Stats stats() const;

 private:
  Reply reply(const ReceivedRequest& request);
  bool is_for_stats(const ReceivedRequest& request) const;
  Response stats_response(const ReceivedRequest& request) const;
  Request request_from(const ReceivedRequest& request) const;
  Response respond(const ReceivedRequest& request, const Admission& admission, WallTime now);

  Options options_;
  WallClock clock_;
  AdmissionControl admission_;
  RequestHandler handler_;
  Server server_;
};

Service::Impl::Impl(Options options)
    : options_((check(options), std::move(options))),
      clock_(options_.clock_offset),
      admission_(options_),
      handler_(load_dataset(options_.data), options_.prefix),
      server_(options_.address, options_.port, clock_) {
  server_.serve([this](const ReceivedRequest& request) { return reply(request); });
}

Reply Service::Impl::reply(const ReceivedRequest& request) {
  using Ending = Reply::Ending;
  if (is_for_stats(request)) return {.response = stats_response(request)};
  const auto now = clock_.now();
  const auto admission = admission_.admit(now);
  if (admission.fault == Fault::drop) return {.ending = Ending::reset};
  auto response = respond(request, admission, now);
  if (admission.fault == Fault::drop_after) return {.ending = Ending::silent};
  return {.response = std::move(response),
          .ending = admission.fault == Fault::truncate ? Ending::cut : Ending::keep,
          .delay = options_.latency};
}

Response Service::Impl::respond(const ReceivedRequest& request, const Admission& admission, WallTime now) {
  Response response;
  if (!admission.rate_limit.admitted) {
    const auto detail = fmt::format("more than {} requests in {} ms", options_.limit, options_.period.count());
    response = problem_response({429, detail});
    if (options_.retry_after) {
      response.fields.emplace_back("Retry-After", retry_after_seconds(admission.rate_limit, now));
    }
  } else if (admission.fault == Fault::unavailable) {
    response = problem_response({503, "the server is temporarily unavailable; the request was not applied"});
  } else {
    response = handler_.handle(request_from(request));
  }
  // The time at which the request was counted, so that Date and the reset are consistent.
  response.fields.emplace_back("Date", http_date_text(now));
  if (options_.rate_headers && options_.limit != 0) {
    for (auto& field : rate_fields(admission.rate_limit, now, options_.reset)) {
      response.fields.push_back(std::move(field));
    }
  }
  return response;
}

Request Service::Impl::request_from(const ReceivedRequest& request) const {
  const auto host = request.field("Host");
  const bool behind_tls = request.field("X-Forwarded-Proto") == "https";
  return {
      .method = request.method,
      .target = request.target,
      .body = request.body,
      .conditions = {.if_match = std::string(request.field("If-Match")),
                     .if_none_match = std::string(request.field("If-None-Match"))},
      .idempotency_key = std::string(request.field("Idempotency-Key")),
      // The origin that the client used: a link with another name or scheme would be another origin.
      .origin = (behind_tls ? "https://" : "http://") +
                (is_authority(host) ? std::string(host) : authority_of(options_, port()))};
}

bool Service::Impl::is_for_stats(const ReceivedRequest& request) const {
  const auto path = path_of(request.target);
  return path == "/_stats" || path == join_path(split_prefix(options_.prefix)) + "/_stats";
}

Response Service::Impl::stats_response(const ReceivedRequest& request) const {
  if (request.method == "GET" || request.method == "HEAD") return {.body = to_json(stats()) + "\n"};
  return problem_response({405, "/_stats is read-only", {{"Allow", "GET, HEAD"}}});
}

Stats Service::Impl::stats() const {
  const auto counts = admission_.counts();
  return {.requests = counts.requests,
          .rejected = counts.rejected,
          .dropped = counts.dropped,
          .unavailable = counts.unavailable,
          .truncated = counts.truncated,
          .applied_writes = handler_.applied_writes(),
          .connections = server_.connections(),
          .items = handler_.items()};
}

Service::Service(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Service::~Service() = default;

void Service::stop() { impl_->stop(); }

std::uint16_t Service::port() const { return impl_->port(); }

std::string Service::base_url() const { return impl_->base_url(); }

Stats Service::stats() const { return impl_->stats(); }

}  // namespace atlas
