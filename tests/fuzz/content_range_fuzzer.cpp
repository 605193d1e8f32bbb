// Content-Range and Range: what was read is written and read again.
#include <fmt/format.h>

#include "fuzz/invariant.hpp"
#include "wire/content_range.hpp"

namespace {

using noun::wire::ContentRange;
using noun_fuzz::require;

std::string written(const ContentRange& range) {
  return fmt::format("{}/{}", range.span ? fmt::format("{}-{}", range.span->first, range.span->last) : "*",
                     range.total ? fmt::to_string(*range.total) : "*");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = noun_fuzz::text_of(data, size);
  const auto items = noun::wire::read_content_range(text);
  const auto bytes = noun::wire::read_byte_range(text);
  const auto span = noun::wire::read_item_range(text);
  require(!items || !bytes, "a range has one unit");
  if (items) require(noun::wire::read_content_range("items " + written(*items)) == items, "items read the same");
  if (bytes) require(noun::wire::read_byte_range("bytes " + written(*bytes)) == bytes, "bytes read the same");
  for (const auto& range : {items, bytes})
    if (range && range->span) require(range->span->first <= range->span->last, "a range ends after it starts");
  if (span)
    require(noun::wire::read_item_range(fmt::format("items={}-{}", span->first, span->last)) == span,
            "a requested range reads the same");
  return 0;
}
