#pragma once
/// @file
/// A server on the loopback interface that sends the bytes it is told to, hangs up when it is told to, and remembers
/// exactly what it received. What a test expects of it lives in the test.

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

/// Something that happens once, for others to wait for.
class Gate {
 public:
  void open();
  /// Waits until open.
  void wait();
  /// Waits so long for it; for a server that answers late.
  bool wait_for(std::chrono::milliseconds time);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

/// Runs its script for every connection, each on a thread of its own.
class RawServer {
 public:
  /// One connection, in the hands of the script. It is closed when the script returns.
  class Peer {
   public:
    /// 0 for the first connection.
    std::size_t number() const noexcept { return number_; }
    int descriptor() const noexcept { return descriptor_; }
    /// The next request: its head, and as much body as Content-Length says. Nothing when the connection ended.
    std::optional<std::string> request();
    /// The next bytes that come, empty when the connection ended.
    std::string some();
    /// Sends all of it; false when the other side is gone.
    bool send(std::string_view bytes);
    /// Sends no more.
    void finish();
    /// Breaks the connection off at once.
    void reset();
    /// Waits until the other side closes.
    void until_closed();

   private:
    friend class RawServer;
    Peer(RawServer& server, int descriptor, std::size_t number);

    RawServer& server_;
    int descriptor_;
    std::size_t number_;
    std::string pending_;
  };
  using Script = std::function<void(Peer&)>;

  explicit RawServer(Script script);
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  /// Hangs up on everyone.
  ~RawServer();

  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view path = "/", std::string_view scheme = "http") const;
  /// How many connections were accepted.
  std::size_t connections() const;
  /// The requests, as received, over all connections.
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
  std::thread acceptor_;
};

/// A complete answer with that body; `fields` are whole lines.
std::string answer(std::string_view body, std::string_view fields = "", std::string_view status = "200 OK");

/// A script that answers every request with the same bytes.
RawServer::Script always(std::string bytes);

/// A listening socket that lets nobody in: its queue is full.
class BlackHole {
 public:
  BlackHole();
  BlackHole(const BlackHole&) = delete;
  BlackHole& operator=(const BlackHole&) = delete;
  ~BlackHole();
  std::string url(std::string_view scheme = "http") const;

 private:
  std::uint16_t port_ = 0;
  int listener_;
  std::vector<int> fillers_;
};

}  // namespace noun_test
