#pragma once
/// @file
/// The owners of file and socket descriptors. A socket of Windows has its handle as descriptor, which fits into an int.

#include <utility>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

NOUN_API void close_file(int descriptor) noexcept;
NOUN_API void close_socket(int descriptor) noexcept;

/// A descriptor, or none. The destructor closes it.
template <void (*close)(int) noexcept>
class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  explicit OwnedDescriptor(int number) noexcept : number_(number) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~OwnedDescriptor() {
    if (number_ >= 0) close(number_);
  }

  explicit operator bool() const noexcept { return number_ >= 0; }
  /// The descriptor; -1 if there is none.
  int operator*() const noexcept { return number_; }
  /// The descriptor, which the caller closes.
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

using Descriptor = OwnedDescriptor<&close_file>;
using SocketDescriptor = OwnedDescriptor<&close_socket>;

}}  // namespace noun
