// The server of the examples about streams: a chat completion, word by word, and the changes of a database, with
// connections that break. Prints its address, and ends when its standard input does.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>

namespace {

constexpr int all_changes = 12;
constexpr int changes_before_a_break = 5;

/// One connection, which serves one request.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(socket_); }

  void serve() {
    const auto request = received();
    if (request.starts_with("POST /v1/chat/completions "))
      complete();
    else if (request.starts_with("GET /orders/_changes?"))
      send_changes(request);
    else
      send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  }

 private:
  /// The head of the request; its body makes no difference.
  std::string received() {
    std::string text;
    char piece[4096];
    while (text.find("\r\n\r\n") == std::string::npos) {
      const auto size = ::recv(socket_, piece, sizeof piece, 0);
      if (size <= 0) return {};
      text.append(piece, static_cast<std::size_t>(size));
    }
    return text;
  }
  bool send(std::string_view text) {
    while (!text.empty()) {
      const auto size = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (size <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
  }
  void begin(std::string_view type) {
    send(fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
                     type));
  }
  bool send_part(std::string_view part) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return send(fmt::format("{:x}\r\n{}\r\n", part.size(), part));
  }

  void complete() {
    begin("text/event-stream");
    for (const auto* word : {"A ", "resource ", "is ", "a ", "noun", "."})
      send_part(fmt::format("data: {{\"choices\": [{{\"index\": 0, \"delta\": {{\"content\": \"{}\"}}}}]}}\n\n", word));
    send_part("data: [DONE]\n\n");
    send("0\r\n\r\n");
  }

  void send_changes(const std::string& request) {
    constexpr std::string_view since = "since=";
    const int last = std::atoi(request.c_str() + request.find(since) + since.size());
    begin("application/json");
    for (int number = last + 1; number <= all_changes; ++number) {
      const auto change = fmt::format("{{\"seq\": \"{}-g1AAAA\", \"id\": \"order {}\"}}\n", number, number);
      if (number == last + changes_before_a_break) {
        send_part(change.substr(0, change.size() / 2));
        return;
      }
      send_part(change);
    }
    // Nothing has changed since.
    while (send_part("\n")) {
    }
  }

  int socket_;
};

int listen_on_loopback() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (socket < 0 || ::bind(socket, any, size) != 0 || ::listen(socket, 16) != 0 ||
      ::getsockname(socket, any, &size) != 0)
    return -1;
  fmt::print("listening on http://127.0.0.1:{}\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return socket;
}

}  // namespace

int main() {
  const int listening = listen_on_loopback();
  if (listening < 0) return std::perror("stream_server"), 1;
  std::thread([listening] {
    while (true)
      if (const int accepted = ::accept(listening, nullptr, nullptr); accepted >= 0)
        std::thread([accepted] { Connection(accepted).serve(); }).detach();
  }).detach();
  char ignored[64];
  while (::read(STDIN_FILENO, ignored, sizeof ignored) > 0) {
  }
  std::_Exit(0);
}
