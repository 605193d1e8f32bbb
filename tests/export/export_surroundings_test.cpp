// The program among what is around it: streams that take nothing, signals not meant for it, tokens that are not there.
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <atlas_service.hpp>

#include "export/export_process.hpp"
#include "export/offset_service.hpp"

namespace export_test {
namespace export_surroundings_test {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Bench : ::testing::Test {
  Folder folder;
};

using ExportSurroundings = Bench;

TEST_F(ExportSurroundings, says_that_its_words_cannot_be_written) {
  const atlas::Service service;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"--version"}, {service.base_url(), "/scripts", "--dry-run"}}) {
    Process process(folder.path, words, {}, "/dev/full");
    EXPECT_EQ(process.wait(), 74) << words[0];
    EXPECT_THAT(process.err(), HasSubstr("cannot write to standard output: No space left on device"));
  }
}

TEST_F(ExportSurroundings, tries_out_with_the_first_page_alone_whatever_is_to_be_read_ahead) {
  const atlas::Service service;
  Process process(folder.path,
                  {service.base_url(), "/languages", "--page-size", "100", "--dry-run", "--concurrency", "16"});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(service.stats().requests, 1U);
  EXPECT_THAT(process.out(), HasSubstr("pages  79 more"));
}

TEST_F(ExportSurroundings, shows_no_command_for_a_request_that_is_not_made) {
  Process process(folder.path, {"https://api.example.com", "/a", "--dry-run", "--paging", "odata", "--page-size", "5"});
  EXPECT_EQ(process.wait(), 64) << process.err();
  EXPECT_EQ(process.out(), "");
}

TEST_F(ExportSurroundings, a_signal_that_is_not_for_it_changes_nothing) {
  const atlas::Service service{{.limit = 25, .period = 1500ms}};
  Process process(folder.path, {service.base_url(), "/languages", "--page-size", "100", "--out", "l.jsonl"});
  wait_for_bytes(folder / "l.jsonl.part", 1);
  process.send(SIGUSR1);
  wait_for_bytes(folder / "l.jsonl.part", std::filesystem::file_size(folder / "l.jsonl.part") + 1);
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130) << process.err();
}

/// What this process starts meanwhile may write no file longer than that.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_F(ExportSurroundings, a_limit_of_file_sizes_is_told) {
  const atlas::Service service;
  const std::vector<std::string> words{service.base_url(), "/languages", "--page-size", "100", "--out",
                                       "l.jsonl",          "--resume"};
  {
    const FileSizeLimit limit(100'000);
    Process process(folder.path, words);
    EXPECT_EQ(process.wait(), 74);
    EXPECT_THAT(process.err(), AllOf(HasSubstr("cannot write l.jsonl.part: File too large"), HasSubstr("--resume")));
  }
  Process last(folder.path, words);
  EXPECT_EQ(last.wait(), 0) << last.err();
  EXPECT_EQ(lines_of(folder / "l.jsonl").size(), service.stats().items.at("languages"));
}

TEST_F(ExportSurroundings, a_token_that_is_not_there_is_told_and_nothing_is_sent) {
  const atlas::Service service;
  const auto said = [&](const std::string& option, const std::string& value) {
    Process process(folder.path, {service.base_url(), "/scripts", option, value});
    EXPECT_EQ(process.wait(), 64) << option << value;
    return process.err();
  };
  EXPECT_THAT(said("--token-env", "NO_SUCH_NAME"),
              HasSubstr("the environment variable NO_SUCH_NAME (--token-env) is not set: put the token into it"));
  EXPECT_THAT(said("--token-file", "none"), HasSubstr("cannot read none (--token-file): No such file or directory"));
  std::ofstream(folder / "blank") << " \r\ncanary\n";
  EXPECT_THAT(said("--token-file", "blank"), HasSubstr("blank (--token-file) has nothing on its first line"));
  std::ofstream(folder / "no token") << std::string(100'000, 'x');
  EXPECT_THAT(said("--token-file", "no token"), HasSubstr("no token (--token-file) has no end of its first line"));
  EXPECT_EQ(service.stats().requests, 0U);
}

TEST_F(ExportSurroundings, statistics_of_a_resumed_run_go_on_in_their_file) {
  const atlas::Service service;
  const std::vector<std::string> words{service.base_url(), "/languages", "--page-size", "100",       "--out",
                                       "l.jsonl",          "--resume",   "--stats",     "run.jsonl", "--max-items"};
  auto half = words;
  half.emplace_back("300");
  half.insert(half.end(), {"--deadline", "1ms"});
  Process first(folder.path, half);
  EXPECT_EQ(first.wait(), 75) << first.err();
  const auto lines = lines_of(folder / "run.jsonl");
  auto whole = words;
  whole.emplace_back("300");
  Process last(folder.path, whole);
  EXPECT_EQ(last.wait(), 0) << last.err();
  const auto more = lines_of(folder / "run.jsonl");
  ASSERT_GT(more.size(), lines.size());
  EXPECT_TRUE(std::equal(lines.begin(), lines.end(), more.begin()));
}

TEST_F(ExportSurroundings, that_is_refused_leaves_statistics_alone_and_no_files_behind) {
  const atlas::Service service;
  std::ofstream(folder / "l.jsonl") << "precious\n";
  std::ofstream(folder / "run.jsonl") << "of yesterday\n";
  Process refused(folder.path, {service.base_url(), "/scripts", "--out", "l.jsonl", "--stats", "run.jsonl"});
  EXPECT_EQ(refused.wait(), 64);
  EXPECT_EQ(text_of(folder / "run.jsonl"), "of yesterday\n");
  Process drawn(folder.path, {service.base_url(), "/scripts", "--plot", "run.svg"});
  EXPECT_EQ(drawn.wait(), 0) << drawn.err();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::UnorderedElementsAre("stdout", "stderr", "l.jsonl", "run.jsonl", "run.svg"));
  Process nowhere(folder.path, {service.base_url(), "/scripts", "--out", "s.jsonl", "--stats", "no/such/run.jsonl"});
  EXPECT_EQ(nowhere.wait(), 74);
  EXPECT_FALSE(std::filesystem::exists(folder / "s.jsonl.part"));
  EXPECT_THAT(nowhere.err(), HasSubstr("cannot write no/such/run.jsonl: No such file or directory; give --stats"));
}

TEST_F(ExportSurroundings, statistics_and_pictures_replace_nothing_but_by_force) {
  const atlas::Service service;
  for (const auto* option : {"--stats", "--plot"}) {
    for (const bool resumed : {false, true}) {
      std::ofstream(folder / "precious") << "of yesterday\n";
      std::vector<std::string> words{service.base_url(), "/scripts", "--out", option + std::string("s.jsonl"), option,
                                     "precious"};
      if (resumed) words.emplace_back("--resume");
      Process refused(folder.path, words);
      EXPECT_EQ(refused.wait(), 64) << option << resumed;
      EXPECT_THAT(refused.err(), HasSubstr("precious is there already (" + std::string(option) + "): take another"));
      EXPECT_EQ(text_of(folder / "precious"), "of yesterday\n");
      words.emplace_back("--force");
      Process forced(folder.path, words);
      EXPECT_EQ(forced.wait(), 0) << forced.err();
      EXPECT_NE(text_of(folder / "precious"), "of yesterday\n");
      std::filesystem::remove(folder / (option + std::string("s.jsonl")));
    }
  }
  Process again(folder.path, {service.base_url(), "/scripts", "--out", "s.jsonl", "--plot", "precious", "--resume"});
  EXPECT_EQ(again.wait(), 0) << again.err();
}

TEST_F(ExportSurroundings, one_page_of_an_object_may_not_be_all) {
  const auto body = R"({"rows":[{"id":1},{"id":2}],"next":"somewhere"})";
  noun_test::RawServer server([&](noun_test::RawServer::Peer& peer) {
    while (peer.request()) peer.send(noun_test::answer(body, "Content-Type: application/json\r\n"));
  });
  const auto url = "http://127.0.0.1:" + std::to_string(server.port());
  Process process(folder.path, {url, "/a", "--items", "rows", "--out", "a.jsonl", "--verify"});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_THAT(process.err(),
              AllOf(HasSubstr("2 items in a.jsonl"), HasSubstr("; verified, but for their number, which"),
                    HasSubstr("one page was read, and no Link header told of another")));
  Process enough(folder.path, {url, "/a", "--items", "rows", "--max-items", "2"});
  EXPECT_EQ(enough.wait(), 0);
  EXPECT_THAT(enough.err(), Not(HasSubstr("one page was read")));
}

TEST_F(ExportSurroundings, a_token_that_is_wanted_and_not_given_is_told) {
  OffsetService service({"1"});
  service.refuse_from(0, "401 Unauthorized");
  Process process(folder.path, service.words());
  EXPECT_EQ(process.wait(), 77) << process.err();
  EXPECT_THAT(process.err(), HasSubstr("no token was sent: --token-env NAME or --token-file FILE gives one"));
}

}  // namespace export_surroundings_test
}  // namespace export_test
