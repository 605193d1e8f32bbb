#include "wire/form_data.hpp"

#include <gtest/gtest.h>

namespace wire_test { namespace form_data_test {

using noun::wire::part_head;

TEST(PartHead, has_the_delimiter_the_names_and_the_content_type) {
  EXPECT_EQ(part_head("b", "n", "", ""), "--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n");
  EXPECT_EQ(part_head("b", "n", "f", "text/csv"),
            "--b\r\nContent-Disposition: form-data; name=\"n\"; filename=\"f\"\r\nContent-Type: text/csv\r\n\r\n");
}

TEST(PartHead, a_name_cannot_end_its_quotation_or_its_line) {
  EXPECT_EQ(part_head("b", "a\"\r\nb\\%22", "\xC3\xA4;", ""),
            "--b\r\nContent-Disposition: form-data; name=\"a%22%0D%0Ab\\%22\"; filename=\"\xC3\xA4;\"\r\n\r\n");
  EXPECT_EQ(part_head("b", "n", std::string_view("x.php\0.jpg\x1b\x7f", 12), ""),
            "--b\r\nContent-Disposition: form-data; name=\"n\"; filename=\"x.php%00.jpg%1B%7F\"\r\n\r\n");
}

}}  // namespace wire_test::form_data_test
