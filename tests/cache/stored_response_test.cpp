// Tests of stored responses and their bytes.
#include "cache/stored_response.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace noun_test { namespace stored_response_test {

using namespace std::chrono_literals;
using noun::cache::FieldViews;
using noun::cache::most_variants;
using noun::cache::read_bytes;
using noun::cache::StoredResponse;
using noun::cache::StoredResponses;
using noun::cache::to_bytes;

const noun::Headers headers = {{"ETag", "\"1\""}, {"X-A", ""}, {"X-A", "a: b"}};

StoredResponse stored(std::string_view body) {
  return {.status = 200,
          .headers = FieldViews::lasting(headers),
          .body = body,
          .received_at = noun::WallTime(1'700'000'000s),
          .age = 5s,
          .varies_by = {"accept", "x-b"},
          .request_fields = std::string_view("\0\xFF", 2),
          .credentials = "c"};
}

TEST(StoredResponse, is_the_same_after_bytes) {
  const StoredResponses all = {stored("{}"), stored(std::string_view("\0\r\n\xFF", 4)), stored("")};
  const auto bytes = to_bytes(all);
  const auto read = read_bytes(bytes);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& one = (*read)[i];
    EXPECT_EQ(one.status, 200);
    ASSERT_EQ(one.headers.size(), headers.size());
    EXPECT_TRUE(std::equal(headers.begin(), headers.end(), one.headers.begin(), [](const auto& left, const auto& right) {
      return left.name == right.name && left.value == right.value;
    }));
    EXPECT_EQ(one.body, all[i].body);
    EXPECT_EQ(one.received_at, all[i].received_at);
    EXPECT_EQ(one.age, all[i].age);
    EXPECT_EQ(one.varies_by, all[i].varies_by);
    EXPECT_EQ(one.request_fields, all[i].request_fields);
    EXPECT_EQ(one.credentials, all[i].credentials);
  }
}

TEST(StoredResponse, keeps_an_endless_age) {
  auto old = stored("");
  old.age = noun::Duration::max();
  EXPECT_EQ(read_bytes(to_bytes({old}))->front().age, noun::Duration::max());
}

TEST(StoredResponse, is_read_from_whole_bytes_alone) {
  const auto bytes = to_bytes({stored("body")});
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(read_bytes(bytes.substr(0, size))) << size;
  EXPECT_FALSE(read_bytes(bytes + '\0'));
  EXPECT_FALSE(read_bytes("\2" + bytes.substr(1)));
  EXPECT_FALSE(read_bytes(to_bytes(StoredResponses(most_variants + 1))));
  EXPECT_FALSE(read_bytes("\1\1\2\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F")) << "so many header fields";
}

}}  // namespace noun_test::stored_response_test
