// The sample server's connections: raw bytes, concurrent clients, clients that disconnect, and stopping.
#include <arpa/inet.h>
#include <dirent.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "atlas/atlas_client.hpp"
#include "atlas_service.hpp"

namespace atlas_test { namespace atlas_connections_test {

using namespace std::chrono_literals;
using atlas::Options;
using atlas::Service;

std::size_t open_descriptors() {
  std::size_t count = 0;
  auto* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

TEST(AtlasConnections, pipelined_requests_get_responses_in_order) {
  const Service service;
  const auto [responses, ending] = stream_of(service,
                                             "GET /scripts/Latn HTTP/1.1\r\nHost: x\r\n\r\n"
                                             "GET /scripts/Cyrl HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_LT(responses.find("\"Latn\""), responses.find("\"Cyrl\""));
  EXPECT_NE(responses.find("\"Cyrl\""), std::string::npos);
  EXPECT_EQ(ending, 0);
}

TEST(AtlasConnections, a_client_that_expects_100_continue_receives_it_before_it_sends_the_body) {
  const Service service;
  Wire wire(service);
  wire.send("PUT /scripts/Zzz1 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(wire.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  wire.send("{}");
  EXPECT_TRUE(wire.receive_until("\r\n\r\n").starts_with("HTTP/1.1 201 Created"));
}

TEST(AtlasConnections, a_write_without_a_length_has_an_empty_body) {
  const Service service;
  Wire wire(service);
  wire.send("PUT /scripts/Latn HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(wire.receive_until("\r\n\r\n").starts_with("HTTP/1.1 400 Bad Request"));
  // Otherwise the server would have waited for more bytes, and dropped the request.
  EXPECT_EQ(service.stats().requests, 1U);
}

TEST(AtlasConnections, bytes_that_are_not_http_get_one_400_and_the_connection_is_closed) {
  const Service service;
  const auto [response, ending] = stream_of(service, "GARBAGE\r\nHost: x\r\nMore: y\r\n\r\n");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 400 Bad Request"));
  EXPECT_EQ(response.find("HTTP/1.1", 1), std::string::npos);
  for (const auto* part : {"application/problem+json", "Date: ", "Connection: close"})
    EXPECT_NE(response.find(part), std::string::npos) << part;
  EXPECT_EQ(ending, 0);
}

TEST(AtlasConnections, the_body_of_a_get_is_not_parsed_as_a_request) {
  const Service service;
  const std::string body = "DELETE /languages/deu HTTP/1.1\r\n\r\n";
  const auto response =
      stream_of(service, "GET /scripts/Latn HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + body)
          .text;
  EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK"));
  EXPECT_EQ(response.find("HTTP/1.1", 1), std::string::npos);
  EXPECT_EQ(service.stats().applied_writes, 0U);
}

TEST(AtlasConnections, a_body_of_more_than_a_mebibyte_is_rejected) {
  const Service service;
  EXPECT_EQ(Client(service).send("POST", "/scripts", std::string((1 << 20) + 1, ' ')).status, 413);
}

TEST(AtlasConnections, the_server_survives_clients_that_disconnect_within_a_request) {
  const Service service;
  for (const auto* text : {"GET /lang", "POST /scripts HTTP/1.1\r\nContent-Length: 9\r\n\r\n{", "\r\n", ""})
    Wire(service).send(text);
  EXPECT_EQ(Client(service).get("/scripts").status, 200);
  EXPECT_EQ(service.stats().applied_writes, 0U);
}

TEST(AtlasConnections, stop_does_not_wait_for_idle_connections_or_latency) {
  Service service({.latency = 1h});
  const Wire idle(service);
  // Several, so that the first ones are certain to wait when the last one is applied.
  std::vector<std::unique_ptr<Wire>> waiting;
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  for (std::uint64_t i = 1; i <= 8; ++i) {
    waiting.push_back(std::make_unique<Wire>(service));
    waiting.back()->send("PUT /scripts/T" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
    while (service.stats().applied_writes < i && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  }
  const auto start = std::chrono::steady_clock::now();
  service.stop();
  service.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  EXPECT_EQ(service.stats().applied_writes, 8U);
  EXPECT_FALSE(Client(service).get("/scripts"));
}

TEST(AtlasConnections, a_stopped_server_leaks_no_descriptor) {
  const auto before = open_descriptors();
  {
    const Service service({.drop = 0.5});
    for (int i = 0; i < 20; ++i) Client(service).get("/scripts");
  }
  EXPECT_EQ(open_descriptors(), before);
}

/// The listen backlog of a port; 0 if nothing listens on it.
unsigned backlog_of(std::uint16_t port) {
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    tcp_info info{};
    socklen_t info_length = sizeof info;
    if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0) continue;
    if (ntohs(address.sin_port) != port) continue;
    if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &info_length) != 0) continue;
    if (info.tcpi_state == TCP_LISTEN) return info.tcpi_sacked;
  }
  return 0;
}

TEST(AtlasConnections, a_burst_of_connections_does_not_overflow_the_backlog) {
  const Service service;
  EXPECT_GE(backlog_of(service.port()), 64U);
}

TEST(AtlasConnections, concurrent_clients_are_all_served_and_counted) {
  const Service service;
  std::vector<std::thread> threads;
  std::atomic<int> served = 0;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&, i] {
      Client client(service);
      const auto path = "/scripts/T" + std::to_string(i);
      served += client.send("PUT", path, "{}").status == 201;
      served += client.get(path).status == 200;
      served += client.remove(path).status == 204;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(served, 96);
  EXPECT_EQ(service.stats().requests, 96U);
  EXPECT_EQ(service.stats().applied_writes, 64U);
}

TEST(AtlasConnections, a_port_in_use_and_missing_data_are_clear_errors) {
  const Service service;
  const auto error_of = [](const Options& options) -> std::string {
    try {
      const Service second(options);
      return "started";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  EXPECT_TRUE(error_of({.port = service.port()}).starts_with("cannot listen on 127.0.0.1 port "));
  EXPECT_TRUE(error_of({.address = "nowhere"}).starts_with("cannot listen on nowhere port 0"));
  EXPECT_TRUE(error_of({.data = "/nowhere"}).starts_with("cannot read /nowhere/iso_639-3.json"));
  EXPECT_EQ(error_of({.drop = 2.0}), "drop must be between 0 and 1, not 2");
}

TEST(AtlasConnections, two_servers_share_nothing) {
  const Service first;
  const Service second;
  EXPECT_EQ(Client(first).remove("/languages/deu").status, 204);
  EXPECT_EQ(Client(second).get("/languages/deu").status, 200);
}

}  // namespace atlas_connections_test
}  // namespace atlas_test
