// Includes go downwards or sideways, and what only floor 4 may touch is not touched below it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "house/house_tree.hpp"

namespace house { namespace floors_test {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::map<std::string, std::size_t> floors = {
    {"vocabulary", 0}, {"wire", 1},      {"decision", 2}, {"paging", 2},   {"quota", 2},
    {"cache", 2},      {"call", 3},       {"os", 4},        {"curl", 4},     {"loop", 4},     {"stores", 4},
    {"testing", 5},    {"resource", 5},  {"redis", 5},
    {"sqlite", 5},
};
constexpr std::size_t first_acting_floor = 4;

/// Where a public header lives; what is not listed is a room of the top floor.
const std::map<std::string, std::string> public_rooms = {
    {"version", "vocabulary"},
    {"cache", "vocabulary"},
    {"streaming", "vocabulary"},
    {"text", "vocabulary"},
    {"time", "vocabulary"},
    {"error", "vocabulary"},
    {"result", "vocabulary"},
    {"http", "vocabulary"},
    {"event", "vocabulary"},
    {"dialect", "vocabulary"},
    {"limits", "vocabulary"},
    {"wake", "vocabulary"},
    {"signals", "os"},
    {"stop", "os"},
    {"own_stop", "os"},
    {"retry", "decision"},
    {"quota", "quota"},
    {"shared_quota", "quota"},
    {"file_ledger", "stores"},
    {"clock", "os"},
    {"transport", "loop"},
    {"testing", "testing"},
    {"manual_clock", "testing"},
    {"scripted_transport", "testing"},
    {"simulated_service", "testing"},
    {"paging", "vocabulary"},
    {"polling", "vocabulary"},
    {"json_parser", "wire"},
    {"json_tree", "wire"},
    {"listing_plan", "vocabulary"},
    {"redis_ledger", "redis"},
    {"sqlite_cache", "sqlite"},
};

/// Public headers that are inline JSON or formatting; no other shows a third party's type.
const std::set<std::string> inline_headers = {"json", "checked", "as_text", "format", "simulated_service"};

std::optional<std::size_t> floor_number(const std::string& name) {
  const auto at = floors.find(name);
  return at == floors.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::size_t> floor_of_file(const std::string& path) {
  const auto parts = path_parts(path);
  if (parts.size() >= 3 && parts[0] == "src") return floor_number(parts[1]);
  if (parts.size() < 3 || parts.size() > 4 || parts[0] != "include") return std::nullopt;
  const auto room = public_rooms.find(path_stem(path));
  return floor_number(room == public_rooms.end() ? "resource" : room->second);
}

std::optional<std::size_t> floor_of_include(const std::string& include) {
  const std::string path = include.substr(1, include.size() - 2);
  if (path.starts_with("noun/")) return floor_of_file("include/" + path);
  return include.front() == '"' ? floor_of_file("src/" + path) : std::nullopt;
}

Findings includes_that_go_up(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    const auto here = floor_of_file(file.path);
    if (!here) continue;
    for (const auto& include : includes_of(file.text)) {
      const auto there = floor_of_include(include);
      if (there && *there > *here) findings.push_back(file.path + " includes " + include);
    }
  }
  return findings;
}

Findings strays_in_src(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    if (file.path.starts_with("src/") && is_cpp(file.path) && !floor_of_file(file.path)) {
      findings.push_back(file.path + " is on no floor");
    }
  }
  return findings;
}

/// A public header whose source lives on another floor than the table says.
Findings misplaced_headers(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    const auto parts = path_parts(file.path);
    const std::string header = "include/noun/" + path_stem(file.path) + ".hpp";
    const bool is_public = std::any_of(files.begin(), files.end(), [&](const auto& f) { return f.path == header; });
    if (parts.size() >= 3 && parts[0] == "src" && is_public && floor_of_file(file.path) != floor_of_file(header)) {
      findings.push_back(header + " and " + file.path + " are not on the same floor");
    }
  }
  return findings;
}

bool acts(const std::string& include) {
  static const std::set<std::string> acting = {
      "<thread>", "<condition_variable>", "<semaphore>", "<future>", "<latch>",   "<barrier>",
      "<random>", "<iostream>",           "<unistd.h>",  "<poll.h>", "<netdb.h>", "<pthread.h>"};
  return acting.contains(include) || include.starts_with("<sys/") || include.starts_with("<netinet/") ||
         include.starts_with("<arpa/") || include.starts_with("<curl/");
}

Findings actions_of_deciders(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    const auto floor = floor_of_file(file.path);
    if (!floor || *floor >= first_acting_floor) continue;
    for (const auto& include : includes_of(file.text)) {
      // The parser that judges an origin is the parser that connects to it.
      const bool judges = file.path == "src/wire/url.cpp" && include.starts_with("<curl/");
      if (acts(include) && !judges) findings.push_back(file.path + " includes " + include);
    }
    const std::string code = without_comments(file.text);
    for (const char* action : {"::now(", "sleep_for", "sleep_until", "this_thread", "curl_easy_", "curl_multi_"}) {
      if (code.find(action) != std::string::npos) findings.push_back(file.path + " contains " + action);
    }
  }
  return findings;
}

/// What reads a clock by itself, outside the room of the operating system.
Findings readers_of_clocks(const Files& files) {
  Findings findings;
  for (const auto& file : files)
    if (file.path.starts_with("src/") && !file.path.starts_with("src/os/") &&
        without_comments(file.text).find("_clock::now(") != std::string::npos)
      findings.push_back(file.path + " reads a clock");
  return findings;
}

/// Whether the header, with its brackets, is of no library that noun uses and not of C++.
bool is_of_a_system(std::string_view include) {
  constexpr std::array libraries = {"<brotli/",  "<curl/",   "<fmt/", "<hiredis/", "<openssl/",
                                    "<simdjson", "<sqlite3", "<zlib", "<zstd"};
  return include.ends_with(".h>") && std::none_of(libraries.begin(), libraries.end(),
                                                  [&](const char* library) { return include.starts_with(library); });
}

/// What would have to be written again for another system, outside the room for that.
Findings includers_of_systems(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    const bool is_inside = file.path.starts_with("src/") || file.path.starts_with("include/");
    if (!is_inside || file.path.starts_with("src/os/")) continue;
    for (const auto& include : includes_of(file.text))
      if (is_of_a_system(include)) findings.push_back(file.path + " includes " + include);
  }
  return findings;
}

/// What waits by the address of an atomic inside: where there is no futex, libstdc++ 12 can miss a notification.
Findings includers_of_semaphores(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    if (!file.path.starts_with("src/") && !file.path.starts_with("include/")) continue;
    for (const auto& include : includes_of(file.text))
      if (include == "<semaphore>" || include == "<latch>" || include == "<barrier>")
        findings.push_back(file.path + " includes " + include);
  }
  return findings;
}

Findings leaks_of_public_headers(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    if (!file.path.starts_with("include/")) continue;
    for (const auto& include : includes_of(file.text)) {
      const bool third_party = include.starts_with("<nlohmann/") || include.starts_with("<fmt/");
      const bool leaks = include.starts_with("<curl/") || include.starts_with("<zlib") ||
                         include.starts_with("<brotli/") || include.starts_with("<zstd") ||
                         include.starts_with("<hiredis") || include.starts_with("<sqlite3") || include.front() == '"';
      if (leaks || (third_party && !inline_headers.contains(path_stem(file.path)))) {
        findings.push_back(file.path + " includes " + include);
      }
    }
  }
  return findings;
}

TEST(Floors, includes_go_down_or_sideways) { EXPECT_THAT(includes_that_go_up(repository()), IsEmpty()); }

TEST(Floors, an_include_that_goes_up_is_found) {
  EXPECT_THAT(includes_that_go_up({{"src/wire/a.cpp", "#include \"quota/quota.hpp\"\n"}}), SizeIs(1));
  EXPECT_THAT(includes_that_go_up({{"src/decision/a.hpp", "#include <noun/clock.hpp>\n"}}), SizeIs(1));
  EXPECT_THAT(includes_that_go_up({{"include/noun/error.hpp", "#include <noun/quota.hpp>\n"}}), SizeIs(1));
  EXPECT_THAT(includes_that_go_up({{"src/loop/a.cpp", "#include <noun/client.hpp>\n"}}), SizeIs(1));
  EXPECT_THAT(includes_that_go_up({{"src/decision/a.cpp",
                                    "#include \"decision/b.hpp\"\n#include \"wire/c.hpp\"\n"
                                    "#include <noun/quota.hpp>\n#include <vector>\n"}}),
              IsEmpty());
  EXPECT_THAT(includes_that_go_up({{"src/resource/a.cpp", "#include \"loop/b.hpp\"\n"}}), IsEmpty());
}

TEST(Floors, every_source_is_on_a_floor) { EXPECT_THAT(strays_in_src(repository()), IsEmpty()); }

TEST(Floors, a_source_on_no_floor_is_found) {
  EXPECT_THAT(strays_in_src({{"src/a.cpp", ""}, {"src/cellar/b.cpp", ""}, {"src/wire/deep/c.cpp", ""}}), SizeIs(2))
      << "a room may have folders";
  EXPECT_THAT(strays_in_src({{"src/wire/a.cpp", ""}, {"src/ARCHITECTURE.md", ""}}), IsEmpty());
}

TEST(Floors, a_header_is_on_the_floor_of_its_source) { EXPECT_THAT(misplaced_headers(repository()), IsEmpty()); }

TEST(Floors, a_header_on_another_floor_than_its_source_is_found) {
  EXPECT_THAT(misplaced_headers({{"include/noun/quota.hpp", ""}, {"src/wire/quota.cpp", ""}}), SizeIs(1));
  EXPECT_THAT(
      misplaced_headers({{"include/noun/quota.hpp", ""}, {"src/quota/quota.cpp", ""}, {"src/wire/url.cpp", ""}}),
      IsEmpty());
}

TEST(Floors, nothing_below_floor_4_acts) { EXPECT_THAT(actions_of_deciders(repository()), IsEmpty()); }

TEST(Floors, an_action_below_floor_4_is_found) {
  EXPECT_THAT(actions_of_deciders({{"src/call/a.cpp", "#include <thread>\n"}}), SizeIs(1));
  EXPECT_THAT(actions_of_deciders({{"src/decision/a.cpp", "#include <sys/socket.h>\n"}}), SizeIs(1));
  EXPECT_THAT(actions_of_deciders({{"src/decision/a.cpp", "#include <random>\n"}}), SizeIs(1));
  EXPECT_THAT(actions_of_deciders({{"src/wire/percent.cpp", "#include <curl/curl.h>\n"}}), SizeIs(1));
  EXPECT_THAT(actions_of_deciders({{"include/noun/time.hpp", "auto t = Clock::now();\n"}}), SizeIs(1));
  EXPECT_THAT(actions_of_deciders({{"src/decision/a.cpp", "std::this_thread::sleep_for(1s);\n"}}), SizeIs(2));
  EXPECT_THAT(actions_of_deciders({{"src/wire/url.cpp", "#include <curl/curl.h>\n"}}), IsEmpty());
  EXPECT_THAT(actions_of_deciders({{"src/decision/a.cpp", "#include <mutex>\n// not steady_clock::now()\n"}}),
              IsEmpty());
  EXPECT_THAT(actions_of_deciders({{"src/loop/a.cpp", "#include <thread>\nauto t = Clock::now();\n"}}), IsEmpty());
}

TEST(Floors, only_the_room_of_the_operating_system_reads_clocks) {
  EXPECT_THAT(readers_of_clocks(repository()), IsEmpty());
}

TEST(Floors, a_reader_of_a_clock_is_found) {
  EXPECT_THAT(readers_of_clocks({{"src/curl/a.cpp", "auto now = std::chrono::steady_clock::now();\n"}}), SizeIs(1));
  EXPECT_THAT(readers_of_clocks({{"src/os/a.cpp", "auto now = std::chrono::steady_clock::now();\n"}}), IsEmpty());
}

TEST(Floors, only_the_room_of_the_operating_system_includes_what_a_system_has) {
  EXPECT_THAT(includers_of_systems(repository()), IsEmpty());
}

TEST(Floors, an_includer_of_what_a_system_has_is_found) {
  EXPECT_THAT(includers_of_systems({{"src/redis/a.cpp", "#include <netdb.h>\n"}}), SizeIs(1));
  EXPECT_THAT(includers_of_systems({{"include/noun/a.hpp", "#include <unistd.h>\n"}}), SizeIs(1));
  EXPECT_THAT(includers_of_systems({{"src/curl/a.cpp", "#include <poll.h>\n"}}), SizeIs(1));
  EXPECT_THAT(includers_of_systems({{"src/redis/a.cpp", "#include <hiredis/hiredis.h>\n#include <cstring>\n"},
                                    {"src/os/posix/a.cpp", "#include <unistd.h>\n"},
                                    {"src/curl/a.cpp", "#include <curl/curl.h>\n"}}),
              IsEmpty());
}

TEST(Floors, there_is_no_semaphore_latch_or_barrier) { EXPECT_THAT(includers_of_semaphores(repository()), IsEmpty()); }

TEST(Floors, an_includer_of_a_semaphore_is_found) {
  EXPECT_THAT(includers_of_semaphores({{"src/loop/a.cpp", "#include <semaphore>\n"},
                                    {"include/noun/a.hpp", "#include <latch>\n"},
                                    {"tests/loop/a.cpp", "#include <barrier>\n"}}),
              SizeIs(2));
}

TEST(Floors, public_headers_show_no_third_party) { EXPECT_THAT(leaks_of_public_headers(repository()), IsEmpty()); }

TEST(Floors, a_third_party_in_a_public_header_is_found) {
  EXPECT_THAT(leaks_of_public_headers({{"include/noun/json.hpp", "#include <curl/curl.h>\n"}}), SizeIs(1));
  EXPECT_THAT(leaks_of_public_headers({{"include/noun/client.hpp", "#include <nlohmann/json.hpp>\n"}}), SizeIs(1));
  EXPECT_THAT(leaks_of_public_headers({{"include/noun/error.hpp", "#include <fmt/format.h>\n"}}), SizeIs(1));
  EXPECT_THAT(leaks_of_public_headers({{"include/noun/error.hpp", "#include \"wire/url.hpp\"\n"}}), SizeIs(1));
  EXPECT_THAT(leaks_of_public_headers({{"include/noun/json.hpp", "#include <nlohmann/json.hpp>\n"}}), IsEmpty());
}

}  // namespace floors_test
}  // namespace house
