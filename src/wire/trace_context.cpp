#include "wire/trace_context.hpp"

#include <algorithm>
#include <cstddef>

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// An id of so many characters, which are not all zeros.
bool is_trace_id(std::string_view text, std::size_t size) noexcept {
  return text.size() == size && text.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

bool is_traceparent(std::string_view text) noexcept {
  constexpr std::size_t size = 55;
  constexpr std::size_t trace = 3, parent = 36, flags = 53;
  return text.size() == size && text.starts_with("00-") && text[parent - 1] == '-' && text[flags - 1] == '-' &&
         is_trace_id(text.substr(trace, 32), 32) && is_trace_id(text.substr(parent, 16), 16) &&
         text.substr(flags).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_tracestate(std::string_view text) noexcept {
  constexpr std::size_t longest = 512;
  return !text.empty() && text.size() <= longest &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}}}  // namespace noun::wire
