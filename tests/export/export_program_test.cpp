// Tests of the program as a user runs it, with the sample server, sockets and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <atlas_service.hpp>
#include <nlohmann/json.hpp>

#include "curl/raw_server.hpp"
#include "export/export_bench.hpp"
#include "export/export_process.hpp"

namespace export_test { namespace export_program_test {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct NounExport : Bench {
  /// The lines of an undisturbed export.
  static const std::vector<std::string>& truth() {
    static const auto lines = [] {
      const atlas::Service service;
      const Folder other;
      Process whole(other.path, words_of(service.base_url() + " /languages --page-size 100 --out all.jsonl"));
      EXPECT_EQ(whole.wait(), 0) << whole.err();
      return lines_of(other / "all.jsonl");
    }();
    return lines;
  }
  /// Waits until the part is longer than `before` bytes.
  void wait_for_more(std::uintmax_t before) const { wait_for_bytes(folder / "l.jsonl.part", before + 1); }
  std::uintmax_t written() const {
    return has("l.jsonl.part") ? std::filesystem::file_size(folder / "l.jsonl.part") : 0;
  }
};

TEST_F(NounExport, writes_every_item_once_and_prints_their_number) {
  const atlas::Service service;
  EXPECT_EQ(run(service.base_url() + " /languages --page-size 100 --out l.jsonl --verify --key alpha_3"), 0) << err;
  EXPECT_EQ(out, "");
  EXPECT_EQ(lines_of(folder / "l.jsonl").size(), service.stats().items.at("languages"));
  EXPECT_THAT(err, AllOf(HasSubstr(" items in l.jsonl after "), HasSubstr("; verified\n")));
  EXPECT_FALSE(has("l.jsonl.part") || has("l.jsonl.journal"));
}

TEST_F(NounExport, writes_only_items_to_standard_output) {
  const atlas::Service service;
  EXPECT_EQ(run(service.base_url() + " /languages --page-size 100 --concurrency 4"), 0) << err;
  EXPECT_EQ(lines_of(folder / "stdout"), truth());
}

TEST_F(NounExport, killed_at_any_moment_resumes_and_loses_nothing) {
  // The quota keeps it from finishing before it is killed.
  const atlas::Service service{{.limit = 25, .period = 1500ms}};
  const auto words =
      words_of(service.base_url() + " /languages --page-size 100 --out l.jsonl --resume --concurrency 2");
  for (int kill = 0; kill < 4; ++kill) {
    const auto before = written();
    Process process(folder.path, words);
    if (kill != 2) wait_for_more(before);
    process.send(SIGKILL);
    ASSERT_EQ(process.wait(), 128 + SIGKILL);
    EXPECT_FALSE(has("l.jsonl"));
  }
  EXPECT_EQ(run(words), 0) << err;
  EXPECT_THAT(err, HasSubstr("of them from the previous run"));
  EXPECT_EQ(lines_of(folder / "l.jsonl"), truth());
  EXPECT_EQ(run(words), 0);
  EXPECT_THAT(err, HasSubstr(" lines; nothing was done; --force replaces it"));
}

TEST_F(NounExport, interrupted_ends_with_130_and_can_be_resumed) {
  const atlas::Service service{{.limit = 25, .period = 1500ms}};
  const auto words = words_of(service.base_url() + " /languages --page-size 100 --out l.jsonl --resume");
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto before = written();
    Process process(folder.path, words);
    wait_for_more(before);
    process.send(signal);
    EXPECT_EQ(process.wait(), signal == SIGINT ? 130 : 143);
    EXPECT_THAT(process.err(), HasSubstr("interrupted: "));
  }
  EXPECT_EQ(run(words), 0) << err;
  EXPECT_EQ(lines_of(folder / "l.jsonl"), truth());
}

TEST_F(NounExport, past_its_deadline_ends_with_75_and_keeps_received_items) {
  const atlas::Service service{{.limit = 5, .period = 30s}};
  EXPECT_EQ(run(service.base_url() + " /languages --page-size 100 --out l.jsonl --deadline 3s"), 75) << err;
  EXPECT_EQ(service.stats().rejected, 0U);
  EXPECT_THAT(err, AllOf(HasSubstr("deadline"), HasSubstr("l.jsonl.part; continue with --resume")));
  EXPECT_TRUE(has("l.jsonl.part"));
}

TEST_F(NounExport, reports_a_wrong_path) {
  const atlas::Service service;
  EXPECT_EQ(run(service.base_url() + " /langauges --out l.jsonl"), 66);
  EXPECT_THAT(err, HasSubstr("/langauges"));
}

TEST_F(NounExport, that_cannot_reach_the_server_ends_with_69) {
  const auto url = atlas::Service().base_url();
  EXPECT_EQ(run(url + " /languages --deadline 2s --quiet"), 69);
  EXPECT_THAT(err, HasSubstr("GET http://127.0.0.1:"));
}

TEST_F(NounExport, writes_at_most_max_items_also_when_resumed) {
  const atlas::Service service{{.limit = 60, .period = 1500ms}};
  const auto words = words_of(service.base_url() + " /languages --page-size 10 --max-items 955 --out l.jsonl --resume");
  {
    Process process(folder.path, words);
    wait_for_more(0);
    process.send(SIGKILL);
  }
  EXPECT_EQ(run(words), 0) << err;
  EXPECT_EQ(lines_of(folder / "l.jsonl"), std::vector<std::string>(truth().begin(), truth().begin() + 955));
}

TEST_F(NounExport, writes_the_selected_part) {
  const atlas::Service service;
  EXPECT_EQ(run(service.base_url() + " /languages --max-items 3 --select /alpha_3"), 0) << err;
  std::string codes;
  for (std::size_t at = 0; at < 3; ++at) codes += nlohmann::json::parse(truth()[at]).at("alpha_3").dump() + "\n";
  EXPECT_EQ(out, codes);
}

TEST_F(NounExport, writes_the_recording_and_its_picture) {
  const atlas::Service service;
  EXPECT_EQ(run(service.base_url() + " /scripts --out s.jsonl --stats run.jsonl --plot run.svg"), 0) << err;
  EXPECT_THAT(text_of(folder / "run.jsonl"), HasSubstr("\"kind\":\"attempt_ended\""));
  EXPECT_TRUE(text_of(folder / "run.svg").starts_with("<svg"));
}

TEST_F(NounExport, writes_a_report_and_says_where) {
  const atlas::Service service;
  const auto line = service.base_url() + " /scripts --force --out s.jsonl --report run.";
  EXPECT_EQ(run(line + "html"), 0) << err;
  EXPECT_THAT(err, ::testing::EndsWith("\nrun.html shows the run\n"));
  EXPECT_THAT(text_of(folder / "run.html"), HasSubstr(service.base_url() + "/scripts"));
  EXPECT_EQ(run(line + "json --quiet"), 0) << err;
  EXPECT_EQ(err, "");
  const auto trace = nlohmann::json::parse(text_of(folder / "run.json"));
  EXPECT_GE(trace.at("traceEvents").size(), 4U);
}

TEST_F(NounExport, says_which_files_a_dry_run_does_not_write) {
  const atlas::Service service;
  EXPECT_EQ(run(service.base_url() + " /scripts --dry-run --out s.jsonl --stats run.jsonl --report run.html "
                                     "--cache responses.db"),
            0)
      << err;
  EXPECT_THAT(err, ::testing::EndsWith("--dry-run does not write run.jsonl, run.html, responses.db\n"));
  for (const std::string file : {"s.jsonl", "run.jsonl", "run.html", "responses.db"}) EXPECT_FALSE(has(file)) << file;
}

TEST_F(NounExport, writes_only_items_into_its_file_if_standard_streams_are_closed) {
  const atlas::Service service;
  const auto line = service.base_url() + " /countries --page-size 100 --key alpha_2 --verify --force --out c.jsonl ";
  for (const std::string closed : {"2>&-", "<&- 2>&-", "<&- >&- 2>&-"}) {
    EXPECT_EQ(run_in_shell(line + closed), 0) << closed;
    EXPECT_EQ(lines_of(folder / "c.jsonl").size(), service.stats().items.at("countries")) << closed;
  }
}

TEST_F(NounExport, fails_if_standard_output_is_closed) {
  const atlas::Service service;
  for (const std::string closed : {">&-", "<&- >&-"}) {
    EXPECT_EQ(run_in_shell(service.base_url() + " /countries " + closed), 74) << closed;
    EXPECT_THAT(err, HasSubstr("cannot write to standard output: Bad file descriptor"));
  }
}

TEST_F(NounExport, ends_with_its_status_if_no_message_can_be_written) {
  EXPECT_EQ(run_in_shell("--nonsense 2>/dev/full"), 64);
  EXPECT_EQ(run_in_shell("--help >/dev/full 2>/dev/full"), 74);
}

TEST_F(NounExport, leaves_an_ignored_signal_ignored) {
  const atlas::Service service{{.limit = 25, .period = 1500ms}};
  auto* const before = std::signal(SIGINT, SIG_IGN);
  Process process(folder.path, words_of(service.base_url() + " /languages --page-size 300 --out l.jsonl"));
  std::signal(SIGINT, before);
  wait_for_more(0);
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(lines_of(folder / "l.jsonl"), truth());
}

TEST_F(NounExport, sends_one_user_agent) {
  noun_test::RawServer server([](noun_test::RawServer::Peer& peer) {
    if (peer.request()) peer.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]");
  });
  const std::vector<std::string> words{server.url(""), "/items"};
  ASSERT_EQ(run(words), 0) << err;
  auto with_own = words;
  with_own.insert(with_own.end(), {"--header", "user-agent: mine/1"});
  ASSERT_EQ(run(with_own), 0) << err;
  const auto requests = server.requests();
  EXPECT_THAT(requests.at(0), HasSubstr("\r\nUser-Agent: noun-export/"));
  EXPECT_THAT(requests.at(1), AllOf(HasSubstr("\r\nuser-agent: mine/1\r\n"), Not(HasSubstr("noun-export/"))));
}

}  // namespace export_program_test
}  // namespace export_test
