#pragma once
/// @file
/// Which process made an object. A child of fork() inherits objects whose threads it does not have and whose locks may
/// be locked; it makes its own.

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Remembers the process that constructed it. Costs no system call, unlike getpid(). Not for children of _Fork() or
/// clone(), which call no handlers.
class OwnProcess {
 public:
  OwnProcess() noexcept : forks_(forks()) {}
  /// Whether the caller is in that process.
  bool is_current() const noexcept { return forks_ == forks(); }

 private:
  /// How often this process, and those before it, were forked.
  NOUN_API static unsigned long forks() noexcept;

  unsigned long forks_;
};

}}  // namespace noun
