// The program, as a person or a script runs it: against the sample service, on real sockets and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include <atlas_service.hpp>
#include <nlohmann/json.hpp>

#include "export/export_process.hpp"

namespace export_test {
namespace export_program_test {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Bench : ::testing::Test {
  Folder folder;

  /// The codes of a file's languages, in their order.
  static std::vector<std::string> codes(const std::vector<std::string>& lines) {
    std::vector<std::string> all;
    for (const auto& line : lines) all.push_back(nlohmann::json::parse(line).at("alpha_3").get<std::string>());
    return all;
  }
  /// What a whole export has, by one that nothing happened to.
  static const std::vector<std::string>& truth() {
    static const auto lines = [] {
      const atlas::Service service;
      const Folder other;
      Process whole(other.path, {service.base_url(), "/languages", "--page-size", "100", "--out", "all.jsonl"});
      EXPECT_EQ(whole.wait(), 0) << whole.err();
      return lines_of(other / "all.jsonl");
    }();
    return lines;
  }
  bool has(const std::string& name) const { return std::filesystem::exists(folder / name); }
  std::uintmax_t written() const {
    return has("l.jsonl.part") ? std::filesystem::file_size(folder / "l.jsonl.part") : 0;
  }
};

using NounExport = Bench;

TEST_F(NounExport, writes_every_item_once_and_says_how_many) {
  const atlas::Service service;
  Process process(folder.path, {service.base_url(), "/languages", "--page-size", "100", "--out", "l.jsonl", "--verify",
                                "--key", "alpha_3"});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(process.out(), "");
  const auto lines = lines_of(folder / "l.jsonl");
  EXPECT_EQ(lines.size(), service.stats().items.at("languages"));
  EXPECT_THAT(process.err(), AllOf(HasSubstr(" items in l.jsonl after "), HasSubstr("; verified\n")));
  EXPECT_FALSE(has("l.jsonl.part"));
  EXPECT_FALSE(has("l.jsonl.journal"));
}

TEST_F(NounExport, writes_to_standard_output_without_a_word_between) {
  const atlas::Service service;
  Process process(folder.path, {service.base_url(), "/languages", "--page-size", "100", "--concurrency", "4"});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(lines_of(folder / "stdout"), truth());
}

TEST_F(NounExport, killed_at_any_moment_goes_on_and_loses_nothing) {
  // A quota that holds it, so that it cannot be through before it is killed.
  const atlas::Service service{{.limit = 25, .period = 1500ms}};
  const std::vector<std::string> words{service.base_url(), "/languages", "--page-size",   "100", "--out",
                                       "l.jsonl",          "--resume",   "--concurrency", "2"};
  for (int kill = 0; kill < 4; ++kill) {
    const auto before = written();
    Process process(folder.path, words);
    if (kill != 2) wait_for_bytes(folder / "l.jsonl.part", before + 1);
    process.send(SIGKILL);
    ASSERT_EQ(process.wait(), 128 + SIGKILL);
    EXPECT_FALSE(has("l.jsonl"));
  }
  Process last(folder.path, words);
  EXPECT_EQ(last.wait(), 0) << last.err();
  EXPECT_THAT(last.err(), HasSubstr("of them from before"));
  EXPECT_EQ(lines_of(folder / "l.jsonl"), truth());
  Process again(folder.path, words);
  EXPECT_EQ(again.wait(), 0);
  EXPECT_THAT(again.err(), HasSubstr("l.jsonl is there already, and no part of it to go on with: nothing was done"));
}

TEST_F(NounExport, interrupted_ends_with_130_and_can_be_resumed) {
  const atlas::Service service{{.limit = 25, .period = 1500ms}};
  const std::vector<std::string> words{service.base_url(), "/languages", "--page-size", "100", "--out",
                                       "l.jsonl",          "--resume"};
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto before = written();
    Process process(folder.path, words);
    wait_for_bytes(folder / "l.jsonl.part", before + 1);
    process.send(signal);
    EXPECT_EQ(process.wait(), signal == SIGINT ? 130 : 143);
    EXPECT_THAT(process.err(), HasSubstr("interrupted: "));
  }
  Process last(folder.path, words);
  EXPECT_EQ(last.wait(), 0) << last.err();
  EXPECT_EQ(lines_of(folder / "l.jsonl"), truth());
}

TEST_F(NounExport, never_writes_over_what_is_there) {
  const atlas::Service service;
  std::ofstream(folder / "l.jsonl") << "precious\n";
  const std::vector<std::string> words{service.base_url(), "/scripts", "--out", "l.jsonl"};
  Process refused(folder.path, words);
  EXPECT_EQ(refused.wait(), 64);
  EXPECT_THAT(refused.err(), HasSubstr("l.jsonl"));
  EXPECT_EQ(text_of(folder / "l.jsonl"), "precious\n");
  auto forced = words;
  forced.emplace_back("--force");
  Process replaced(folder.path, forced);
  EXPECT_EQ(replaced.wait(), 0) << replaced.err();
  EXPECT_EQ(lines_of(folder / "l.jsonl").size(), service.stats().items.at("scripts"));
}

TEST_F(NounExport, of_a_deadline_that_passes_ends_with_75_and_keeps_what_came) {
  const atlas::Service service{{.limit = 5, .period = 30s}};
  Process process(folder.path,
                  {service.base_url(), "/languages", "--page-size", "100", "--out", "l.jsonl", "--deadline", "3s"});
  EXPECT_EQ(process.wait(), 75) << process.err();
  EXPECT_EQ(service.stats().rejected, 0U);
  EXPECT_THAT(process.err(), HasSubstr("deadline"));
  EXPECT_THAT(process.err(), HasSubstr("l.jsonl.part; go on with --resume"));
  EXPECT_TRUE(has("l.jsonl.part"));
}

TEST_F(NounExport, says_where_the_path_is_wrong) {
  const atlas::Service service;
  Process process(folder.path, {service.base_url(), "/langauges", "--out", "l.jsonl"});
  EXPECT_EQ(process.wait(), 66);
  EXPECT_THAT(process.err(), HasSubstr("/langauges"));
}

TEST_F(NounExport, that_cannot_reach_the_service_ends_with_69) {
  const auto port = [] {
    const atlas::Service gone;
    return gone.port();
  }();
  Process process(folder.path,
                  {"http://127.0.0.1:" + std::to_string(port), "/languages", "--deadline", "2s", "--quiet"});
  EXPECT_EQ(process.wait(), 69);
  EXPECT_THAT(process.err(), HasSubstr("GET http://127.0.0.1:"));
}

TEST_F(NounExport, whose_disk_is_full_says_so_and_ends_with_74) {
  const atlas::Service service;
  Process process(folder.path, {service.base_url(), "/languages", "--page-size", "100"}, {}, "/dev/full");
  EXPECT_EQ(process.wait(), 74);
  EXPECT_THAT(process.err(), HasSubstr("cannot write to standard output: No space left on device"));
}

TEST_F(NounExport, tries_out_with_one_request_and_writes_nothing) {
  const atlas::Service service;
  Process process(folder.path,
                  {service.base_url(), "/languages", "--page-size", "100", "--out", "l.jsonl", "--dry-run",
                   "--token-env", "CANARY_TOKEN"},
                  {{"CANARY_TOKEN", "canary-0815"}});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(service.stats().requests, 1U);
  EXPECT_FALSE(has("l.jsonl.part"));
  EXPECT_THAT(process.out(), HasSubstr("curl "));
  EXPECT_THAT(process.out() + process.err(), Not(HasSubstr("canary-0815")));
}

TEST_F(NounExport, takes_no_more_items_than_it_is_told_also_when_it_is_resumed) {
  const atlas::Service service{{.limit = 60, .period = 1500ms}};
  const std::vector<std::string> words{
      service.base_url(), "/languages", "--page-size", "10", "--max-items", "955", "--out", "l.jsonl", "--resume"};
  {
    Process process(folder.path, words);
    wait_for_bytes(folder / "l.jsonl.part", 1);
    process.send(SIGKILL);
  }
  Process last(folder.path, words);
  EXPECT_EQ(last.wait(), 0) << last.err();
  const auto lines = lines_of(folder / "l.jsonl");
  EXPECT_EQ(lines, std::vector<std::string>(truth().begin(), truth().begin() + 955));
}

TEST_F(NounExport, writes_the_part_that_is_selected) {
  const atlas::Service service;
  Process process(folder.path, {service.base_url(), "/languages", "--max-items", "3", "--select", "/alpha_3"});
  EXPECT_EQ(process.wait(), 0) << process.err();
  const auto first = codes({truth().begin(), truth().begin() + 3});
  EXPECT_EQ(process.out(), "\"" + first[0] + "\"\n\"" + first[1] + "\"\n\"" + first[2] + "\"\n");
}

TEST_F(NounExport, keeps_the_run_and_its_picture) {
  const atlas::Service service;
  Process process(folder.path,
                  {service.base_url(), "/scripts", "--out", "s.jsonl", "--stats", "run.jsonl", "--plot", "run.svg"});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_THAT(text_of(folder / "run.jsonl"), HasSubstr("\"kind\":\"answered\""));
  EXPECT_TRUE(text_of(folder / "run.svg").starts_with("<svg"));
}

}  // namespace export_program_test
}  // namespace export_test
