// An HTTP/1.1 server for samples: one function responds to every request, with its target as sent. It can delay a
// response, cut it, or close the connection instead.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "atlas_clock.hpp"
#include "atlas_response.hpp"

namespace atlas {

/// A complete request, as received.
struct ReceivedRequest {
  std::string method;
  std::string target;  ///< percent-encoded
  Fields fields;
  std::string body;

  /// The value of the first field with the name, in any case of letters; empty if there is none.
  std::string_view field(std::string_view name) const;
};

/// What is done with a request.
struct Reply {
  enum class Ending {
    keep,    ///< the connection stays open if the client wants it
    reset,   ///< closed without sending anything; the peer sees a reset (RST)
    silent,  ///< closed without sending anything; the peer sees the end of the stream (FIN)
    cut,     ///< closed after the head and half of the body, or half of the head if there is no body; with FIN
  };
  Response response = {};
  Ending ending = Ending::keep;
  std::chrono::milliseconds delay{0};  ///< before the first byte is sent
};

/// Serves from serve() to stop(), on a thread of its own.
class Server {
 public:
  /// Runs on the server's thread, one request at a time; an exception from it is a response with status 500.
  using Handler = std::function<Reply(const ReceivedRequest&)>;

  /// Listens on `port`, or on any free port for 0. Throws std::runtime_error on failure.
  /// @param clock  for the Date of responses to which the handler did not add one.
  Server(const std::string& address, std::uint16_t port, WallClock clock);
  ~Server();

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void serve(Handler handler);

  /// Closes all connections at once and joins the thread. A second call does nothing.
  void stop();

  std::uint16_t port() const;

  /// Accepted so far, also after stop(). Thread-safe.
  std::uint64_t connections() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace atlas
