#include "stores/sharing_rules.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::size_t longest_prefix = 64;
constexpr std::size_t longest_key = 128;

bool has_key_characters_only(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return wire::is_alpha(c) || wire::is_digit(c) || c == '-' || c == '_' || c == ':'; });
}

}  // namespace

std::optional<Error> fault_of(const SharingOptions& options) {
  using namespace std::chrono_literals;
  const auto fault = [](const char* what, const char* option) {
    return Error(Errc::invalid_argument, what, fmt::format("fix SharingOptions::{}", option));
  };
  if (options.slow_after < 1ms || options.slow_after > 10s)
    return fault("SharingOptions::slow_after must be 1 ms to 10 s", "slow_after");
  if (options.lease < 1s || options.lease > 10min) return fault("SharingOptions::lease must be 1 s to 10 min", "lease");
  if (options.prefix.size() > longest_prefix || !has_key_characters_only(options.prefix))
    return fault("SharingOptions::prefix must have letters, digits, -, _ and : only, at most 64", "prefix");
  return std::nullopt;
}

std::optional<Error> fault_of_key(std::string_view key) {
  if (!key.empty() && key.size() <= longest_key && has_key_characters_only(key)) return std::nullopt;
  return Error(Errc::invalid_argument,
               fmt::format("\"{}\" cannot be the key of a shared quota", wire::printable_excerpt(key, 200)),
               "use 1 to 128 letters, digits, -, _ and :");
}

}}  // namespace noun
