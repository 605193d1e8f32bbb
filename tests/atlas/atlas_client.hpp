#pragma once
/// @file
/// Clients of the sample server: one that keeps its connection, and a raw socket.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>

#include <curl/curl.h>
#include <gtest/gtest.h>

#include "atlas_response.hpp"
#include "atlas_service.hpp"

namespace atlas_test {

/// A response, or nothing with status 0.
struct Answer {
  int status = 0;
  std::string body = {};
  atlas::Fields fields = {};

  explicit operator bool() const { return status != 0; }
  /// The value as sent; empty if there is no such field.
  std::string field(const std::string& name) const {
    for (const auto& [own, value] : fields)
      if (own == name) return value;
    return {};
  }
};

class Client {
 public:
  explicit Client(const atlas::Service& service)
      : origin_("http://127.0.0.1:" + std::to_string(service.port())), handle_(curl_easy_init(), curl_easy_cleanup) {}

  Answer get(const std::string& path, const atlas::Fields& fields = {}) const { return send("GET", path, {}, fields); }
  Answer head(const std::string& path) const { return send("HEAD", path); }
  Answer remove(const std::string& path, const atlas::Fields& fields = {}) const {
    return send("DELETE", path, {}, fields);
  }
  Answer send(const std::string& method, const std::string& path, const std::optional<std::string>& body = {},
              const atlas::Fields& fields = {}) const {
    curl_easy_reset(handle_.get());
    Answer answer;
    set(CURLOPT_URL, (origin_ + path).c_str());
    if (method == "HEAD")
      set(CURLOPT_NOBODY, 1L);
    else if (method != "GET")
      set(CURLOPT_CUSTOMREQUEST, method.c_str());
    if (body) {
      set(CURLOPT_POSTFIELDSIZE, static_cast<long>(body->size()));
      set(CURLOPT_POSTFIELDS, body->data());
    }
    curl_slist* lines = nullptr;
    for (const auto& [name, value] : fields) lines = curl_slist_append(lines, (name + ": " + value).c_str());
    set(CURLOPT_HTTPHEADER, lines);
    set(CURLOPT_WRITEFUNCTION, append);
    set(CURLOPT_WRITEDATA, &answer.body);
    set(CURLOPT_NOSIGNAL, 1L);
    if (curl_easy_perform(handle_.get()) == CURLE_OK) {
      long status = 0;
      curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
      answer.status = static_cast<int>(status);
      for (curl_header* field = nullptr;
           (field = curl_easy_nextheader(handle_.get(), CURLH_HEADER, -1, field)) != nullptr;)
        answer.fields.emplace_back(field->name, field->value);
    }
    curl_slist_free_all(lines);
    return answer;
  }

 private:
  template <class T>
  void set(CURLoption option, T value) const {
    curl_easy_setopt(handle_.get(), option, value);
  }
  static std::size_t append(const char* data, std::size_t size, std::size_t count, std::string* body) {
    body->append(data, size * count);
    return size * count;
  }

  std::string origin_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle_;
};

/// All that was received on a connection, and how it ended: 0 (end of stream) or an errno.
struct Stream {
  std::string text = {};
  int ending = 0;

  friend bool operator==(const Stream&, const Stream&) = default;
};

/// A raw connection, for bytes that a correct client does not send or hides.
class Wire {
 public:
  explicit Wire(const atlas::Service& service) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(service.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Wire() { ::close(socket_); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  void send(const std::string& text) { ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }

  Stream receive_all() {
    Stream all;
    char buffer[4096];
    while (true) {
      const auto count = ::recv(socket_, buffer, sizeof buffer, 0);
      all.ending = count < 0 ? errno : 0;
      if (count <= 0) return all;
      all.text.append(buffer, static_cast<std::size_t>(count));
    }
  }

  std::string receive_until(const std::string& mark) {
    std::string all;
    char byte = 0;
    while (!all.ends_with(mark) && ::recv(socket_, &byte, 1, 0) == 1) all += byte;
    return all;
  }

 private:
  int socket_;
};

inline Stream stream_of(const atlas::Service& service, const std::string& request) {
  Wire wire(service);
  wire.send(request);
  return wire.receive_all();
}

}  // namespace atlas_test
