// One accepted socket as the stream that httplib reads requests from and writes answers to.
//
// httplib's own stream sleeps in steps of a millisecond between requests and sends head and body
// apart; this one waits in poll and sends each answer in one piece. It is also the place where a
// connection can be left without an answer, or with half of one.
#pragma once

#include <httplib.h>

#include <chrono>
#include <string>

namespace atlas {

class Connection final : public httplib::Stream {
 public:
  /// How the connection ends when it is closed.
  enum class Ending {
    orderly,  ///< what was answered is sent, and the peer is given a moment to read it
    reset,    ///< nothing is sent; the peer sees a reset (RST)
    silent,   ///< nothing is sent; the peer sees the end of the stream (FIN)
    cut,      ///< the head and half of the body are sent, without a body half of the head; then as silent
  };

  /// Takes over the socket; the destructor closes it.
  explicit Connection(socket_t socket) : socket_(socket) {}
  ~Connection() override;

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Waits for the first byte of a request; false when none came in time or the socket was shut down.
  bool wait_for_request(std::chrono::milliseconds patience);

  /// Sends what was written since the last time; false when the peer is gone.
  bool flush();

  /// From now on nothing more is sent than the given way of closing the connection says.
  void abandon(Ending ending) { ending_ = ending; }

  /// Whether the connection is to be closed without a whole answer.
  bool is_abandoned() const { return ending_ != Ending::orderly; }

  /// Makes the socket ready to be closed in the way it is to end; waits at most a second for the peer.
  void wind_up();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* data, std::size_t size) override;
  ssize_t write(const char* data, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  bool fill();
  void let_peer_read();

  socket_t socket_;
  std::string incoming_;
  std::size_t consumed_ = 0;
  std::string outgoing_;
  Ending ending_ = Ending::orderly;
};

}  // namespace atlas
