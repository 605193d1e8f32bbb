#pragma once
/// @file
/// The owner of a file descriptor.

#include <utility>

#include <unistd.h>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// A file descriptor, or none. The destructor closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  explicit operator bool() const noexcept { return number_ >= 0; }
  /// The descriptor; -1 if there is none.
  int operator*() const noexcept { return number_; }

 private:
  int number_ = -1;
};

}}  // namespace noun
