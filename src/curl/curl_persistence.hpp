#pragma once
/// @file
/// Whether the connections of one origin last beyond one response. Some servers close each of them without announcing
/// it (`Connection: close`). A request that is sent at that moment is lost, and a POST must not be sent again.

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

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

/// What was learned of the origins by their names, for as long as it is true.
class Persistences {
 public:
  /// @{
  /// As of the Persistence of the origin. ended() throws std::bad_alloc.
  void lasted(std::string_view origin) noexcept {
    if (const auto known = origins_.find(origin); known != origins_.end()) known->second.lasted();
  }
  void ended(const std::string& origin, Duration idle, Instant now) {
    std::erase_if(origins_, [&](const auto& one) { return one.second.is_forgettable(now); });
    origins_[origin].ended(idle, now);
  }
  bool is_expected(std::string_view origin, Instant now) const noexcept {
    const auto known = origins_.find(origin);
    return known == origins_.end() || known->second.is_expected(now);
  }
  /// @}
  /// Of how many origins something is known.
  std::size_t size() const noexcept { return origins_.size(); }

 private:
  std::map<std::string, Persistence, std::less<>> origins_;
};

}}}  // namespace noun::curl
