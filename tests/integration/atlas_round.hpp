#pragma once
// What the integration tests share: a type of the sample service's, and a drain that counts each item once.

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

/// How many different languages the service lists; an error or an item that comes twice fails the test.
inline std::size_t drain(const noun::Client& api, std::size_t page_size) {
  std::set<std::string> seen;
  for (const auto& language : api.collection<Language>("languages").list({.page_size = page_size})) {
    if (!language) {
      ADD_FAILURE() << language.error().message();
      break;
    }
    EXPECT_TRUE(seen.insert(language->alpha_3).second) << language->alpha_3 << " came twice";
  }
  return seen.size();
}
