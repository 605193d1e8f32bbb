#pragma once
// A collection that is drained in many legs. Each has a client and a listing of its own, begins at the bookmark of the
// leg before it, and is broken off at a random place or by an error.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <random>
#include <string>

#include <nlohmann/json.hpp>
#include <noun/noun.hpp>

#include "roll_call.hpp"

namespace soak {

struct Language {
  std::string alpha_3;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Language, alpha_3, name)

struct DrainOptions {
  std::string base_url;
  std::size_t items = 0;  ///< how many there are
  std::size_t page_size = 100;
  std::size_t prefetch = 0;
  std::size_t interruptions = 0;
  std::chrono::seconds patience{120};  ///< the program is ended when nothing comes for so long
  unsigned seed = 1;
};

/// What the clients of all legs met.
struct Encounters {
  std::atomic<std::size_t> requests = 0;
  std::atomic<std::size_t> rejected = 0;     ///< answered 429
  std::atomic<std::size_t> unavailable = 0;  ///< answered 503
  std::atomic<std::size_t> unanswered = 0;   ///< reset, or closed without an answer
  std::atomic<std::size_t> truncated = 0;    ///< answered in part

  std::size_t faults() const { return unavailable + unanswered + truncated; }
  void note(const noun::Event& event);
};

class Drain {
 public:
  explicit Drain(DrainOptions options) : options_(std::move(options)), roll_(options_.items), chance_(options_.seed) {}

  /// All legs, and one more from the bookmark of the end, which is to bring nothing.
  void run();

  const RollCall& roll() const { return roll_; }
  const Encounters& encounters() const { return encounters_; }
  std::size_t pages() const { return pages_; }
  std::size_t broken_off() const { return broken_off_; }
  std::size_t failed() const { return failed_; }
  /// As the last listing had it, of all items.
  std::size_t tallied() const { return tallied_; }
  /// The error that ended a leg last; empty if none did.
  const std::string& last_error() const { return last_error_; }

 private:
  enum class LegEnd { broken_off, failed, through };

  LegEnd leg(std::size_t most);
  LegEnd take(noun::Listing<Language>& list, std::size_t most);
  LegEnd take_items(noun::Listing<Language>& list, std::size_t most);
  LegEnd take_pages(noun::Listing<Language>& list, std::size_t most);
  LegEnd fail(const noun::Error& error);
  void arrived(const Language& language);
  void restart_watchdog();
  noun::Client client();
  std::size_t length_of_leg();
  /// From 0, below `end`.
  std::size_t below(std::size_t end) { return chance_() % end; }

  DrainOptions options_;
  RollCall roll_;
  Encounters encounters_;
  std::mt19937 chance_;
  std::string bookmark_;
  std::string last_error_;
  std::size_t pages_ = 0;
  std::size_t broken_off_ = 0;
  std::size_t failed_ = 0;
  std::size_t tallied_ = 0;
};

}  // namespace soak
