// The rule of the stem: a name is one thing, and is found in one place of each of include/, src/, tests/, examples/.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "house/house_tree.hpp"

namespace house { namespace stems_test {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The folders that a stem lies in, by what they hold.
struct Places {
  std::set<std::string> library, sources, tests, test_support, examples;
};

std::map<std::string, Places> places_by_stem(const Files& files) {
  std::map<std::string, Places> stems;
  for (const auto& file : files) {
    if (!is_cpp(file.path)) continue;
    const auto parts = path_parts(file.path);
    std::string folder = file.path.substr(0, file.path.rfind('/'));
    // One source for each system.
    if (folder.starts_with("src/os/")) folder = "src/os";
    std::string stem = path_stem(file.path);
    const bool is_test = parts[0] == "tests" && stem.ends_with("_test");
    if (is_test) stem.resize(stem.size() - std::string_view("_test").size());
    auto& places = stems[stem];
    if (parts[0] == "include") places.library.insert(folder);
    if (parts[0] == "src") places.sources.insert(folder);
    if (parts[0] == "examples") places.examples.insert(folder);
    if (parts[0] == "tests") (is_test ? places.tests : places.test_support).insert(folder);
  }
  return stems;
}

std::string joined(const std::set<std::string>& folders) {
  std::string text;
  for (const auto& folder : folders) text += " " + folder;
  return text;
}

/// The folder below src or tests: a room may have folders of its own.
std::string room_of(const std::set<std::string>& folders) { return path_parts(*folders.begin()).at(1); }

Findings ambiguous_stems(const Files& files) {
  Findings findings;
  for (const auto& [stem, in] : places_by_stem(files)) {
    const std::string all =
        joined(in.library) + joined(in.sources) + joined(in.tests) + joined(in.test_support) + joined(in.examples);
    const bool in_library = !in.library.empty() || !in.sources.empty();
    const bool twice = in.library.size() > 1 || in.sources.size() > 1 || in.tests.size() > 1 ||
                       in.test_support.size() > 1 || in.examples.size() > 1;
    const bool two_things = (in_library && (!in.examples.empty() || !in.test_support.empty())) ||
                            (!in.examples.empty() && !in.test_support.empty()) ||
                            (!in.test_support.empty() && !in.tests.empty() && in.test_support != in.tests);
    if (twice || two_things) {
      findings.push_back(stem + " is the name of more than one thing:" + all);
    } else if (!in.sources.empty() && !in.tests.empty() && room_of(in.sources) != room_of(in.tests)) {
      findings.push_back(stem + " is tested on another floor:" + all);
    }
  }
  return findings;
}

Findings drawers(const Files& files) {
  static const std::set<std::string> names = {"util",   "utils",   "utility", "utilities", "helper", "helpers",
                                              "detail", "details", "impl",    "common",    "misc"};
  /// What programs do not name has a namespace and a folder of this name, as everywhere in C++.
  constexpr std::string_view internal_headers = "include/noun/detail/";
  std::set<std::string> findings;
  for (const auto& file : files) {
    const bool is_internal = file.path.starts_with(internal_headers);
    for (const auto& part : path_parts(file.path.substr(is_internal ? internal_headers.size() : 0))) {
      // Also as one word of the name.
      std::string word;
      for (const char c : path_stem(part) + "_") {
        if (c != '_' && c != '-') {
          word += c;
        } else if (names.contains(std::exchange(word, {}))) {
          findings.insert(file.path + " is in a drawer named for nothing");
        }
      }
    }
  }
  return {findings.begin(), findings.end()};
}

/// Many tests are compiled as one file: each needs a namespace of its own.
Findings tests_without_a_namespace(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    const bool is_test = file.path.starts_with("tests/") && file.path.ends_with("_test.cpp");
    if (is_test && file.text.find("namespace " + path_stem(file.path) + " {") == std::string::npos)
      findings.push_back(file.path + " has no namespace of its name");
  }
  return findings;
}

TEST(Stems, each_test_has_a_namespace_of_its_name) {
  EXPECT_THAT(tests_without_a_namespace(repository()), IsEmpty());
  EXPECT_THAT(tests_without_a_namespace({{"tests/wire/a_test.cpp", "namespace {"}}), SizeIs(1));
}

TEST(Stems, are_unique) { EXPECT_THAT(ambiguous_stems(repository()), IsEmpty()); }

TEST(Stems, one_thing_in_its_places_is_one_stem) {
  EXPECT_THAT(ambiguous_stems({{"src/os/boot.hpp", ""}, {"src/os/linux/boot.cpp", ""}, {"src/os/bsd/boot.cpp", ""}}),
              IsEmpty());
  EXPECT_THAT(ambiguous_stems({{"include/noun/quota.hpp", ""},
                               {"src/quota/quota.hpp", ""},
                               {"src/quota/quota.cpp", ""},
                               {"tests/quota/quota_test.cpp", ""},
                               {"examples/atlas/atlas_gate.cpp", ""},
                               {"tests/atlas/atlas_gate_test.cpp", ""},
                               {"tests/house/shape.hpp", ""},
                               {"tests/house/shape_test.cpp", ""}}),
              IsEmpty());
}

TEST(Stems, a_second_thing_of_the_same_name_is_found) {
  EXPECT_THAT(ambiguous_stems({{"src/wire/a.cpp", ""}, {"src/decision/a.cpp", ""}}), SizeIs(1));
  EXPECT_THAT(ambiguous_stems({{"src/wire/a.cpp", ""}, {"examples/a.cpp", ""}}), SizeIs(1));
  EXPECT_THAT(ambiguous_stems({{"src/wire/a.cpp", ""}, {"tests/wire/a.cpp", ""}}), SizeIs(1));
  EXPECT_THAT(ambiguous_stems({{"tests/wire/a_test.cpp", ""}, {"tests/decision/a_test.cpp", ""}}), SizeIs(1));
  EXPECT_THAT(ambiguous_stems({{"src/wire/a.cpp", ""}, {"tests/decision/a_test.cpp", ""}}), SizeIs(1));
  EXPECT_THAT(ambiguous_stems({{"tests/wire/a.hpp", ""}, {"tests/decision/a_test.cpp", ""}}), SizeIs(1));
}

TEST(Stems, no_file_is_in_a_drawer) { EXPECT_THAT(drawers(repository()), IsEmpty()); }

TEST(Stems, a_drawer_is_found) {
  EXPECT_THAT(drawers({{"src/util/a.cpp", ""}, {"src/wire/helpers.hpp", ""}, {"src/wire/curl_utils.cpp", ""}}),
              SizeIs(3));
  EXPECT_THAT(drawers({{"src/wire/problem.cpp", ""}, {"include/noun/detail/state.hpp", ""}}), IsEmpty());
  EXPECT_THAT(drawers({{"src/detail/state.hpp", ""}, {"include/noun/detail/helpers.hpp", ""}}), SizeIs(2));
}

}  // namespace stems_test
}  // namespace house
