// Sockets by their descriptors, connections to this machine, and sleeps that another thread ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>

#include "curl/raw_server.hpp"
#include "joining_thread.hpp"
#include "os/interrupt.hpp"
#include "os/sockets.hpp"
#include "os/steady_now.hpp"
#include "os/stream_socket.hpp"

namespace noun_test { namespace sockets_test {

using namespace noun;
using namespace std::chrono_literals;
using ::testing::Optional;

constexpr auto patient = 60s;

struct SocketsTest : ::testing::Test {
  SocketsTest() { EXPECT_FALSE(socket.connect("127.0.0.1", server.port(), steady_now() + patient)); }
  std::string receive() {
    std::string bytes(100, '\0');
    EXPECT_TRUE(socket.wait_to_receive(steady_now() + patient));
    bytes.resize(socket.receive(bytes, fault).value_or(0));
    return bytes;
  }

  Gate ends;
  RawServer server{[this](RawServer::Peer& peer) {
    peer.send("hello");
    ends.wait();
  }};
  StreamSocket socket;
  std::error_code fault;
};

TEST_F(SocketsTest, bytes_and_their_end_are_told_apart) {
  EXPECT_TRUE(socket.wait_to_receive(steady_now() + patient));
  EXPECT_EQ(incoming(socket.descriptor()), Incoming::bytes);
  EXPECT_TRUE(is_readable(socket.descriptor()));
  EXPECT_EQ(receive(), "hello");
  EXPECT_EQ(incoming(socket.descriptor()), Incoming::nothing);
  EXPECT_FALSE(is_readable(socket.descriptor()));
  std::string none(1, '\0');
  EXPECT_EQ(socket.receive(none, fault), std::nullopt) << "it must wait before";
  EXPECT_FALSE(fault) << fault.message();
  EXPECT_TRUE(socket.is_open());
  ends.open();
  EXPECT_EQ(receive(), "");
  EXPECT_EQ(incoming(socket.descriptor()), Incoming::end);
  EXPECT_FALSE(socket.is_open());
}

TEST_F(SocketsTest, has_the_ends_of_the_connection) {
  const auto remote = remote_end(socket.descriptor());
  EXPECT_STREQ(remote.address.data(), "127.0.0.1");
  EXPECT_EQ(remote.port, server.port());
  EXPECT_STREQ(local_end(socket.descriptor()).address.data(), "127.0.0.1");
  EXPECT_GT(local_end(socket.descriptor()).port, 0);
  ends.open();
}

TEST_F(SocketsTest, nothing_is_left_of_one_that_is_shut_down) {
  EXPECT_TRUE(socket.wait_to_receive(steady_now() + patient));
  shut_down(socket.descriptor());
  std::string rest(1, '\0');
  EXPECT_EQ(socket.receive(rest, fault).value_or(0), 0U);
  ends.open();
}

TEST_F(SocketsTest, an_interrupt_ends_a_sleep) {
  Interrupt interrupt;
  const JoiningThread other([&] { interrupt.raise(); });
  while (!interrupt.take()) EXPECT_TRUE(interrupt.sleep(-1, steady_now() + patient));
  EXPECT_FALSE(interrupt.is_raised());
  ends.open();
}

TEST_F(SocketsTest, a_readable_socket_ends_a_sleep_and_time_does) {
  Interrupt interrupt;
  while (!is_readable(socket.descriptor())) EXPECT_TRUE(interrupt.sleep(socket.descriptor(), steady_now() + patient));
  EXPECT_FALSE(interrupt.sleep(-1, steady_now()));
  ends.open();
}

TEST(StreamSocket, says_why_it_is_not_connected) {
  StreamSocket socket;
  const auto unknown = socket.connect("no such host.invalid", 80, steady_now() + patient);
  ASSERT_TRUE(unknown);
  EXPECT_TRUE(unknown->is_of_host);
  EXPECT_NE(unknown->why, "");
  const BlackHole hole;
  const auto late = socket.connect("127.0.0.1", hole.port(), steady_now() + 10ms);
  ASSERT_TRUE(late);
  EXPECT_FALSE(late->is_of_host);
  EXPECT_NE(late->why, "");
  EXPECT_FALSE(socket.is_open());
}

TEST(StreamSocket, an_address_is_read) {
  EXPECT_EQ(read_ip_address("127.0.0.1").value().size, 4U);
  EXPECT_EQ(read_ip_address("::1").value().bytes[15], 1U);
  EXPECT_FALSE(read_ip_address("localhost"));
  EXPECT_FALSE(read_ip_address("[::1]"));
}

}}  // namespace noun_test::sockets_test
