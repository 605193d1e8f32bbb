#include "wire/percent.hpp"

#include <gtest/gtest.h>

#include "table.hpp"

namespace noun::wire { namespace percent_test {

using namespace std::literals;

using wire_test::Table;

std::string segment(std::string_view id) {
  std::string out = "/";
  append_segment(out, id);
  return out;
}

std::string query(std::string_view text) {
  std::string out;
  append_query(out, text);
  return out;
}

TEST(Percent, an_id_cannot_leave_its_segment_and_every_byte_but_unreserved_ones_is_encoded) {
  for (const auto& [id, encoded] : Table<std::string_view>{{"AZaz09-._~", "/AZaz09-._~"},
                                                           {"a/b?c#d", "/a%2Fb%3Fc%23d"},
                                                           {"../..", "/..%2F.."},
                                                           {"group\\x;y:z@", "/group%5Cx%3By%3Az%40"},
                                                           {"100%2F", "/100%252F"},
                                                           {"\xC3\xBC\xFF", "/%C3%BC%FF"},
                                                           {"\0\r\n\x7F"sv, "/%00%0D%0A%7F"}})
    EXPECT_EQ(segment(id), encoded);
}

TEST(Percent, in_a_query_a_space_is_percent_20_and_plus_and_ampersand_are_data) {
  EXPECT_EQ(query("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(query("a b+c&d=e"), "a%20b%2Bc%26d%3De");
}

TEST(Percent, decoding_restores_every_byte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(percent_decode(query(all)), all);
  EXPECT_EQ(percent_decode("%c3%BC+"), "\xC3\xBC+");
  EXPECT_EQ(percent_decode(""), "");
}

TEST(Percent, malformed_text_decodes_to_nothing) {
  for (const auto* text : {"%", "%2", "a%", "%G0", "%0G", "%%20", "%2%20", "% 2"})
    EXPECT_EQ(percent_decode(text), std::nullopt) << text;
}

TEST(Percent, malformed_text_is_decoded_where_it_can_be) {
  for (const auto& [text, decoded] : Table<std::string_view>{
           {"50%+%41", "50%+A"}, {"%%20", "% "}, {"%2%20%", "%2 %"}, {"%G0%c3%BC", "%G0\xC3\xBC"}, {"", ""}})
    EXPECT_EQ(decoded_where_possible(text), decoded) << text;
}

}}  // namespace noun::wire::percent_test
