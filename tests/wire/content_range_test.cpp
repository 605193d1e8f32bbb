#include "wire/content_range.hpp"

#include <gtest/gtest.h>

namespace noun::wire { namespace content_range_test {

TEST(ContentRange, a_span_and_a_total_with_and_without_the_unit) {
  const ContentRange whole{.span = ItemSpan{0, 14}, .total = 23};
  for (const auto* text : {"0-14/23", "items 0-14/23", "Items  0-14/23", " 0-14/23 "})
    EXPECT_EQ(read_content_range(text), whole) << text;
  EXPECT_EQ(read_content_range("0-14/*"), (ContentRange{.span = ItemSpan{0, 14}, .total = {}}));
  EXPECT_EQ(read_content_range("*/0"), (ContentRange{.span = {}, .total = 0}));
  EXPECT_EQ(read_content_range("*/*"), ContentRange());
  EXPECT_EQ(read_content_range("7-7/8"), (ContentRange{.span = ItemSpan{7, 7}, .total = 8}));
}

TEST(ContentRange, malformed_text_is_nothing) {
  for (const auto* text : {"", "0-14", "bytes 0-14/23", "14-0/23", "0-/23", "-14/23", "a-b/c", "0-14/x", "0-14/-1",
                           "+0-1/2", "0-18446744073709551615/*", "0-99999999999999999999/*"})
    EXPECT_EQ(read_content_range(text), std::nullopt) << text;
}

TEST(ByteRange, has_its_unit) {
  for (const auto* text : {"bytes 0-14/23", "Bytes  0-14/23", " bytes 0-14/23 "})
    EXPECT_EQ(read_byte_range(text), (ContentRange{.span = ItemSpan{0, 14}, .total = 23})) << text;
  EXPECT_EQ(read_byte_range("bytes */23"), (ContentRange{.span = {}, .total = 23}));
  for (const auto* text : {"", "0-14/23", "items 0-14/23", "bytes", "bytes=0-14/23", "bytes 14-0/23", "bytes 0-14"})
    EXPECT_EQ(read_byte_range(text), std::nullopt) << text;
}

TEST(ItemRange, is_read_with_and_without_the_unit) {
  EXPECT_EQ(read_item_range("0-14"), (ItemSpan{0, 14}));
  EXPECT_EQ(read_item_range("items=5-9"), (ItemSpan{5, 9}));
  for (const auto* text : {"", "0-", "-5", "bytes=0-14", "id ..; max=10", "9-5"})
    EXPECT_EQ(read_item_range(text), std::nullopt) << text;
}

}}  // namespace noun::wire::content_range_test
