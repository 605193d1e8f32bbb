// Adapts Boost.Beast.
#include "atlas_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <csignal>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <pthread.h>

namespace atlas {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::seconds;

constexpr seconds keep_alive{60};
constexpr seconds transfer_patience{5};
constexpr seconds drain_patience{1};
constexpr std::uint64_t largest_body = 1 << 20;
constexpr std::uint32_t largest_head = 1 << 16;

/// What all connections share; used on the server's thread only.
struct Shared {
  WallClock clock;
  Server::Handler handler;
};

/// Threads started during its lifetime leave signals to the program's own threads, but for those of their own faults.
class ScopedSignalBlock {
 public:
  ScopedSignalBlock() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&blocked, own);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~ScopedSignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  ScopedSignalBlock(const ScopedSignalBlock&) = delete;
  ScopedSignalBlock& operator=(const ScopedSignalBlock&) = delete;

 private:
  sigset_t before_{};
};

ReceivedRequest received(http::request<http::string_body>&& request) {
  ReceivedRequest made{.method = std::string(request.method_string()),
                       .target = std::string(request.target()),
                       .fields = {},
                       .body = std::move(request.body())};
  for (const auto& field : request) made.fields.emplace_back(field.name_string(), field.value());
  return made;
}

/// The status of what the parser refused.
int status_of(const error_code& error) {
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit) return 431;
  return 400;
}

std::string head_of(const Response& response, bool keeps, WallTime now) {
  const auto has = [&](std::string_view name) {
    return std::any_of(response.fields.begin(), response.fields.end(),
                       [&](const auto& field) { return field.first == name; });
  };
  const std::string reason(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status))));
  auto head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason);
  for (const auto& [name, value] : response.fields) head += fmt::format("{}: {}\r\n", name, value);
  if (!has("Date")) head += fmt::format("Date: {}\r\n", http_date_text(now));
  if (!response.body.empty()) head += fmt::format("Content-Type: {}\r\n", response.content_type);
  // RFC 9110, section 8.6: neither has a length.
  if (response.status != 204 && response.status != 304)
    head += fmt::format("Content-Length: {}\r\n", response.body.size());
  head += keeps ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

/// One connection. Each step starts one operation, which keeps it alive; it ends when no operation is started.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared)
      : socket_(std::move(socket)), timer_(socket_.get_executor()), shared_(shared) {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
  }

  void read_head() {
    parser_.emplace();
    parser_->header_limit(largest_head);
    parser_->body_limit(largest_body);
    close_after(keep_alive);
    http::async_read_header(socket_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->refuse(error);
      self->continue_body();
    });
  }

 private:
  void close_after(seconds patience) {
    timer_.expires_after(patience);
    timer_.async_wait([weak = weak_from_this()](error_code cancelled) {
      if (const auto self = weak.lock(); self && !cancelled) self->close();
    });
  }

  void close() {
    error_code ignored;
    socket_.close(ignored);
  }

  void continue_body() {
    close_after(transfer_patience);
    if (!boost::beast::iequals(parser_->get()[http::field::expect], "100-continue")) return read_body();
    outgoing_ = "HTTP/1.1 100 Continue\r\n\r\n";
    write([](Connection& self) { self.read_body(); });
  }

  void read_body() {
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->refuse(error);
      self->handle();
    });
  }

  /// Where the request cannot be parsed, the next bytes are none.
  void refuse(const error_code& error) {
    const bool by_parser = error.category() == make_error_code(http::error::bad_target).category();
    if (!by_parser || error == http::error::end_of_stream || error == http::error::partial_message) return close();
    respond({.response = problem_response({status_of(error), "the request could not be parsed"})}, false, false);
  }

  void handle() {
    const bool keeps = parser_->get().keep_alive();
    const bool is_head = parser_->get().method() == http::verb::head;
    Reply reply;
    try {
      reply = shared_.handler(received(parser_->release()));
    } catch (const std::exception& error) {
      reply = {.response = problem_response({500, error.what()})};
    }
    respond(std::move(reply), keeps, is_head);
  }

  void respond(Reply reply, bool keeps, bool is_head) {
    using Ending = Reply::Ending;
    if (reply.ending == Ending::reset || reply.ending == Ending::silent) {
      error_code ignored;
      // With a linger time of 0, closing sends a reset.
      if (reply.ending == Ending::reset) socket_.set_option(asio::socket_base::linger(true, 0), ignored);
      return close();
    }
    outgoing_ = head_of(reply.response, keeps, shared_.clock.now());
    const auto body = is_head ? std::string() : std::move(reply.response.body);
    const bool cut = reply.ending == Ending::cut;
    if (cut && body.empty()) outgoing_.resize(outgoing_.size() / 2);
    outgoing_.append(body, 0, cut ? body.size() / 2 : body.size());
    const bool reads_on = keeps && !cut;
    const auto send = [reads_on](Connection& self) {
      self.close_after(transfer_patience);
      self.write([reads_on](Connection& sent) { reads_on ? sent.read_head() : sent.drain(); });
    };
    if (reply.delay == reply.delay.zero()) return send(*this);
    timer_.expires_after(reply.delay);
    timer_.async_wait([self = shared_from_this(), send](error_code cancelled) {
      if (!cancelled) send(*self);
    });
  }

  template <class Then>
  void write(Then then) {
    asio::async_write(socket_, asio::buffer(outgoing_), [self = shared_from_this(), then](error_code error, std::size_t) {
      if (!error) then(*self);
    });
  }

  /// Closing with unread input makes the kernel send a reset, which can arrive before the response.
  void drain() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    close_after(drain_patience);
    read_to_end();
  }

  void read_to_end() {
    buffer_.clear();
    socket_.async_read_some(buffer_.prepare(16384), [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) self->read_to_end();
    });
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::string outgoing_;
  Shared& shared_;
};

}  // namespace

std::string_view ReceivedRequest::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) {
    return boost::beast::iequals(field.first, {name.data(), name.size()});
  });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

class Server::Impl {
 public:
  Impl(const std::string& address, std::uint16_t port, WallClock clock) : shared_{clock, {}} {
    try {
      const tcp::endpoint endpoint = *tcp::resolver(*context_).resolve(address, std::to_string(port)).begin();
      acceptor_.emplace(*context_, endpoint);
      port_ = acceptor_->local_endpoint().port();
    } catch (const boost::system::system_error& error) {
      throw std::runtime_error(fmt::format("cannot listen on {} port {}: {}", address, port, error.code().message()));
    }
  }

  void serve(Handler handler) {
    shared_.handler = std::move(handler);
    accept();
    const ScopedSignalBlock block;
    thread_ = std::thread([this] { context_->run(); });
  }

  void stop() {
    if (!context_) return;
    context_->stop();
    if (thread_.joinable()) thread_.join();
    acceptor_.reset();
    timer_.reset();
    // Its operations own the connections.
    context_.reset();
  }

  std::uint16_t port() const { return port_; }
  std::uint64_t connections() const { return connections_; }

 private:
  void accept() {
    acceptor_->async_accept([this](error_code error, tcp::socket socket) {
      if (error) {
        // For example no descriptor is left: one that is closed makes room.
        timer_.emplace(*context_, std::chrono::milliseconds(10));
        return timer_->async_wait([this](error_code) { accept(); });
      }
      ++connections_;
      std::make_shared<Connection>(std::move(socket), shared_)->read_head();
      accept();
    });
  }

  Shared shared_;
  std::unique_ptr<asio::io_context> context_ = std::make_unique<asio::io_context>(1);
  std::optional<tcp::acceptor> acceptor_;
  std::optional<asio::steady_timer> timer_;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> connections_ = 0;
  std::thread thread_;
};

Server::Server(const std::string& address, std::uint16_t port, WallClock clock)
    : impl_(std::make_unique<Impl>(address, port, clock)) {}

Server::~Server() { stop(); }

void Server::serve(Handler handler) { impl_->serve(std::move(handler)); }

void Server::stop() { impl_->stop(); }

std::uint16_t Server::port() const { return impl_->port(); }

std::uint64_t Server::connections() const { return impl_->connections(); }

}  // namespace atlas
