// Tests of which items a file already has.
#include "export_keys.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "export_process.hpp"
#include "text_hash.hpp"

namespace export_test { namespace export_keys_test {

using noun_export::key_hash;
using noun_export::KnownKeys;

KnownKeys keys_in(const std::string& text, const std::string& pointer) {
  const Folder folder;
  std::ofstream(folder / "a.jsonl", std::ios::binary) << text;
  return {folder / "a.jsonl", pointer, 3};
}

TEST(ExportKeys, are_identified_by_their_hash) {
  EXPECT_EQ(noun_export::hash_of(""), 0xcbf29ce484222325U);
  EXPECT_EQ(noun_export::hash_of("foobar"), 0x85944171f73967e8U);
  EXPECT_EQ(key_hash(R"({"a":{"id":1}})", "/a/id"), noun_export::hash_of("1"));
  EXPECT_EQ(key_hash(R"({"id":null})", "/id"), std::nullopt);
  EXPECT_EQ(key_hash(R"({"a":1})", "/id"), std::nullopt);
}

TEST(ExportKeys, are_those_of_the_file_even_if_the_items_changed) {
  const auto keys = keys_in("{\"id\":3}\n{\"id\":\"1\"}\n{\"id\":2}\n", "/id");
  EXPECT_TRUE(keys.has(R"({"id":2,"changed":true})"));
  EXPECT_TRUE(keys.has(R"({"id":3})"));
  EXPECT_TRUE(keys.has(R"({"id":"1"})"));
  EXPECT_FALSE(keys.has(R"({"id":1})"));
  EXPECT_FALSE(keys.has("{}"));
  EXPECT_FALSE(KnownKeys().has(R"({"id":2})"));
}

TEST(ExportKeys, of_items_without_the_key_are_their_text) {
  const auto keys = keys_in("{\"name\":1}\n{\"id\":null,\"name\":1}\n", "/id");
  EXPECT_TRUE(keys.has(R"({"name":1})"));
  EXPECT_FALSE(keys.has(R"({"name":2})"));
  EXPECT_FALSE(keys.has(R"({"id":null})"));
}

}  // namespace export_keys_test
}  // namespace export_test
