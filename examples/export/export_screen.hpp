#pragma once
// Standard error while a run goes on: on a terminal one live line, ten times a second; piped, plain lines; or nothing.

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include <noun/event.hpp>
#include <noun/listing_plan.hpp>

#include "export_board.hpp"

namespace noun_export {

/// Fed by the client's observer and by the run, on any thread.
class Screen {
 public:
  enum class Style { live, plain, silent };
  /// Live on a terminal, plain elsewhere.
  static Style style_of(bool quiet);
  /// The same, of what there is.
  /// @param term  the environment's TERM; null without one.
  static Style style_of(bool quiet, bool is_terminal, const char* term);

  explicit Screen(Style style);
  /// Takes the live line away.
  ~Screen();

  void observe(const noun::Event& event);
  /// So many items and pages were written, of `total`, and this much is left.
  void progress(std::uint64_t items, std::uint64_t pages, std::optional<std::uint64_t> total,
                const noun::ListingPlan& plan);
  /// A line of its own, above the live one. Errors are said in silence, too.
  void say(std::string_view line);
  void complain(std::string_view line);
  /// Ends the live line; what is said from now on stays.
  void stop();

 private:
  void paint(const std::stop_token& stop);
  void print(std::string_view line);
  void erase();

  const Style style_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  RunBoard board_;
  std::string painted_;  // what stands in the live line
  std::jthread painter_;
};

}  // namespace noun_export
