// Adapts httplib 0.11.
#include "atlas_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "atlas_response.hpp"

namespace atlas {
namespace {

constexpr std::size_t threads = 64;
constexpr std::chrono::seconds keep_alive{60};
constexpr std::size_t largest_body = 1 << 20;

/// The request that this thread serves. httplib does not pass the connection to its handlers.
struct Current {
  Connection* connection = nullptr;
  bool reached_handler = false;
  bool leaves_body_unread = false;
};
thread_local Current current;

bool has_body(const httplib::Request& request) {
  const auto length = request.get_header_value("Content-Length");
  return request.has_header("Transfer-Encoding") || !(length.empty() || length == "0");
}

void prepare(httplib::Request& request) {
  const auto& method = request.method;
  const bool reads_body = method != "GET" && method != "HEAD" && method != "OPTIONS";
  // httplib would parse the body of a request with one of these methods as the next request.
  current.leaves_body_unread = !reads_body && has_body(request);
  // Without a length, httplib would read until the client closes. RFC 9112, section 6.3: there is no body.
  if (reads_body && !has_body(request)) request.set_header("Content-Length", "0");
  // One path for all requests: httplib matches regular expressions against the decoded path, in which
  // "a%2Fb" would look like two segments. request.target is the target as sent.
  request.path.assign(1, '/');
  // No ranges and no content coding: the entity tags are strong.
  request.ranges.clear();
  request.headers.erase("Accept-Encoding");
}

void explain(httplib::Response& response) {
  if (!response.body.empty()) return;
  auto problem = problem_response({response.status, "the request could not be parsed or handled"});
  response.set_content(problem.body, problem.content_type);
}

}  // namespace

Server::Server(Handler handler, WallClock clock) : handler_(std::move(handler)), clock_(clock) {
  const auto handle = [this](const httplib::Request& request, httplib::Response& response) {
    current.reached_handler = true;
    handler_(request, response, *current.connection);
  };
  Get("/", handle);
  Post("/", handle);
  Put("/", handle);
  Patch("/", handle);
  Delete("/", handle);
  Options("/", handle);
  set_post_routing_handler([this](const httplib::Request&, httplib::Response& response) { finish(response); });
  set_error_handler([](const httplib::Request&, httplib::Response& response) { explain(response); });
  set_exception_handler(
      [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) { response.status = 500; });
  set_tcp_nodelay(true);
  set_keep_alive_max_count(std::numeric_limits<std::size_t>::max());
  set_keep_alive_timeout(keep_alive.count());
  set_payload_max_length(largest_body);
  // httplib's default, SO_REUSEPORT, would let two servers listen on one port.
  set_socket_options([](socket_t socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });
}

std::uint16_t Server::bind(const std::string& address, std::uint16_t port) {
  int bound = port;
  if (port == 0) {
    bound = bind_to_any_port(address);
  } else if (!bind_to_port(address, port)) {
    bound = -1;
  }
  if (bound <= 0) {
    throw std::runtime_error(
        fmt::format("cannot listen on {} port {}: the port is in use or not permitted, or the address does not belong "
                    "to this machine",
                    address, port));
  }
  // httplib's backlog of 5 overflows in a burst of connections, which then retry after a second.
  ::listen(svr_sock_, SOMAXCONN);
  make_tables();
  return static_cast<std::uint16_t>(bound);
}

void Server::make_tables() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return;
  Connection near(ends[0]);
  Connection far(ends[1]);
  constexpr std::string_view no_method = "NONE / HTTP/1.1\r\n\r\n";
  far.write(no_method.data(), no_method.size());
  if (far.flush()) serve_request(near);
}

void Server::serve(std::function<void()> on_ready) {
  // httplib creates the queue after it started to listen.
  new_task_queue = [ready = std::move(on_ready)]() -> httplib::TaskQueue* {
    ready();
    return new httplib::ThreadPool(threads);
  };
  listen_after_bind();
}

void Server::halt() {
  const std::lock_guard lock(mutex_);
  halted_ = true;
  // Not httplib's stop(), which closes the socket while another thread accepts from it. After a
  // shutdown, that thread closes it.
  ::shutdown(svr_sock_, SHUT_RDWR);
  for (const auto socket : open_) ::shutdown(socket, SHUT_RDWR);
}

bool Server::enter(socket_t socket) {
  const std::lock_guard lock(mutex_);
  ++connections_;
  open_.insert(socket);
  return !halted_;
}

void Server::leave(socket_t socket) {
  const std::lock_guard lock(mutex_);
  open_.erase(socket);
}

void Server::finish(httplib::Response& response) {
  // httplib's Keep-Alive has a meaningless "max", the largest number of its type.
  const bool stays_open = response.headers.erase("Keep-Alive") != 0;
  response.headers.erase("Accept-Ranges");
  // httplib does not read a request that it rejects to its end: the next bytes are not a request.
  if (stays_open && (!current.reached_handler || current.leaves_body_unread)) {
    response.set_header("Connection", "close");
  }
  if (response.status == 204 || response.status == 304) {
    // RFC 9110, section 8.6: httplib's "Content-Length: 0" would be wrong on both.
    response.headers.erase("Content-Length");
  }
  if (!response.has_header("Date")) response.set_header("Date", http_date_text(clock_.now()));
}

bool Server::serve_request(Connection& connection) {
  current = {.connection = &connection};
  bool asked_to_close = false;
  const bool served = process_request(connection, false, asked_to_close, prepare);
  if (connection.is_abandoned()) return false;
  return connection.flush() && served && !asked_to_close && current.reached_handler && !current.leaves_body_unread;
}

void Server::serve_requests(Connection& connection) {
  try {
    while (connection.wait_for_request(keep_alive) && serve_request(connection)) {
    }
  } catch (...) {
    // For example out of memory: close this connection only.
    connection.abandon(Connection::Ending::reset);
  }
}

bool Server::process_and_close_socket(socket_t socket) {
  Connection connection(socket);
  if (enter(socket)) serve_requests(connection);
  connection.prepare_close();
  // Before the socket is closed: another connection may get its number at once.
  leave(socket);
  return true;
}

}  // namespace atlas
