// Tests that the error in the README is the printed one.
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <noun/noun.hpp>

#include "integration/atlas_round.hpp"
#include "test_paths.hpp"

namespace readme_test {

/// The text in one line, with every port replaced.
std::string without_folds_and_ports(std::string text) {
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  const std::string host = "http://127.0.0.1:";
  for (auto at = line.find(host); at != std::string::npos; at = line.find(host, at + 1)) {
    const auto digits = at + host.size();
    line.replace(digits, line.find_first_not_of("0123456789", digits) - digits, "PORT");
  }
  return line;
}

TEST(Readme, shows_the_error_that_is_printed) {
  std::ifstream file(std::string(noun_test::source_dir) + "/README.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const auto begin = page.find("```\nGET http://");
  ASSERT_NE(begin, std::string::npos);
  const auto shown = page.substr(begin + 4, page.find("\n```", begin) - begin - 4);

  atlas::Service service;
  noun::Client api{service.base_url()};
  const auto error = api.collection("languages")["qnx"].get().error();

  EXPECT_EQ(without_folds_and_ports(shown), without_folds_and_ports(error.message()));
}

}  // namespace readme_test
