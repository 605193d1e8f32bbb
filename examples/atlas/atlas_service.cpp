// The steps of a request: admission, handler, latency, response. And the server's thread.
#include "atlas_service.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <future>
#include <mutex>
#include <string_view>
#include <thread>

#include "atlas_admission.hpp"
#include "atlas_dataset.hpp"
#include "atlas_request_handler.hpp"
#include "atlas_server.hpp"

namespace atlas {
namespace {

/// Threads started during its lifetime block all signals: a signal would end httplib's accept loop.
class ScopedSignalBlock {
 public:
  ScopedSignalBlock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~ScopedSignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  ScopedSignalBlock(const ScopedSignalBlock&) = delete;
  ScopedSignalBlock& operator=(const ScopedSignalBlock&) = delete;

 private:
  sigset_t before_{};
};

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

void write(const Response& from, httplib::Response& to) {
  to.status = from.status;
  for (const auto& [name, value] : from.fields) to.set_header(name, value);
  if (!from.body.empty()) to.set_content(from.body, from.content_type);
}

}  // namespace

class Service::Impl {
 public:
  explicit Impl(Options options);
  ~Impl() { stop(); }

  void stop();
  std::uint16_t port() const { return port_; }
  std::string base_url() const {
    return "http://" + authority_of(options_, port_) + join_path(split_prefix(options_.prefix));
  }
  Stats stats() const;

 private:
  void handle(const httplib::Request& request, httplib::Response& response, Connection& connection);
  bool is_for_stats(const httplib::Request& request) const;
  void respond_with_stats(const httplib::Request& request, httplib::Response& response) const;
  Request request_from(const httplib::Request& request) const;
  Response respond(const httplib::Request& request, const Admission& admission, WallTime now);
  void wait_latency();

  Options options_;
  WallClock clock_;
  AdmissionControl admission_;
  RequestHandler handler_;
  Server server_;
  std::uint16_t port_;
  std::mutex mutex_;
  std::condition_variable stopping_changed_;
  bool stopping_ = false;
  std::thread thread_;
};

Service::Impl::Impl(Options options)
    : options_((check(options), std::move(options))),
      clock_(options_.clock_offset),
      admission_(options_),
      handler_(load_dataset(options_.data), options_.prefix),
      server_([this](const auto& request, auto& response, auto& connection) { handle(request, response, connection); },
              clock_),
      port_(server_.bind(options_.address, options_.port)) {
  const ScopedSignalBlock block;
  std::promise<void> ready;
  thread_ = std::thread([&, this] { server_.serve([&] { ready.set_value(); }); });
  ready.get_future().wait();
}

void Service::Impl::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopping_, true)) return;
  }
  stopping_changed_.notify_all();
  server_.halt();
  thread_.join();
}

void Service::Impl::handle(const httplib::Request& request, httplib::Response& response, Connection& connection) {
  if (is_for_stats(request)) return respond_with_stats(request, response);
  const auto now = clock_.now();
  const auto admission = admission_.admit(now);
  if (admission.fault == Fault::drop) return connection.abandon(Connection::Ending::reset);
  const auto made = respond(request, admission, now);
  if (admission.fault == Fault::drop_after) return connection.abandon(Connection::Ending::silent);
  if (admission.fault == Fault::truncate) connection.abandon(Connection::Ending::cut);
  write(made, response);
  wait_latency();
}

Response Service::Impl::respond(const httplib::Request& request, const Admission& admission, WallTime now) {
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

Request Service::Impl::request_from(const httplib::Request& request) const {
  const auto host = request.get_header_value("Host");
  const bool behind_tls = request.get_header_value("X-Forwarded-Proto") == "https";
  return {
      .method = request.method,
      .target = request.target,
      .body = request.body,
      .conditions = {.if_match = request.get_header_value("If-Match"),
                     .if_none_match = request.get_header_value("If-None-Match")},
      .idempotency_key = request.get_header_value("Idempotency-Key"),
      // The origin that the client used: a link with another name or scheme would be another origin.
      .origin = (behind_tls ? "https://" : "http://") + (is_authority(host) ? host : authority_of(options_, port_))};
}

bool Service::Impl::is_for_stats(const httplib::Request& request) const {
  const auto path = path_of(request.target);
  return path == "/_stats" || path == join_path(split_prefix(options_.prefix)) + "/_stats";
}

void Service::Impl::respond_with_stats(const httplib::Request& request, httplib::Response& response) const {
  if (request.method == "GET" || request.method == "HEAD") {
    return write({.body = to_json(stats()) + "\n"}, response);
  }
  write(problem_response({405, "/_stats is read-only", {{"Allow", "GET, HEAD"}}}), response);
}

void Service::Impl::wait_latency() {
  if (options_.latency == std::chrono::milliseconds{0}) return;
  std::unique_lock lock(mutex_);
  stopping_changed_.wait_for(lock, options_.latency, [this] { return stopping_; });
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
