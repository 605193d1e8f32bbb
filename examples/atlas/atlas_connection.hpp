// An accepted socket as the stream from which httplib reads requests and to which it writes responses.
//
// httplib's own stream sleeps in steps of a millisecond between requests, and sends head and body
// separately. This one waits in poll() and sends each response at once. It can also close the
// connection without a response, or with a part of one.
#pragma once

#include <httplib.h>

#include <chrono>
#include <string>

namespace atlas {

class Connection final : public httplib::Stream {
 public:
  /// How the connection is closed.
  enum class Ending {
    orderly,  ///< after the response is sent and the peer had up to 1 s to read it
    reset,    ///< without sending anything; the peer sees a reset (RST)
    silent,   ///< without sending anything; the peer sees the end of the stream (FIN)
    cut,      ///< after the head and half of the body, or half of the head if there is no body; with FIN
  };

  /// Owns the socket; the destructor closes it.
  explicit Connection(socket_t socket) : socket_(socket) {}
  ~Connection() override;

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Waits for the first byte of a request. False if none is received in time, or if the socket is shut down.
  bool wait_for_request(std::chrono::milliseconds patience);

  /// Sends what was written since the last flush. False if the peer has disconnected.
  bool flush();

  /// Discards further output, except what `ending` sends on close.
  void abandon(Ending ending) { ending_ = ending; }

  /// Whether the connection will be closed without a complete response.
  bool is_abandoned() const { return ending_ != Ending::orderly; }

  /// Prepares the socket for closing as abandon() specified. Waits at most a second for the peer.
  void prepare_close();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* data, std::size_t size) override;
  ssize_t write(const char* data, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  bool fill();
  void drain_input();

  socket_t socket_;
  std::string incoming_;
  std::size_t consumed_ = 0;
  std::string outgoing_;
  Ending ending_ = Ending::orderly;
};

}  // namespace atlas
