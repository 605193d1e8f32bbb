#pragma once

#include <thread>

namespace noun_test {

/// A thread that its destructor joins, as std::jthread does, which libc++ lacks before version 20.
struct JoiningThread : std::thread {
  using std::thread::thread;
  JoiningThread(JoiningThread&&) = default;
  JoiningThread& operator=(JoiningThread&&) = default;
  ~JoiningThread() {
    if (joinable()) join();
  }
};

}  // namespace noun_test
