#pragma once
/// @file
/// An origin as an option: where next links may lead besides the client's own origin.

#include <concepts>
#include <string>

#include <noun/text.hpp>

namespace noun { inline namespace v0 {

/// Scheme, host and port, as in `https://mirror.example.com`; checked when the client is made.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class Origin {
 public:
  /// From text, unchecked.
  template <class T>
    requires std::convertible_to<const T&, Text>
  Origin(const T& url) : url_(Text(url).view()) {}

  /// The text as given.
  const std::string& url() const noexcept { return url_; }

 private:
  std::string url_;
};

}}  // namespace noun
