// The version is written once, in version.hpp; what cannot read it from there says the same.

#include <gtest/gtest.h>
#include <noun/version.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

#include "house/house_tree.hpp"

namespace house { namespace versions_test {

const std::string& text_of(std::string_view path) {
  static const std::string nothing;
  const auto& files = repository();
  const auto found = std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
  return found == files.end() ? nothing : found->text;
}

TEST(Versions, the_numbers_are_those_of_the_text) {
  const auto numbers = std::to_string(NOUN_VERSION_MAJOR) + "." + std::to_string(NOUN_VERSION_MINOR) + "." +
                       std::to_string(NOUN_VERSION_PATCH);
  EXPECT_EQ(numbers, NOUN_VERSION);
}

TEST(Versions, the_package_for_vcpkg_has_it) {
  const auto manifest = nlohmann::json::parse(text_of("vcpkg.json"), nullptr, false);
  EXPECT_EQ(manifest.value("version-semver", ""), NOUN_VERSION);
}

/// What a clone needs from vcpkg its port needs too, but for the tests; and vcpkg's own parts.
TEST(Versions, the_port_for_vcpkg_is_the_manifest_without_tests) {
  auto manifest = nlohmann::json::parse(text_of("vcpkg.json"), nullptr, false);
  manifest["features"].erase("tests");
  auto port = nlohmann::json::parse(text_of("cmake/packaging/vcpkg/noun/vcpkg.json"), nullptr, false);
  std::erase_if(port["dependencies"].get_ref<nlohmann::json::array_t&>(),
                [](const auto& one) { return one.is_object() && one.value("host", false); });
  EXPECT_EQ(port, manifest);
}

TEST(Versions, the_inline_namespace_carries_the_major_one) {
  const auto wanted = "inline namespace v" + std::to_string(NOUN_VERSION_MAJOR);
  int headers = 0;
  for (const auto& file : repository()) {
    if (!file.path.starts_with("include/noun/") || file.text.find("inline namespace") == std::string::npos) continue;
    ++headers;
    EXPECT_NE(file.text.find(wanted), std::string::npos) << file.path;
  }
  EXPECT_GT(headers, 20);
}

}  // namespace versions_test
}  // namespace house
