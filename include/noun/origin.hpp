#pragma once
/// @file
/// An origin as an option: where next links may also lead.

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace noun::inline v0 {

/// Scheme, host and port of a service, as in `https://mirror.example.com`; checked when the client is made.
class Origin {
 public:
  template <class T>
    requires std::convertible_to<T, std::string_view>
  Origin(const T& url) : url_(std::string_view(url)) {}

  const std::string& url() const noexcept { return url_; }

 private:
  std::string url_;
};

}  // namespace noun::inline v0
