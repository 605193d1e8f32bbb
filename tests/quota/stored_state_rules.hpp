#pragma once
/// @file
/// What must be true of every stored state of a shared quota.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "quota/shared_state.hpp"

namespace quota_tests {

/// @param offset  how far the store's clock is ahead of the steady clock.
/// @returns       which rule is broken; empty if none is.
inline std::string broken_rule(std::string_view bytes, noun::Now now, noun::Duration offset) {
  using noun::quota::SharedState;
  /// What a state may need besides its partitions and holders.
  constexpr std::size_t most_for_routes = 1024;
  constexpr std::size_t most_for_special = 128;
  const auto state = SharedState::read(bytes, offset);
  if (!state) return "the stored bytes cannot be read";
  const auto written = state->write(now, offset);
  if (written != SharedState::read(written, offset)->write(now, offset))
    return "the state that was read is another than the one written";
  for (std::size_t index = 0; index < state->quota.partitions.size(); ++index) {
    std::int64_t held = 0;
    for (const auto& holder : state->holders)
      for (const auto& lease : holder.leases) held += lease.partition == index ? lease.permits : 0;
    if (held != state->quota.partitions[index].leased())
      return fmt::format("{} permits are leased, and {} are held", state->quota.partitions[index].leased(), held);
  }
  const std::size_t most = 8192 * state->quota.partitions.size() + 32 * state->holders.size() +
                           most_for_special * state->specials.size() + most_for_routes;
  return bytes.size() <= most ? "" : fmt::format("{} bytes are stored", bytes.size());
}

}  // namespace quota_tests
