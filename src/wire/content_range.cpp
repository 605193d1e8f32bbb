#include "wire/content_range.hpp"

#include <limits>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

using Number = std::uint64_t;

/// first-pos "-" last-pos
std::optional<ItemSpan> read_span(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = read_integer<Number>(text.substr(0, dash));
  const auto last = read_integer<Number>(text.substr(dash + 1));
  if (!first || !last || *last < *first || *last == std::numeric_limits<Number>::max()) return std::nullopt;
  return ItemSpan{*first, *last};
}

/// ( first-pos "-" last-pos / "*" ) "/" ( complete-length / "*" )
std::optional<ContentRange> read_range(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto span_text = text.substr(0, slash);
  const auto total_text = text.substr(slash + 1);
  ContentRange range;
  if (span_text != "*") {
    range.span = read_span(span_text);
    if (!range.span) return std::nullopt;
  }
  if (total_text != "*") {
    range.total = read_integer<Number>(total_text);
    if (!range.total) return std::nullopt;
  }
  return range;
}

}  // namespace

std::optional<ContentRange> read_content_range(std::string_view text) {
  text = trimmed(text);
  if (const auto space = text.find(' '); space != std::string_view::npos) {
    if (!same_ignoring_case(text.substr(0, space), "items")) return std::nullopt;
    text = trimmed(text.substr(space));
  }
  return read_range(text);
}

std::optional<ContentRange> read_byte_range(std::string_view text) {
  text = trimmed(text);
  const auto space = text.find(' ');
  if (space == std::string_view::npos || !same_ignoring_case(text.substr(0, space), "bytes")) return std::nullopt;
  return read_range(trimmed(text.substr(space)));
}

bool has_byte_unit(std::string_view text) {
  constexpr std::string_view unit = "bytes";
  return same_ignoring_case(trimmed(text).substr(0, unit.size()), unit);
}

std::optional<ItemSpan> read_item_range(std::string_view text) {
  text = trimmed(text);
  if (const auto equals = text.find('='); equals != std::string_view::npos) {
    if (!same_ignoring_case(text.substr(0, equals), "items")) return std::nullopt;
    text.remove_prefix(equals + 1);
  }
  return read_span(text);
}

}}}  // namespace noun::wire
