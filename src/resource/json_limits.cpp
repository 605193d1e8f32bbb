#include "resource/json_limits.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// How often the text has the character, up to `enough` times. Text between two is skipped faster than it is scanned.
std::size_t count(std::string_view text, char wanted, std::size_t enough) noexcept {
  std::size_t found = 0;
  for (std::size_t at = 0; found < enough && (at = text.find(wanted, at)) != std::string_view::npos; ++at) ++found;
  return found;
}

}  // namespace

DecodeFault too_deep(std::string_view subject, const Limits& limits) {
  return {Errc::too_large, fmt::format("{} is nested deeper than {} levels", subject, limits.json_depth),
          "raise ClientOptions::limits.json_depth if you trust the server"};
}

std::optional<DecodeFault> too_many_values(std::string_view subject, std::string_view json_text, const Limits& limits) {
  const auto values = limits.json_values;
  const auto at_most = [&] {
    return count(json_text, '[', values) + count(json_text, '{', values) + count(json_text, ',', values);
  };
  if (json_text.size() > values && at_most() >= values && wire::json_shape(json_text).values > values)
    return DecodeFault{Errc::too_large, fmt::format("{} has more than {} values", subject, values),
                       "raise ClientOptions::limits.json_values if you trust the server"};
  return std::nullopt;
}

// Text with few brackets and commas is within the limits.
std::optional<DecodeFault> beyond_limits(std::string_view subject, std::string_view json_text, const Limits& limits) {
  const auto depth = limits.json_depth;
  if (count(json_text, '[', depth + 1) + count(json_text, '{', depth + 1) > depth &&
      wire::json_shape(json_text).depth > depth)
    return too_deep(subject, limits);
  return too_many_values(subject, json_text, limits);
}

}}}  // namespace noun::detail
