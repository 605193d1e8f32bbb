#include "joining_thread.hpp"
#include "os/readiness.hpp"

#include <cerrno>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#if __has_include(<sys/epoll.h>)
#include <sys/epoll.h>
#endif
#include <sys/socket.h>
#include <unistd.h>

namespace noun_test { namespace readiness_test {

using noun::Duration;
using noun::Readiness;
using namespace noun::socket_events;
using namespace std::chrono_literals;

/// While it lives, this thread can have no more descriptors watched by epoll.
struct WatchLimit {
  WatchLimit() { reached = true; }
  WatchLimit(const WatchLimit&) = delete;
  WatchLimit& operator=(const WatchLimit&) = delete;
  ~WatchLimit() { reached = false; }

  static thread_local bool reached;
};
thread_local bool WatchLimit::reached = false;

/// Two connected sockets.
struct Pair {
  Pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  void write() const { EXPECT_EQ(::send(ends[1], "x", 1, 0), 1); }

  int ends[2] = {};
};

struct ReadinessTest : ::testing::Test {
  ReadinessTest() { EXPECT_TRUE(readiness.open()); }
  std::vector<int> ready() {
    std::vector<int> all;
    for (const auto& one : readiness.wait(0ms)) all.push_back(one.descriptor);
    return all;
  }
  using Sockets = std::vector<int>;

  Readiness readiness;
  Pair pair;
  const int socket = pair.ends[0];
};

TEST_F(ReadinessTest, reports_what_is_watched_for) {
  EXPECT_TRUE(readiness.watch(socket, readable));
  EXPECT_EQ(ready(), Sockets());
  pair.write();
  EXPECT_EQ(ready(), Sockets{socket});
  EXPECT_TRUE(readiness.watch(socket, writable));
  const auto all = readiness.wait(0ms);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].events, writable);
  readiness.forget(socket);
  EXPECT_EQ(ready(), Sockets());
}

TEST_F(ReadinessTest, reports_an_event_of_a_socket_at_rest) {
  EXPECT_TRUE(readiness.watch(socket, readable | writable));
  readiness.rest(socket);
  EXPECT_FALSE(readiness.is_watched(socket));
  EXPECT_EQ(ready(), Sockets()) << "only what arrives counts";
  pair.write();
  EXPECT_EQ(ready(), Sockets{socket});
}

TEST_F(ReadinessTest, a_descriptor_may_be_that_of_a_new_socket) {
  for (const bool renewed : {true, false}) {
    EXPECT_TRUE(readiness.watch(socket, readable));
    const Pair other;
    ASSERT_EQ(::dup2(other.ends[0], socket), socket) << "closes the socket";
    if (renewed)
      EXPECT_TRUE(readiness.renew(socket));
    else
      EXPECT_TRUE(readiness.watch(socket, readable | writable));
    other.write();
    EXPECT_EQ(ready(), Sockets{socket});
    readiness.forget(socket);
  }
}

/// As with a child of fork(), which keeps its copies open.
TEST_F(ReadinessTest, a_copy_of_a_closed_socket_is_not_reported) {
  EXPECT_TRUE(readiness.watch(socket, readable));
  const int copy = ::dup(socket);
  const Pair other;
  ASSERT_EQ(::dup2(other.ends[0], socket), socket) << "closes the socket";
  readiness.forget(socket);
  pair.write();
  EXPECT_EQ(ready(), Sockets());
  EXPECT_TRUE(readiness.watch(socket, readable));
  EXPECT_EQ(ready(), Sockets()) << "the closed one is ready";
  other.write();
  EXPECT_EQ(ready(), Sockets{socket});
  ::close(copy);
}

TEST_F(ReadinessTest, watches_again_when_it_may) {
  const Pair other;
  const Pair closed;
  EXPECT_TRUE(readiness.watch(other.ends[0], readable));
  EXPECT_TRUE(readiness.watch(closed.ends[0], readable));
  const int copy = ::dup(closed.ends[0]);
  ASSERT_EQ(::dup2(socket, closed.ends[0]), closed.ends[0]);
  readiness.forget(closed.ends[0]);
  closed.write();
  EXPECT_EQ(ready(), Sockets()) << "that of the copy, for which all are registered again";
  {
    const WatchLimit limit;
    EXPECT_EQ(ready(), Sockets());
  }
  other.write();
  EXPECT_EQ(ready(), Sockets{other.ends[0]});
  ::close(copy);
}

TEST_F(ReadinessTest, reports_the_end_of_a_socket_at_rest) {
  readiness.watch(socket, readable);
  readiness.rest(socket);
  pair.write();
  readiness.await_end(socket);
  EXPECT_EQ(ready(), Sockets());
  ASSERT_EQ(::shutdown(pair.ends[1], SHUT_WR), 0);
  EXPECT_EQ(ready(), Sockets{socket});
}

TEST_F(ReadinessTest, is_woken_before_and_while_it_waits) {
  readiness.wake();
  readiness.wake();
  EXPECT_TRUE(readiness.wait(Duration::max()).empty());
  EXPECT_TRUE(readiness.take_wake());
  EXPECT_FALSE(readiness.take_wake());
  const JoiningThread waker([this] { readiness.wake(); });
  while (!readiness.take_wake()) EXPECT_TRUE(readiness.wait(Duration::max()).empty());
}

}  // namespace readiness_test
}  // namespace noun_test

#if __has_include(<sys/epoll.h>)
// In front of the function of the C library.
extern "C" int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  using Function = int (*)(int, int, int, epoll_event*);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "epoll_ctl"));
  if (noun_test::readiness_test::WatchLimit::reached && operation == EPOLL_CTL_ADD) {
    errno = ENOSPC;
    return -1;
  }
  return real(epoll, operation, descriptor, event);
}
#endif
