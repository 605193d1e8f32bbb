// Tests of noun-quota as a user runs it, over the files that exports have left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include <atlas_service.hpp>
#include <nlohmann/json.hpp>

#include "export/export_bench.hpp"
#include "export/export_process.hpp"

namespace export_test { namespace quota_program_test {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct NounQuota : Bench {
  int show(const std::string& line, const std::map<std::string, std::string>& environment = {},
           const std::string& output = {}) {
    Process process(folder.path, words_of(line), environment, output, quota_program);
    const auto status = process.wait();
    out = process.out();
    err = process.err();
    return status;
  }
  /// Exports 3 pages, with a quota of 1,000 for an hour.
  void export_some() {
    const atlas::Service service{{.limit = 1000, .period = 1h}};
    ASSERT_EQ(run(service.base_url() + " /languages --page-size 100 --max-items 300 --share ./quotas"), 0) << err;
  }
  /// The bytes of the files of quotas, without those of locks.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "quotas"))
      if (entry.path().extension() != ".lock") found[entry.path()] = text_of(entry.path());
    return found;
  }
};

TEST_F(NounQuota, shows_what_exports_have_left) {
  export_some();
  EXPECT_EQ(show("./quotas"), 0) << err;
  EXPECT_THAT(out, AllOf(HasSubstr("noun:"), HasSubstr("1,000        997"), HasSubstr("no process shares it now")));
  EXPECT_EQ(show("--json ./quotas"), 0) << err;
  const auto all = nlohmann::json::parse(out);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].at("leased"), 0);
  const auto partition = all[0].at("partitions").at(0);
  EXPECT_EQ(partition.at("limit"), 1000);
  EXPECT_EQ(partition.at("remaining"), 997);
  EXPECT_EQ(partition.at("sent"), 3);
  EXPECT_EQ(partition.at("rejected"), 0);
  EXPECT_GT(partition.at("resets_in_s"), 0);
  EXPECT_LE(partition.at("resets_in_s"), 3601);
}

TEST_F(NounQuota, changes_nothing) {
  export_some();
  const auto before = files();
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(show("./quotas"), 0);
  EXPECT_EQ(files(), before);
}

TEST_F(NounQuota, shows_the_processes_that_share_it_now) {
  // The second page has to wait for the next window.
  const atlas::Service service{{.limit = 1, .period = 1h}};
  Process waiting(folder.path,
                  words_of(service.base_url() + " /languages --page-size 10 --out l.jsonl --share ./quotas"));
  wait_for_bytes(folder / "l.jsonl.part", 1);
  EXPECT_EQ(show("./quotas --json"), 0) << err;
  const auto all = nlohmann::json::parse(out);
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].at("holders").size(), 1U);
  EXPECT_EQ(all[0].at("holders")[0].at("id").get<std::string>().size(), 12U);
  EXPECT_EQ(show("./quotas"), 0);
  EXPECT_THAT(out, HasSubstr("total of 1"));
}

TEST_F(NounQuota, has_nothing_to_show_in_an_empty_directory) {
  std::filesystem::create_directory(folder / "empty");
  EXPECT_EQ(show("./empty"), 0);
  EXPECT_THAT(out, HasSubstr("no shared quotas"));
  export_some();
  EXPECT_EQ(show("./quotas --prefix team-7"), 0);
  EXPECT_THAT(out, HasSubstr("no shared quotas"));
}

TEST_F(NounQuota, says_why_a_place_cannot_be_read) {
  EXPECT_EQ(show("./absent"), 69);
  EXPECT_THAT(err, AllOf(HasSubstr("noun-quota: cannot open the directory"), HasSubstr("No such file or directory")));
  EXPECT_FALSE(has("absent"));
#ifdef NOUN_EXPORT_REDIS
  EXPECT_EQ(show("redis://127.0.0.1:1"), 69);
  EXPECT_THAT(err, HasSubstr("cannot connect to the Redis server at 127.0.0.1:1: Connection refused"));
  EXPECT_EQ(show("--place-env PLACE", {{"PLACE", "redis:/:canary-0815@127.0.0.1:1"}}), 64);
  EXPECT_THAT(err, HasSubstr("neither a directory nor a URL"));
  EXPECT_THAT(err, Not(HasSubstr("canary")));
  EXPECT_EQ(show("--place-env PLACE", {{"PLACE", "redis://:canary-0815@127.0.0.1:1"}}), 69);
  EXPECT_THAT(err, Not(HasSubstr("canary-0815")));
#else
  EXPECT_EQ(show("redis://127.0.0.1:1"), 64);
  EXPECT_THAT(err, HasSubstr("built without Redis"));
#endif
}

TEST_F(NounQuota, says_which_bytes_are_damaged) {
  export_some();
  for (const auto& [file, bytes] : files()) std::ofstream(file, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  EXPECT_EQ(show("./quotas"), 65);
  EXPECT_THAT(out, AllOf(HasSubstr("noun:"), HasSubstr("is damaged; remove it")));
  EXPECT_EQ(show("./quotas --json"), 65);
  EXPECT_THAT(nlohmann::json::parse(out).at(0).at("error").get<std::string>(), HasSubstr("is damaged"));
}

TEST_F(NounQuota, refuses_an_invalid_command_line) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "name one place of shared quotas: PLACE, or --place-env NAME."},
      {"./quotas --place-env PLACE", "name one place"},
      {"./quotas more", "see noun-quota --help"},
      {"--nonsense", "see noun-quota --help"},
      {"redis://:canary-1@h", "use --place-env NAME"},
      {"redis:/:canary-1@h", "use --place-env NAME"},
      {"quota.internal:6379", "neither a directory nor a URL"},
      {"--place-env canary-1", "not the secret itself"},
      {"--place-env NOTHING_HERE", "the environment variable NOTHING_HERE (--place-env) is not set"},
      {"./quotas --prefix *", "--prefix must have letters"},
      {"./quotas --json=yes", "see noun-quota --help"},
  };
  for (const auto& [line, says] : cases) {
    EXPECT_EQ(show(line), 64) << line;
    EXPECT_THAT(err, AllOf(::testing::StartsWith("noun-quota: "), HasSubstr(says), Not(HasSubstr("canary"))));
    EXPECT_EQ(out, "");
  }
}

TEST_F(NounQuota, reports_that_its_output_cannot_be_written) {
  std::filesystem::create_directory(folder / "quotas");
  EXPECT_EQ(show("./quotas", {}, "/dev/full"), 74);
  EXPECT_THAT(err, HasSubstr("No space left on device"));
  EXPECT_EQ(show("--version"), 0);
  EXPECT_EQ(show("--help"), 0);
  EXPECT_THAT(out, HasSubstr("Exit status:"));
}

TEST_F(NounQuota, ends_with_its_status_if_no_message_can_be_written) {
  EXPECT_EQ(run_in_shell("--nonsense 2>/dev/full", quota_program), 64);
  EXPECT_EQ(run_in_shell("./absent 2>/dev/full", quota_program), 69);
}

}  // namespace quota_program_test
}  // namespace export_test
