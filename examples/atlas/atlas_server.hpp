// httplib's server, bent in the places where a sample service needs more than it offers: every request
// reaches one handler with its target untouched, a connection can be dropped, and stopping is quick.
#pragma once

#include <httplib.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "atlas_clock.hpp"
#include "atlas_connection.hpp"

namespace atlas {

class Server final : public httplib::Server {
 public:
  /// Answers one request; may abandon the connection instead.
  using Handler = std::function<void(const httplib::Request&, httplib::Response&, Connection&)>;

  /// @param clock  dates the answers that the handler has not dated.
  Server(Handler handler, WallClock clock);

  /// Listens; 0 takes any free port. Returns the port; throws std::runtime_error when there is none.
  std::uint16_t bind(const std::string& address, std::uint16_t port);

  /// Serves until halt(). `on_ready` is called once halt() is certain to end it.
  void serve(std::function<void()> on_ready);

  /// Ends serve(): nothing more is accepted, and every open connection is shut down. Once, after bind().
  void halt();

  std::uint64_t connections() const { return connections_; }

 private:
  /// Makes httplib fill its tables, which it does at the first request, before there are threads:
  /// a race detector that sees our code but not the library's would report that as a race.
  void make_tables();

  bool process_and_close_socket(socket_t socket) override;
  void serve_requests(Connection& connection);
  bool serve_request(Connection& connection);
  bool enter(socket_t socket);
  void leave(socket_t socket);
  void finish(httplib::Response& response);

  Handler handler_;
  WallClock clock_;
  std::mutex mutex_;
  std::set<socket_t> open_;
  bool halted_ = false;
  std::atomic<std::uint64_t> connections_ = 0;
};

}  // namespace atlas
