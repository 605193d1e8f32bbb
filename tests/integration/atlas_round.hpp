#pragma once
// Shared by the integration tests: a type of the sample server, and a listing that counts items.

#include <set>
#include <string>

#include <gtest/gtest.h>
#include <atlas_service.hpp>
#include <noun/noun.hpp>

struct Language {
  std::string alpha_3;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Language, alpha_3, name)

/// Number of languages that the server lists; an error or a repeated item fails the test.
inline std::size_t drain(const noun::Client& api, std::size_t page_size) {
  std::set<std::string> seen;
  for (const auto& language : api.collection<Language>("languages").list({.page_size = page_size})) {
    if (!language) {
      ADD_FAILURE() << language.error().message();
      break;
    }
    EXPECT_TRUE(seen.insert(language->alpha_3).second) << language->alpha_3 << " was delivered twice";
  }
  return seen.size();
}
