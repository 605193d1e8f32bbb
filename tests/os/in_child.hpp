#pragma once
/// @file
/// Runs a part of a test in a child process.

#include <functional>

#include <sys/wait.h>
#include <unistd.h>

namespace noun_test {

/// Runs `work` in a child of fork(). Returns its result, or -1 if the child died or hung.
inline int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace noun_test
