#pragma once
/// @file
/// A descriptor that other threads make readable.

#include <noun/version.hpp>

#include "os/descriptor.hpp"

namespace noun { inline namespace v0 {

/// Becomes readable by raise(), until drain().
class NOUN_API Wakeup {
 public:
  /// Returns false if descriptors ran out.
  bool open() noexcept;
  /// The descriptor that becomes readable; -1 before open(), or if that failed.
  int descriptor() const noexcept { return *readable_; }
  void drain() const noexcept;
  /// What raise() takes; -1 as descriptor().
  int handle() const noexcept { return writable_ ? *writable_ : *readable_; }
  /// Makes the descriptor of the handle readable. Does nothing with -1.
  /// @threadsafety  safe, also in a signal handler.
  static void raise(int handle) noexcept;

 private:
  SocketDescriptor readable_;
  /// If it is another one.
  SocketDescriptor writable_;
};

}}  // namespace noun
