#pragma once
/// @file
/// Runs a part of a test in a child process.

#include <functional>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#else
#include <stdexcept>
#endif

namespace noun_test {

/// Runs `work` in a child of fork(). Returns its result, or -1 if the child died or hung. Throws where there is no fork().
inline int in_child([[maybe_unused]] const std::function<int()>& work) {
#ifdef _WIN32
  throw std::runtime_error("this system has no fork()");
#else
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#endif
}

}  // namespace noun_test
