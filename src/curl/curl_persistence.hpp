#pragma once
/// @file
/// Whether the connections of one origin last beyond one response. Some servers close each of them without announcing
/// it (`Connection: close`). A request that is sent at that moment is lost, and a POST must not be sent again.

#include <chrono>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace curl {

/// Learned from the connections of one origin.
class Persistence {
 public:
  /// A connection served another request after the first.
  void lasted() noexcept { ended_in_a_row_ = 0; }
  /// The server ended a connection after the first request that it served.
  /// @param idle  how long it was idle before; a second or more may be the server's limit of idle time.
  void ended(Duration idle, Instant now) noexcept {
    constexpr int enough = 2;
    if (idle >= std::chrono::seconds(1)) return;
    remembered_until_ = after(now, std::chrono::minutes(1));
    if (++ended_in_a_row_ < enough) return;
    ended_in_a_row_ = 0;
    doubted_until_ = remembered_until_;
  }
  /// Whether to keep a connection for another request. After two that ended it is not, for a minute.
  bool is_expected(Instant now) const noexcept { return now >= doubted_until_; }
  /// Whether nothing was learned in the last minute.
  bool is_forgettable(Instant now) const noexcept { return now >= remembered_until_; }

 private:
  int ended_in_a_row_ = 0;
  Instant doubted_until_ = Instant::min();
  Instant remembered_until_ = Instant::min();
};

}}}  // namespace noun::curl
