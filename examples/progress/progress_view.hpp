#pragma once
// The progress of a run as text. Times are arguments.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <noun/event.hpp>
#include <noun/time.hpp>

namespace progress {

/// The state of a run at one time.
struct RunView {
  std::uint64_t items = 0;                  ///< including those of previous runs
  std::optional<std::uint64_t> total = {};  ///< the expected number, if known
  std::uint64_t pages = 0;
  double requests_per_second = 0;  ///< over the last seconds; 0 if it is not known
  std::optional<std::int64_t> limit = {};
  std::optional<std::int64_t> remaining = {};
  std::optional<noun::Duration> resets_in = {};      ///< from now
  std::optional<noun::Duration> time_left = {};      ///< including waits
  noun::WaitReason reason = noun::WaitReason::none;  ///< of the current wait
  std::string cause = {};  ///< of a retry: a status, or the name of the noun::Errc
  noun::Duration hold_left = {};
  noun::WallTime hold_until = {};
};

/// Whether a wait for this reason lasts until the reported time. Otherwise it is only when to ask again: mostly it ends
/// within milliseconds.
bool has_known_end(noun::WaitReason reason) noexcept;
/// The live line, at most `columns` wide; the least important parts are omitted first. During a wait it has the reason
/// and the end.
std::string live_line(const RunView& view, std::size_t columns);
/// A plain line, for logs.
std::string plain_line(const RunView& view);
/// A plain line for the start of a wait.
std::string hold_line(const RunView& view);
/// 12,345,678
std::string grouped(std::uint64_t number);
/// A rounded duration: 850 ms, 12 s, 3 m 05 s, 2 h 07 m.
std::string in_words(noun::Duration time);
/// The time of day, 14:03:10, in the machine's time zone.
std::string clock_text(noun::WallTime time);

}  // namespace progress
