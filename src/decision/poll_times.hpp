#pragma once
/// @file
/// When a URL may be requested again, where a server reports an interval for those who poll it.

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// When the URLs of a client may be requested again by GET, as their responses report: at most 256 URLs. Safe to use
/// from many threads.
class PollTimes {
 public:
  /// Returns when the URL may be requested: not after `now` if that is now. Then it may be again after its interval.
  Instant claim(std::string_view url, Instant now);
  /// A response to the URL reports the interval.
  void record(std::string_view url, Instant now, Duration interval);

 private:
  struct Poll {
    Instant next;
    Duration interval;
  };

  std::mutex mutex_;
  std::map<std::string, Poll, std::less<>> polls_;
};

}}  // namespace noun
