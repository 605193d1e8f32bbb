#pragma once
/// @file
/// An origin as an option: where next links may also lead.

#include <concepts>
#include <string>

#include <noun/text.hpp>

namespace noun::inline v0 {

/// Scheme, host and port of a service, as in `https://mirror.example.com`; checked when the client is made.
class Origin {
 public:
  template <class T>
    requires std::convertible_to<const T&, Text>
  Origin(const T& url) : url_(Text(url).view()) {}

  const std::string& url() const noexcept { return url_; }

 private:
  std::string url_;
};

}  // namespace noun::inline v0
