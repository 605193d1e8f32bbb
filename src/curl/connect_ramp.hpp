#pragma once
/// @file
/// How many attempts look for a connection at once. If all did, each would have its name resolved on a thread of its
/// own, and on HTTP/2 each would open a connection before the first shows that one is enough.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <noun/time.hpp>

#include "curl/curl_persistence.hpp"
#include "curl/spread.hpp"

namespace noun { inline namespace v0 {

/// Decides which attempts may start. The first to an origin starts alone. When one has opened a connection, all start,
/// until libcurl forgets the address (60 s); from then on sixteen at once, until one opens a connection again. Where
/// attempts share connections, four at once: those that need no new one are done at once. When one fails, or none
/// succeeds for a second, twice as many start.
class ConnectRamp {
 public:
  using Id = std::uint64_t;

  /// What is known of one origin, and the attempts to it; for the functions below.
  class Origin {
   public:
    curl::Persistence persistence = {};
    curl::Spread spread = {};
    /// As the last connection that was opened says.
    curl::Spread::Use use() const noexcept { return shares ? curl::Spread::Use::shared : curl::Spread::Use::alone; }

   private:
    friend class ConnectRamp;
    bool shares = false;
    Instant known_until = Instant::min();
    std::size_t most = 1;
    std::size_t started = 0;
    Instant grown = Instant::min();
    std::deque<Id> waiting = {};
  };

  /// The origin of this name; the reference is valid until forget_unused() finds it unused. Throws std::bad_alloc.
  Origin& origin(std::string_view name);
  /// Whether the attempt may start now; if not, next() returns it later. Throws std::bad_alloc.
  bool start(Origin& origin, Id id, Instant now);
  /// How an attempt got its connection.
  enum class Connection { kept, opened, opened_to_share };
  /// An attempt that started has a connection.
  void connected(Origin& origin, Connection connection, Instant now) noexcept;
  /// An attempt that started ended without a connection.
  void failed(Origin& origin) noexcept;
  /// Removes and returns an attempt that may start now. If it still wants to, call started() before next() again.
  std::optional<Id> next(Instant now) noexcept;
  /// Records that an attempt from next() starts.
  void started(Origin& origin) noexcept { ++origin.started; }
  /// Whether this multi handle has an idle connection to any origin.
  bool has_idle(std::size_t handle) const noexcept;
  /// When to call next() at the latest.
  Instant next_at() const noexcept;
  /// Forgets the origins without attempts and connections of which nothing is known that is still true.
  void forget_unused(Instant now) noexcept;
  bool is_empty() const noexcept { return origins_.empty(); }

 private:
  static bool may_start(Origin& origin, Instant now) noexcept;

  std::map<std::string, Origin, std::less<>> origins_;
  /// Those with attempts that wait.
  std::list<Origin*> waiting_;
};

}}  // namespace noun
