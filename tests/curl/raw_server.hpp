#pragma once
/// @file
/// A server on the loopback interface that runs a script for each connection and records the exact bytes that it
/// receives.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace noun_test {

/// A one-time event that threads can wait for.
class Gate {
 public:
  void open();
  /// Waits until open.
  void wait();
  /// Waits until open, for at most `time`.
  bool wait_for(std::chrono::milliseconds time);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

/// Runs its script for every connection, each on its own thread.
class RawServer {
 public:
  /// One connection, used by the script. It is closed when the script returns.
  class Peer {
   public:
    /// 0 for the first connection.
    std::size_t number() const noexcept { return number_; }
    int descriptor() const noexcept { return descriptor_; }
    /// Lets what follows be received and sent within a session.
    void use(std::function<std::string()> receive, std::function<bool(std::string_view)> transmit);
    /// The next request: its head, and as much body as Content-Length says. Nothing if the connection ended.
    std::optional<std::string> request();
    /// The next bytes received; empty if the connection ended.
    std::string some();
    /// Sends all bytes; false if the peer has closed the connection.
    bool send(std::string_view bytes);
    /// Shuts down the sending direction.
    void finish();
    /// Resets the connection.
    void reset();
    /// Waits until the peer closes the connection.
    void until_closed();
    /// Counts a request that the script has read itself.
    void received(std::string request);

   private:
    friend class RawServer;
    Peer(RawServer& server, int descriptor, std::size_t number);

    RawServer& server_;
    int descriptor_;
    std::size_t number_;
    std::string pending_;
    std::function<std::string()> receive_;
    std::function<bool(std::string_view)> transmit_;
  };
  using Script = std::function<void(Peer&)>;

  explicit RawServer(Script script);
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  /// Closes all connections.
  ~RawServer();

  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view path = "/", std::string_view scheme = "http") const;
  /// The number of accepted connections.
  std::size_t connections() const;
  /// The requests of all connections, as received.
  std::vector<std::string> requests() const;
  std::string last_request() const;

 private:
  void accept_all();
  void serve(int descriptor, std::size_t number);

  Script script_;
  std::uint16_t port_ = 0;
  int listener_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::vector<int> open_;
  std::size_t connections_ = 0;
  bool stopping_ = false;
  std::list<std::thread> peers_;
  std::list<std::thread> ended_;
  std::thread acceptor_;
};

/// A complete response with that body; `fields` are whole lines.
std::string http_response(std::string_view body, std::string_view fields = "", std::string_view status = "200 OK");

/// A script that sends the same bytes for every request.
RawServer::Script always(std::string bytes);

/// A listening socket that nobody reads. Its queue is full, so that none connects, or has a size: so many connect.
class BlackHole {
 public:
  explicit BlackHole(int queue = 0);
  BlackHole(const BlackHole&) = delete;
  BlackHole& operator=(const BlackHole&) = delete;
  ~BlackHole();
  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view scheme = "http") const;

 private:
  std::uint16_t port_ = 0;
  int listener_;
  std::vector<int> fillers_;
};

}  // namespace noun_test
