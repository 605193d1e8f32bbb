#pragma once
// What a person sees of a run, as text. Time is an argument.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <noun/event.hpp>
#include <noun/time.hpp>

namespace noun_export {

/// A run at one instant.
struct RunView {
  std::uint64_t items = 0;                  ///< those of before a resume included
  std::optional<std::uint64_t> total = {};  ///< how many are to come in all, where that is known
  std::uint64_t pages = 0;
  double requests_per_second = 0;  ///< of the last seconds
  std::optional<std::int64_t> limit = {};
  std::optional<std::int64_t> remaining = {};
  std::optional<noun::Duration> resets_in = {};      ///< from this instant
  std::optional<noun::Duration> time_left = {};      ///< holds included
  noun::WaitReason reason = noun::WaitReason::none;  ///< why it waits, if it does
  std::string cause = {};  ///< what failed before it tries again: a status, or the name of the noun::Errc
  noun::Duration hold_left = {};
  noun::WallTime hold_until = {};
};

/// The live line, at most `columns` wide: what matters least is left out first. While it waits, it says why and until
/// when.
std::string live_line(const RunView& view, std::size_t columns);
/// A plain line, for logs.
std::string plain_line(const RunView& view);
/// That it waits now, as a plain line.
std::string hold_line(const RunView& view);
/// 12,345,678
std::string grouped(std::uint64_t number);
/// 850 ms, 12 s, 3 m 05 s, 2 h 07 m: as exact as a person needs it.
std::string in_words(noun::Duration time);
/// The time of day, 14:03:10, in the machine's time zone.
std::string clock_text(noun::WallTime time);

}  // namespace noun_export
