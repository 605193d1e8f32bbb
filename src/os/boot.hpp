#pragma once
/// @file
/// The machine's last start, which all of its processes measure time from.

#include <string>

#include <noun/clock.hpp>
#include <noun/result.hpp>

namespace noun { inline namespace v0 {

/// The characters of its id.
constexpr std::size_t boot_id_size = 36;

/// Its id, which no other start has.
/// @returns  `resource` if the system does not tell.
Result<std::string> current_boot();

/// How long ago it was, also while the machine slept.
Duration time_since_boot() noexcept;

}}  // namespace noun
