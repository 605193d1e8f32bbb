// httplib's server, adapted: one handler receives every request with its target as sent, a connection
// can be dropped, and stopping is fast.
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
  /// Handles one request: fills the response, or abandons the connection.
  using Handler = std::function<void(const httplib::Request&, httplib::Response&, Connection&)>;

  /// @param clock  for the Date of responses to which the handler did not add one.
  Server(Handler handler, WallClock clock);

  /// Listens on `port`, or on any free port for 0. Returns the port. Throws std::runtime_error on failure.
  std::uint16_t bind(const std::string& address, std::uint16_t port);

  /// Serves until halt(). Calls `on_ready` when halt() can be called.
  void serve(std::function<void()> on_ready);

  /// Ends serve(): stops accepting, and shuts down every open connection. Call it once, after bind().
  void halt();

  std::uint64_t connections() const { return connections_; }

 private:
  /// Makes httplib fill its tables, which it does at the first request, before there are threads: a
  /// race detector that does not see the library's synchronization would report a race.
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
