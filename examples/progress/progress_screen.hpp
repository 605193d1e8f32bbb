#pragma once
// Progress on standard error: a live line on a terminal, updated ten times a second; plain lines in a pipe; or none.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <noun/event.hpp>
#include <noun/listing_plan.hpp>

#include "progress_board.hpp"

namespace progress {

/// Thread-safe: called by the client's observer and by the run.
class Screen {
 public:
  enum class Style { live, plain, silent };
  /// Live on a terminal, plain elsewhere.
  static Style style_of(bool quiet);
  /// The same, for these properties of the terminal.
  /// @param term  the environment's TERM; null without one.
  static Style style_of(bool quiet, bool is_terminal, const char* term);
  /// The longest live line of a terminal with so many columns.
  static std::size_t longest_line(std::size_t columns);

  explicit Screen(Style style);
  /// Erases the live line.
  ~Screen();

  void observe(const noun::Event& event);
  /// Reports the items and pages written so far, the total, and the plan for the rest.
  void progress(std::uint64_t items, std::uint64_t pages, std::optional<std::uint64_t> total,
                const noun::ListingPlan& plan);
  /// Prints a line above the live line; complain(), for errors, does so in silent style, too.
  void say(std::string_view line);
  void complain(std::string_view line);
  /// Calls `write`, which writes whole lines to the terminal by another way: above the live line.
  void write_above(const std::function<void()>& write);
  /// Ends the live line.
  void stop();
  /// Erases the live line of a process that ends at once, in its last moment, unless the terminal is stopped. On any
  /// thread, with locks held.
  static void leave_clean() noexcept;

 private:
  void paint();
  void print(std::string_view line);
  void erase();

  const Style style_;
  std::mutex mutex_;
  std::condition_variable changed_;
  RunBoard board_;
  std::string painted_;  // the current live line
  bool stopped_ = false;
  std::thread painter_;
};

}  // namespace progress
