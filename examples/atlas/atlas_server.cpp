// The wiring to httplib 0.11, and what had to be known of it.
#include "atlas_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "atlas_answer.hpp"

namespace atlas {
namespace {

constexpr std::size_t threads = 64;
constexpr std::chrono::seconds keep_alive{60};
constexpr std::size_t largest_body = 1 << 20;

/// The request that this thread is serving; httplib's handlers know nothing of the connection.
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
  // httplib would take the body after one of these methods for the next request.
  current.leaves_body_unread = !reads_body && has_body(request);
  // Without a length httplib would read until the client closes; RFC 9112, section 6.3: there is none.
  if (reads_body && !has_body(request)) request.set_header("Content-Length", "0");
  // One path for all: httplib matches regular expressions against a path that it has decoded already,
  // so that "a%2Fb" would look like two segments. The target keeps what was sent.
  request.path.assign(1, '/');
  // Answers are whole and plain, so that their entity tags are strong.
  request.ranges.clear();
  request.headers.erase("Accept-Encoding");
}

void explain(httplib::Response& response) {
  if (!response.body.empty()) return;
  auto answer = problem({response.status, "the request could not be read or answered"});
  response.set_content(answer.body, answer.content_type);
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
  // httplib's default, SO_REUSEPORT, would let two services listen on one port.
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
        fmt::format("cannot listen on {} port {}: the port is taken or not permitted, or the address is not this "
                    "machine's",
                    address, port));
  }
  // httplib asks for a backlog of 5, which a burst of connections overflows into second-long retries.
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
  // httplib makes the queue when it has begun to listen.
  new_task_queue = [ready = std::move(on_ready)]() -> httplib::TaskQueue* {
    ready();
    return new httplib::ThreadPool(threads);
  };
  listen_after_bind();
}

void Server::halt() {
  const std::lock_guard lock(mutex_);
  halted_ = true;
  // Not httplib's stop(), which closes the socket under the thread that accepts from it: after a
  // shutdown that thread closes it itself.
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
  // httplib's own offer, the largest of numbers as "max" in it, is of no use to anyone.
  const bool stays_open = response.headers.erase("Keep-Alive") != 0;
  response.headers.erase("Accept-Ranges");
  // What httplib refuses by itself it has not read to its end, so that what follows is no request.
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
    // Out of memory, say: this connection ends, the service goes on.
    connection.abandon(Connection::Ending::reset);
  }
}

bool Server::process_and_close_socket(socket_t socket) {
  Connection connection(socket);
  if (enter(socket)) serve_requests(connection);
  connection.wind_up();
  // Before the socket is closed: its number may be another connection's at once.
  leave(socket);
  return true;
}

}  // namespace atlas
