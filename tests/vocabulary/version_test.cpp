// The version, told twice.
#include <noun/version.hpp>

#include <gtest/gtest.h>

#include <string>

namespace vocabulary_test { namespace version_test {

TEST(Version, the_library_and_its_headers_name_the_same_one) {
  EXPECT_STREQ(noun::version(), NOUN_VERSION);
  EXPECT_EQ(std::string(NOUN_VERSION), std::to_string(NOUN_VERSION_MAJOR) + "." + std::to_string(NOUN_VERSION_MINOR) +
                                           "." + std::to_string(NOUN_VERSION_PATCH));
}

}}  // namespace vocabulary_test::version_test
