// What runs when the process ends.
#include "os/process_exit.hpp"
#include "os/steady_now.hpp"
#include "os/threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <future>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "curl/certificates.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "curl/tls_peer.hpp"
#include "loop/workers.hpp"
#include "os/in_child.hpp"
#include "sanitized.hpp"

namespace noun_test { namespace process_exit_test {

/// How a program ended, as waitpid() says.
int status_of(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  sigset_t usual;
  ::sigemptyset(&usual);
  ::sigaddset(&usual, SIGPIPE);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = -1;
  const int fault = ::posix_spawn(&process, arguments[0], nullptr, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (fault != 0) return -1;
  int status = -1;
  ::waitpid(process, &status, 0);
  return status;
}

/// The client may end while the server writes.
class IgnoredSigpipe {
 public:
  IgnoredSigpipe() : before_(::signal(SIGPIPE, SIG_IGN)) {}
  IgnoredSigpipe(const IgnoredSigpipe&) = delete;
  IgnoredSigpipe& operator=(const IgnoredSigpipe&) = delete;
  ~IgnoredSigpipe() { ::signal(SIGPIPE, before_); }

 private:
  const sighandler_t before_;
};

/// How many files there are of downloads that are not complete.
std::ptrdiff_t parts_in(const std::string& folder) {
  const std::filesystem::directory_iterator files(folder);
  return std::count_if(begin(files), end(files), [](const auto& file) { return file.path().extension() == ".part"; });
}

class ProcessExit : public ::testing::TestWithParam<const char*> {};

TEST_P(ProcessExit, stops_calls_before_openssl_ends) {
  const IgnoredSigpipe ignored;
  Certificates certificates;
  certificates.make("mine");
  RawServer server([&](RawServer::Peer& peer) {
    try {
      TlsPeer session(certificates, "mine", peer);
      while (!session.some().empty()) session.send(http_response("ok"));
    } catch (const std::exception&) {
      // The client ended during the handshake.
    }
  });
  constexpr int runs = 20;
  for (int i = 0; i < runs; ++i)
    ASSERT_EQ(status_of({NOUN_EXITING_CLIENT, GetParam(), server.url("", "https"), certificates.path("mine.pem"),
                         std::to_string(i + 1)}),
              0)
        << "run " << i;
  EXPECT_EQ(parts_in(certificates.path("")), 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, ProcessExit,
                         ::testing::Values("local", "static", "global", "idle", "leaked", "download", "blocking",
                                           "waiting", "waiting_late"),
                         [](const auto& way) { return std::string(way.param); });

TEST(ProcessExit, leaves_no_file_of_a_download_that_waits_for_its_next_attempt) {
  Certificates certificates;
  certificates.make("mine");
  const auto closed = [] { return RawServer(silence()).url(""); }();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(status_of({NOUN_EXITING_CLIENT, "backing_off", closed, certificates.path("mine.pem"), "8"}), 0);
  EXPECT_EQ(parts_in(certificates.path("")), 0);
}

class ExitWithin : public ::testing::TestWithParam<const char*> {};

TEST_P(ExitWithin, does_not_wait_for_itself) {
  const IgnoredSigpipe ignored;
  Certificates certificates;
  certificates.make("mine");
  std::string events;
  for (int i = 0; i < 10'000; ++i) events += "data: 1\n\n";
  RawServer server(repeats(std::string(ok) + "Content-Type: text/event-stream\r\n\r\n", events));
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(status_of({NOUN_EXITING_CLIENT, GetParam(), server.url(""), certificates.path("mine.pem"), "1"}), 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, ExitWithin, ::testing::Values("stream", "function"),
                         [](const auto& way) { return std::string(way.param); });

TEST(AttemptAtExit, is_waited_for_but_for_those_of_the_thread_that_ends_the_process) {
  if (noun_test::sanitized) GTEST_SKIP() << "the thread sanitizer permits no thread in a child of a fork among threads";
  EXPECT_EQ(in_child([] {
              static noun::Instant began;
              static std::atomic<bool> other_ended = false;
              // Runs after noun's handler.
              std::atexit([] {
                const bool in_time = noun::steady_now() - began < std::chrono::milliseconds(1500);
                ::_exit(!other_ended ? 1 : !in_time ? 2 : 0);
              });
              noun::stop_threads_at_exit();
              std::promise<void> ready;
              std::thread([&] {
                const noun::AttemptAtExit other;
                ready.set_value();
                while (!other.stop().stop_requested()) std::this_thread::yield();
                other_ended = true;
              }).detach();
              ready.get_future().wait();
              const noun::AttemptAtExit own;
              began = noun::steady_now();
              std::exit(3);
              return 4;
            }),
            0);
}

/// A thread that starts when it is too late.
class LateThread final : public noun::EndsAtExit {
 public:
  void stop_at_exit() noexcept override {}
  void join_at_exit(noun::Instant) noexcept override {}
  bool is_refused() {
    try {
      add_to_exit();
      return false;
    } catch (const std::system_error&) {
      return true;
    }
  }
};

TEST(EndsAtExit, nothing_stops_a_thread_after_the_handler_and_so_none_starts) {
  EXPECT_EQ(in_child([] {
              // Runs after noun's handler.
              std::atexit([] { ::_exit(LateThread().is_refused() ? 0 : 1); });
              noun::stop_threads_at_exit();
              std::exit(2);
              return 3;
            }),
            0);
}

TEST(ThreadWithoutSignals, receives_those_of_its_own_faults) {
  sigset_t blocked;
  noun::thread_without_signals([&] { ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked); }).join();
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
    EXPECT_EQ(::sigismember(&blocked, fault), 0) << fault;
  for (const int asked : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGCHLD, SIGPIPE, SIGUSR1})
    EXPECT_EQ(::sigismember(&blocked, asked), 1) << asked;
}

}}  // namespace noun_test::process_exit_test
