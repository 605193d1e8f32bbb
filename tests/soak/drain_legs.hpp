#pragma once
// Lists a collection in many legs. Each leg has its own client and listing, starts at the bookmark of the previous leg,
// and is interrupted at a random place or by an error.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <random>
#include <string>

#include <nlohmann/json.hpp>
#include <noun/noun.hpp>

#include "delivery_count.hpp"

namespace soak {

struct Language {
  std::string alpha_3;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Language, alpha_3, name)

struct DrainOptions {
  std::string base_url;
  std::size_t items = 0;  ///< in the collection
  std::size_t page_size = 100;
  std::size_t prefetch = 0;
  std::size_t interruptions = 0;
  std::chrono::seconds patience{120};  ///< the program is ended if no item is delivered for this time
  unsigned seed = 1;
};

/// Counts of the clients of all legs.
struct ClientCounts {
  std::atomic<std::size_t> requests = 0;
  std::atomic<std::size_t> rejected = 0;     ///< responses 429
  std::atomic<std::size_t> unavailable = 0;  ///< responses 503
  std::atomic<std::size_t> no_response = 0;  ///< reset, or closed without a response
  std::atomic<std::size_t> truncated = 0;    ///< truncated responses

  std::size_t faults() const { return unavailable + no_response + truncated; }
  void note(const noun::Event& event);
};

class Drain {
 public:
  explicit Drain(DrainOptions options)
      : options_(std::move(options)), delivered_(options_.items), chance_(options_.seed) {}

  /// Runs all legs, and one more from the final bookmark, which must deliver nothing.
  void run();

  const DeliveryCount& delivered() const { return delivered_; }
  const ClientCounts& counts() const { return counts_; }
  std::size_t pages() const { return pages_; }
  std::size_t interrupted() const { return interrupted_; }
  std::size_t failed() const { return failed_; }
  /// The number of items in the tally of the last listing, with those before its bookmark.
  std::size_t tallied() const { return tallied_; }
  /// The last error that ended a leg; empty if there was none.
  const std::string& last_error() const { return last_error_; }

 private:
  enum class LegEnd { interrupted, failed, complete };

  LegEnd leg(std::size_t most);
  LegEnd take(noun::Listing<Language>& list, std::size_t most);
  LegEnd take_items(noun::Listing<Language>& list, std::size_t most);
  LegEnd take_pages(noun::Listing<Language>& list, std::size_t most);
  LegEnd fail(const noun::Error& error);
  void count(const Language& language);
  void restart_watchdog();
  noun::Client client();
  std::size_t length_of_leg();
  /// A random number from 0 to `end` - 1.
  std::size_t below(std::size_t end) { return chance_() % end; }

  DrainOptions options_;
  DeliveryCount delivered_;
  ClientCounts counts_;
  std::mt19937 chance_;
  std::string bookmark_;
  std::string last_error_;
  std::size_t pages_ = 0;
  std::size_t interrupted_ = 0;
  std::size_t failed_ = 0;
  std::size_t tallied_ = 0;
};

}  // namespace soak
