#pragma once
/// @file
/// The owner of a file descriptor, and all bytes to a file.

#include <cerrno>
#include <string_view>
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

/// Writes all bytes to an open file. Returns false after an error, which is in errno.
inline bool write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const auto count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}}  // namespace noun
