// One request's way: gate, desk, latency, answer. And the thread on which it all runs.
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

#include "atlas_dataset.hpp"
#include "atlas_desk.hpp"
#include "atlas_gate.hpp"
#include "atlas_server.hpp"

namespace atlas {
namespace {

/// Threads started while it lives take no signals: those are for the program's own threads, and one of
/// them would end httplib's accept loop.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_{};
};

std::string authority_of(const Options& options, std::uint16_t port) {
  const bool is_ipv6 = options.address.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(is_ipv6 ? "[{}]:{}" : "{}:{}"), options.address, port);
}

/// Whether a Host field is plain enough to be repeated in links.
bool is_authority(std::string_view host) {
  constexpr std::string_view marks = "-._:[]";
  return !host.empty() && std::all_of(host.begin(), host.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

void write(const Answer& answer, httplib::Response& response) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.fields) response.set_header(name, value);
  if (!answer.body.empty()) response.set_content(answer.body, answer.content_type);
}

}  // namespace

class Service::Running {
 public:
  explicit Running(Options options);
  ~Running() { stop(); }

  void stop();
  std::uint16_t port() const { return port_; }
  std::string base_url() const {
    return "http://" + authority_of(options_, port_) + join_path(split_prefix(options_.prefix));
  }
  Stats stats() const;

 private:
  void handle(const httplib::Request& request, httplib::Response& response, Connection& connection);
  bool asks_for_stats(const httplib::Request& request) const;
  void answer_stats(const httplib::Request& request, httplib::Response& response) const;
  Question question_from(const httplib::Request& request) const;
  Answer answer(const httplib::Request& request, const Admission& admission, WallTime now);
  void wait_latency();

  Options options_;
  WallClock clock_;
  Gate gate_;
  Desk desk_;
  Server server_;
  std::uint16_t port_;
  std::mutex mutex_;
  std::condition_variable stopping_changed_;
  bool stopping_ = false;
  std::thread thread_;
};

Service::Running::Running(Options options)
    : options_((check(options), std::move(options))),
      clock_(options_.clock_offset),
      gate_(options_),
      desk_(load_dataset(options_.data), options_.prefix),
      server_([this](const auto& request, auto& response, auto& connection) { handle(request, response, connection); },
              clock_),
      port_(server_.bind(options_.address, options_.port)) {
  const SignalsHeldBack held_back;
  std::promise<void> ready;
  thread_ = std::thread([&, this] { server_.serve([&] { ready.set_value(); }); });
  ready.get_future().wait();
}

void Service::Running::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopping_, true)) return;
  }
  stopping_changed_.notify_all();
  server_.halt();
  thread_.join();
}

void Service::Running::handle(const httplib::Request& request, httplib::Response& response, Connection& connection) {
  if (asks_for_stats(request)) return answer_stats(request, response);
  const auto now = clock_.now();
  const auto admission = gate_.admit(now);
  if (admission.fault == Fault::drop) return connection.abandon(Connection::Ending::reset);
  const auto made = answer(request, admission, now);
  if (admission.fault == Fault::drop_after) return connection.abandon(Connection::Ending::silent);
  if (admission.fault == Fault::truncate) connection.abandon(Connection::Ending::cut);
  write(made, response);
  wait_latency();
}

Answer Service::Running::answer(const httplib::Request& request, const Admission& admission, WallTime now) {
  Answer made;
  if (!admission.verdict.admitted) {
    made = problem({429, fmt::format("more than {} requests in {} ms", options_.limit, options_.period.count())});
    if (options_.retry_after) {
      made.fields.emplace_back("Retry-After", retry_after_seconds(admission.verdict, now));
    }
  } else if (admission.fault == Fault::unavailable) {
    made = problem({503, "the service is not available for a moment; nothing has been changed"});
  } else {
    made = desk_.answer(question_from(request));
  }
  // From the moment at which the request was counted, so that Date and reset tell the same story.
  made.fields.emplace_back("Date", http_date_text(now));
  if (options_.rate_headers && options_.limit != 0) {
    for (auto& field : rate_fields(admission.verdict, now, options_.reset)) {
      made.fields.push_back(std::move(field));
    }
  }
  return made;
}

Question Service::Running::question_from(const httplib::Request& request) const {
  const auto host = request.get_header_value("Host");
  const bool behind_tls = request.get_header_value("X-Forwarded-Proto") == "https";
  return {
      .method = request.method,
      .target = request.target,
      .body = request.body,
      .conditions = {.if_match = request.get_header_value("If-Match"),
                     .if_none_match = request.get_header_value("If-None-Match")},
      .idempotency_key = request.get_header_value("Idempotency-Key"),
      // The way by which the client came: to it, a link to another name or scheme is another origin.
      .origin = (behind_tls ? "https://" : "http://") + (is_authority(host) ? host : authority_of(options_, port_))};
}

bool Service::Running::asks_for_stats(const httplib::Request& request) const {
  const auto path = path_of(request.target);
  return path == "/_stats" || path == join_path(split_prefix(options_.prefix)) + "/_stats";
}

void Service::Running::answer_stats(const httplib::Request& request, httplib::Response& response) const {
  if (request.method == "GET" || request.method == "HEAD") {
    return write({.body = to_json(stats()) + "\n"}, response);
  }
  write(problem({405, "/_stats is read only", {{"Allow", "GET, HEAD"}}}), response);
}

void Service::Running::wait_latency() {
  if (options_.latency == std::chrono::milliseconds{0}) return;
  std::unique_lock lock(mutex_);
  stopping_changed_.wait_for(lock, options_.latency, [this] { return stopping_; });
}

Stats Service::Running::stats() const {
  const auto counts = gate_.counts();
  return {.requests = counts.requests,
          .rejected = counts.rejected,
          .dropped = counts.dropped,
          .unavailable = counts.unavailable,
          .truncated = counts.truncated,
          .applied_writes = desk_.applied_writes(),
          .connections = server_.connections(),
          .items = desk_.items()};
}

Service::Service(Options options) : running_(std::make_unique<Running>(std::move(options))) {}

Service::~Service() = default;

void Service::stop() { running_->stop(); }

std::uint16_t Service::port() const { return running_->port(); }

std::string Service::base_url() const { return running_->base_url(); }

Stats Service::stats() const { return running_->stats(); }

}  // namespace atlas
