// Ctrl-C as a stop token, in processes of their own.
#include <noun/signals.hpp>
#include <noun/stop.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <initializer_list>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "sanitized.hpp"

namespace noun_test { namespace signals_test {

/// A child that says when it is ready, and may be sent signals.
class Child {
 public:
  explicit Child(const std::function<int(int ready)>& work) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
      ::alarm(60);
      // A shell starts its background jobs with SIGINT ignored.
      ::signal(SIGINT, SIG_DFL);
      ::close(ends[0]);
      ::_exit(work(ends[1]));
    }
    ::close(ends[1]);
    ready_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { ::close(ready_); }

  /// Waits until the child has written a byte.
  bool ready() const {
    char byte = 0;
    return ::read(ready_, &byte, 1) == 1;
  }
  void send(int signal) const { ::kill(process_, signal); }
  /// The status with which it ends, or minus the signal.
  int wait() const {
    int status = 0;
    ::waitpid(process_, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t process_ = -1;
  int ready_ = -1;
};

void say(int ready) { EXPECT_EQ(::write(ready, "", 1), 1); }
void wait_for(const noun::StopToken& stop) {
  while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Ends with 7 at the first signal.
int stops_with_7(int ready) {
  const auto stop = noun::stop_on_signals();
  if (!stop.stop_possible() || stop != noun::stop_on_signals()) return 1;
  say(ready);
  wait_for(stop);
  return 7;
}

/// Goes on after the first signal.
int goes_on(int ready) {
  const auto stop = noun::stop_on_signals();
  say(ready);
  wait_for(stop);
  say(ready);
  for (;;) ::pause();
}

TEST(Signals, the_first_one_requests_a_stop) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Child child(stops_with_7);
    ASSERT_TRUE(child.ready());
    child.send(signal);
    EXPECT_EQ(child.wait(), 7);
  }
}

TEST(Signals, the_second_one_ends_the_process_whichever_it_is) {
  for (const int first : {SIGINT, SIGTERM})
    for (const int second : {SIGINT, SIGTERM}) {
      const Child child(goes_on);
      ASSERT_TRUE(child.ready());
      child.send(first);
      ASSERT_TRUE(child.ready());
      child.send(second);
      EXPECT_EQ(child.wait(), -second);
    }
}

TEST(Signals, that_are_ignored_stay_ignored) {
  const Child child([](int ready) {
    ::signal(SIGINT, SIG_IGN);
    const auto stop = noun::stop_on_signals();
    ::raise(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (stop.stop_requested()) return 1;
    say(ready);
    wait_for(stop);
    ::raise(SIGINT);
    return 7;
  });
  ASSERT_TRUE(child.ready());
  child.send(SIGTERM);
  EXPECT_EQ(child.wait(), 7);
}

TEST(Signals, of_a_child_of_the_process_do_not_stop_it) {
  if (noun_test::sanitized)
    GTEST_SKIP() << "the thread sanitizer holds back the signals of a child of a fork among threads";
  const Child child([](int ready) {
    const auto stop = noun::stop_on_signals();
    const Child grandchild([](int grandchild_ready) {
      say(grandchild_ready);
      for (;;) ::pause();
      return 0;
    });
    if (!grandchild.ready()) return 1;
    grandchild.send(SIGTERM);
    if (grandchild.wait() != -SIGTERM) return 2;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (stop.stop_requested()) return 3;
    say(ready);
    wait_for(stop);
    return 7;
  });
  ASSERT_TRUE(child.ready());
  child.send(SIGINT);
  EXPECT_EQ(child.wait(), 7);
}

TEST(Signals, that_a_program_waits_for_are_not_taken_by_the_thread_that_requests_the_stop) {
  const Child child([](int ready) {
    noun::stop_on_signals();
    sigset_t awaited;
    ::sigemptyset(&awaited);
    ::sigaddset(&awaited, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
    say(ready);
    int number = 0;
    return ::sigwait(&awaited, &number) == 0 && number == SIGUSR1 ? 7 : 1;
  });
  ASSERT_TRUE(child.ready());
  child.send(SIGUSR1);
  EXPECT_EQ(child.wait(), 7);
}

}}  // namespace noun_test::signals_test
