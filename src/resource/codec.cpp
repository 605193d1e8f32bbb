#include <noun/json.hpp>

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {

namespace {

std::atomic<const JsonDecoder*> installed_decoder = nullptr;

}  // namespace

const JsonDecoder* json_decoder() noexcept { return installed_decoder.load(std::memory_order_acquire); }

void install(const JsonDecoder* decoder) noexcept { installed_decoder.store(decoder, std::memory_order_release); }

std::optional<DecodeFault> beyond_limits(std::string_view subject, std::string_view json_text, const Limits& limits) {
  // Counting characters is much faster than scanning, and text with few brackets and commas is within the limits.
  const auto count = [&](char c) {
    return static_cast<std::size_t>(std::count(json_text.begin(), json_text.end(), c));
  };
  const auto opening = count('[') + count('{');
  const auto depth = limits.json_depth;
  if (opening > depth && wire::json_depth(json_text, depth + 1) > depth)
    return DecodeFault{Errc::too_large, fmt::format("{} is nested deeper than {} levels", subject, depth),
                       "raise ClientOptions::limits.json_depth if you trust the server"};
  const auto values = limits.json_values;
  if (json_text.size() > values && opening + count(',') >= values && wire::json_values(json_text) > values)
    return DecodeFault{Errc::too_large, fmt::format("{} has more than {} values", subject, values),
                       "raise ClientOptions::limits.json_values if you trust the server"};
  return std::nullopt;
}

std::string_view integer_beyond_64_bits(std::string_view json_text) noexcept {
  return wire::json_integer_beyond_64_bits(json_text);
}

bool is_utf8(std::string_view text) noexcept { return wire::valid_utf8(text); }

}}}  // namespace noun::detail
