#pragma once
/// @file
/// All options of a handle that are set per call. Each is set or cleared here for every call, but only if it differs
/// from the handle's current value.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include <noun/transport.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// The request's header fields as a libcurl list, kept from call to call while they stay the same.
class HeaderLines {
 public:
  HeaderLines() = default;
  HeaderLines(const HeaderLines&) = delete;
  HeaderLines& operator=(const HeaderLines&) = delete;

  /// Sets the lines to `headers`, plus lines that keep libcurl from adding fields of its own.
  /// @param body  whether the request has a body.
  /// @returns     whether the lines changed. Throws std::bad_alloc.
  bool assign(const Headers& headers, bool body);
  curl_slist* list() noexcept { return nodes_.data(); }

 private:
  bool same(const Headers& headers, bool body) const noexcept;

  std::vector<std::string> lines_;
  std::vector<curl_slist> nodes_;
  std::size_t own_ = 0;
  bool body_ = false;
};

/// The per-call options of one handle.
class Options {
 public:
  /// From now on an http proxy receives the whole URL of requests that are not https.
  void use_proxy() noexcept { has_proxy_ = true; }
  /// Sets the handle's options for `attempt`, whose body must outlive the call.
  /// @returns  libcurl's result; after an error the handle must not be used again. Throws std::bad_alloc.
  CURLcode apply(CURL* easy, const Attempt& attempt);

 private:
  enum class Shape { none, bare, head, with_body };

  CURLcode apply_url(CURL* easy, std::string_view url);
  CURLcode apply_target(CURL* easy);
  CURLcode apply_version(CURL* easy);
  CURLcode apply_method(CURL* easy, const Attempt& attempt);
  CURLcode apply_times(CURL* easy, const Attempt& attempt);

  struct Free {
    void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
  };

  bool has_proxy_ = false;
  std::string url_;
  std::unique_ptr<CURLU, Free> parsed_url_;
  HeaderLines headers_;
  Shape shape_ = Shape::none;
  Method method_ = Method::get;
  const char* body_ = nullptr;
  curl_off_t body_size_ = 0;
  long version_ = CURL_HTTP_VERSION_NONE;
  long timeout_ms_ = -1;
  long connect_ms_ = -1;
  long idle_s_ = -1;
};

/// `span` in whole units, rounded up: at least one unit and at most a day.
template <class Unit>
long whole(Duration span) noexcept {
  const auto units = std::chrono::ceil<Unit>(std::clamp<Duration>(span, Duration(1), std::chrono::hours(24))).count();
  return static_cast<long>(units);
}

/// `span` as a timeout for poll(): at most an hour; rounded up, so that a loop does not spin just before the end.
inline int poll_time(Duration span) noexcept {
  using std::chrono::milliseconds;
  return static_cast<int>(std::chrono::ceil<milliseconds>(std::min<Duration>(span, std::chrono::hours(1))).count());
}

/// The longest poll while an attempt is connecting. libcurl 7.88 gives up an address in one run and tries the next one
/// in another, without a timer between them.
inline constexpr Duration connect_poll = std::chrono::milliseconds(50);

/// How long an attempt may go without a byte in either direction.
inline Duration stall_of(const Attempt& attempt) noexcept {
  return std::chrono::seconds(whole<std::chrono::seconds>(attempt.timeouts.stall));
}

}}}  // namespace noun::curl
