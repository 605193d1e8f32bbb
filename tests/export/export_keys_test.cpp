// Tests of which items a file already has.
#include "export_keys.hpp"

#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "export_check.hpp"
#include "export_process.hpp"
#include "text_hash.hpp"

namespace export_test { namespace export_keys_test {

using noun_export::key_hash;
using noun_export::KnownKeys;
using noun_export::TextHash;

KnownKeys keys_in(const std::string& text, const std::string& pointer) {
  const Folder folder;
  std::ofstream(folder / "a.jsonl", std::ios::binary) << text;
  return {folder / "a.jsonl", pointer, 3};
}

TEST(ExportKeys, are_identified_by_their_hash) {
  const TextHash hash;
  EXPECT_EQ(key_hash(hash, R"({"a":{"id":1}})", "/a/id"), hash.of("1"));
  EXPECT_NE(hash.of("1"), hash.of("2"));
  EXPECT_EQ(key_hash(hash, R"({"id":null})", "/id"), std::nullopt);
  EXPECT_EQ(key_hash(hash, R"({"a":1})", "/id"), std::nullopt);
  EXPECT_NE(TextHash().of("1"), hash.of("1")) << "the seed is random";
}

/// Two ids with the same FNV-1a hash of 64 bits, as JSON texts with their quotes.
const std::string colliding[] = {R"({"id":"zKXTGQgFFEC"})", R"({"id":"-YutDbGg3AK"})"};

TEST(ExportKeys, that_a_server_chose_to_collide_are_different) {
  const auto keys = keys_in(colliding[0] + "\n", "/id");
  EXPECT_TRUE(keys.has(colliding[0]));
  EXPECT_FALSE(keys.has(colliding[1]));
  const Folder folder;
  std::ofstream(folder / "a.jsonl", std::ios::binary) << colliding[0] << '\n' << colliding[1] << '\n';
  EXPECT_EQ(noun_export::read_contents(folder / "a.jsonl", "/id").duplicates, 0U);
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
