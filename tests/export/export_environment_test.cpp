// Tests of the program's environment: streams that cannot be written, unrelated signals, missing tokens.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <atlas_service.hpp>

#include "curl/certificates.hpp"
#include "curl/raw_server.hpp"
#include "curl/tls_server.hpp"
#include "export/export_bench.hpp"
#include "export/export_process.hpp"
#include "export/offset_server.hpp"

namespace export_test { namespace export_environment_test {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct ExportEnvironment : Bench {};

TEST_F(ExportEnvironment, reports_that_its_output_cannot_be_written) {
  const atlas::Service service;
  for (const auto& line :
       {std::string("--help"), std::string("--version"), service.base_url() + " /scripts --dry-run"}) {
    EXPECT_EQ(run(words_of(line), {}, "/dev/full"), 74) << line;
    EXPECT_THAT(err, HasSubstr("cannot write to standard output: No space left on device"));
  }
}

TEST_F(ExportEnvironment, dry_run_sends_one_request_and_writes_nothing) {
  const atlas::Service service;
  const auto line = service.base_url() +
                    " /languages --page-size 100 --dry-run --concurrency 16 --out l.jsonl --token-env CANARY_TOKEN";
  EXPECT_EQ(run(words_of(line), {{"CANARY_TOKEN", "canary-0815"}}), 0) << err;
  EXPECT_EQ(service.stats().requests, 1U);
  EXPECT_FALSE(has("l.jsonl.part"));
  EXPECT_THAT(out, AllOf(HasSubstr("curl "), HasSubstr("pages  79 more")));
  EXPECT_THAT(out + err, Not(HasSubstr("canary-0815")));
}

TEST_F(ExportEnvironment, shows_no_command_without_a_request) {
  EXPECT_EQ(run("https://api.example.com /a --dry-run --paging odata --page-size 5"), 64) << err;
  EXPECT_EQ(out, "");
}

TEST_F(ExportEnvironment, uses_the_proxy_of_the_environment_only_if_told_to) {
  const atlas::Service service;
  const auto line = service.base_url() + " /scripts --dry-run";
  const std::map<std::string, std::string> dead_proxy = {{"http_proxy", "http://127.0.0.1:1"}};
  EXPECT_EQ(run(words_of(line), dead_proxy), 0) << err;
  EXPECT_EQ(run(words_of(line + " --from-environment --deadline 1s"), dead_proxy), 69) << err;
  EXPECT_THAT(err, AllOf(HasSubstr("cannot connect to the proxy 127.0.0.1:1"), HasSubstr("check the proxy of the environment")));
}

// libcurl would create the file.
TEST_F(ExportEnvironment, reads_no_other_variable) {
  noun_test::Certificates certificates;
  certificates.make("mine");
  noun_test::TlsServer server(certificates, "mine", {"-www"});
  const auto keys = folder / "keys";
  const std::map<std::string, std::string> environment = {
      {"SSLKEYLOGFILE", keys.string()}, {"OPENSSL_CONF", (folder / "none").string()}, {"https_proxy", "nonsense"}};
  EXPECT_EQ(run(words_of(server.url() + " /a --out a.jsonl"), environment), 69);
  EXPECT_THAT(err, HasSubstr("certificate"));
  EXPECT_FALSE(exists(keys));
  EXPECT_EQ(run("--help"), 0);
  EXPECT_THAT(out, HasSubstr("All other variables are removed at the start"));
}

TEST_F(ExportEnvironment, an_unrelated_signal_changes_nothing) {
  const atlas::Service service{{.limit = 25, .period = 1500ms}};
  Process process(folder.path, words_of(service.base_url() + " /languages --page-size 100 --out l.jsonl"));
  wait_for_bytes(folder / "l.jsonl.part", 1);
  process.send(SIGUSR1);
  wait_for_bytes(folder / "l.jsonl.part", std::filesystem::file_size(folder / "l.jsonl.part") + 1);
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130) << process.err();
}

/// During its lifetime, child processes cannot write files longer than `bytes`.
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

TEST_F(ExportEnvironment, a_file_size_limit_is_reported) {
  const atlas::Service service;
  const auto line = service.base_url() + " /languages --page-size 100 --out l.jsonl --resume";
  {
    const FileSizeLimit limit(100'000);
    EXPECT_EQ(run(line), 74);
    EXPECT_THAT(err, AllOf(HasSubstr("cannot write l.jsonl.part: File too large"), HasSubstr("--resume")));
  }
  EXPECT_EQ(run(line), 0) << err;
  EXPECT_EQ(lines_of(folder / "l.jsonl").size(), service.stats().items.at("languages"));
}

TEST_F(ExportEnvironment, a_missing_token_is_reported_and_nothing_is_sent) {
  const atlas::Service service;
  put("blank", " \r\ncanary\n");
  put("no_token", std::string(100'000, 'x'));
  const std::pair<const char*, const char*> cases[] = {
      {"--token-env NO_SUCH_NAME",
       "the environment variable NO_SUCH_NAME (--token-env) is not set; set it to the token"},
      {"--token-file none", "cannot read none (--token-file): No such file or directory"},
      {"--token-file blank", "blank (--token-file) has an empty first line"},
      {"--token-file no_token", "no_token (--token-file) has a first line of more than 64 KiB"},
  };
  for (const auto& [option, says] : cases) {
    EXPECT_EQ(run(service.base_url() + " /scripts " + option), 64) << option;
    EXPECT_THAT(err, HasSubstr(says));
  }
  EXPECT_EQ(service.stats().requests, 0U);
}

TEST_F(ExportEnvironment, statistics_of_a_resumed_run_are_appended) {
  const atlas::Service service;
  const auto line =
      service.base_url() + " /languages --page-size 100 --out l.jsonl --resume --stats run.jsonl --max-items 300";
  EXPECT_EQ(run(line + " --deadline 1ms"), 75) << err;
  const auto lines = lines_of(folder / "run.jsonl");
  EXPECT_EQ(run(line), 0) << err;
  const auto more = lines_of(folder / "run.jsonl");
  ASSERT_GT(more.size(), lines.size());
  EXPECT_TRUE(std::equal(lines.begin(), lines.end(), more.begin()));
}

TEST_F(ExportEnvironment, never_overwrites_files_and_leaves_none) {
  const atlas::Service service;
  put("l.jsonl", "precious\n");
  put("run.jsonl", "of yesterday\n");
  EXPECT_EQ(run(service.base_url() + " /scripts --out l.jsonl --stats run.jsonl"), 64);
  EXPECT_THAT(err, HasSubstr("l.jsonl"));
  EXPECT_EQ(text_of(folder / "l.jsonl"), "precious\n");
  EXPECT_EQ(text_of(folder / "run.jsonl"), "of yesterday\n");
  EXPECT_EQ(run(service.base_url() + " /scripts --out l.jsonl --force"), 0) << err;
  EXPECT_EQ(lines_of(folder / "l.jsonl").size(), service.stats().items.at("scripts"));
  EXPECT_EQ(run(service.base_url() + " /scripts --plot run.svg"), 0) << err;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("stdout", "stderr", "l.jsonl", "run.jsonl", "run.svg"));
  EXPECT_EQ(run(service.base_url() + " /scripts --out s.jsonl --stats no/such/run.jsonl"), 74);
  EXPECT_FALSE(has("s.jsonl.part"));
  EXPECT_THAT(err, HasSubstr("cannot write no/such/run.jsonl: No such file or directory; create the folder"));
}

TEST_F(ExportEnvironment, statistics_and_pictures_replace_files_only_with_force) {
  const atlas::Service service;
  for (const std::string option : {"--stats", "--plot"})
    for (const std::string resume : {"", " --resume"}) {
      put("precious", "of yesterday\n");
      const auto line = service.base_url() + " /scripts --out " + option + "s.jsonl " + option + " precious" + resume;
      EXPECT_EQ(run(line), 64) << line;
      EXPECT_THAT(err, HasSubstr("precious already exists (" + option + "); use another name"));
      EXPECT_EQ(text_of(folder / "precious"), "of yesterday\n");
      EXPECT_EQ(run(line + " --force"), 0) << err;
      EXPECT_NE(text_of(folder / "precious"), "of yesterday\n");
      std::filesystem::remove(folder / (option + "s.jsonl"));
    }
  EXPECT_EQ(run(service.base_url() + " /scripts --out s.jsonl --plot precious --resume"), 0) << err;
}

/// Returns the same page to every request.
class OnePage {
 public:
  explicit OnePage(std::string body)
      : body_(std::move(body)), server_([this](noun_test::RawServer::Peer& peer) {
          while (peer.request()) peer.send(noun_test::http_response(body_, "Content-Type: application/json\r\n"));
        }) {}
  std::string base_url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  std::size_t requests() const { return server_.requests().size(); }

 private:
  std::string body_;
  noun_test::RawServer server_;
};

TEST_F(ExportEnvironment, a_page_that_reports_more_items_is_incomplete) {
  const std::pair<std::string, std::string> hints[] = {{R"("next_cursor":"abc")", "a value at /next_cursor"},
                                                       {R"("has_more":true)", "true at /has_more"},
                                                       {R"("total":300)", "reports 300 items at /total and has 10"}};
  for (const auto& [member, words] : hints) {
    OnePage server(R"({"items":[0,1,2,3,4,5,6,7,8,9],)" + member + "}");
    const auto line = server.base_url() + " /items --items items --out a.jsonl";
    EXPECT_EQ(run(line + " --verify"), 65) << err;
    EXPECT_THAT(err, AllOf(HasSubstr(words), HasSubstr("--paging NAME or --dialect NAME"), Not(HasSubstr("verified")),
                           HasSubstr("10 items are in a.jsonl.part, but --resume cannot continue")));
    EXPECT_FALSE(has("a.jsonl"));
    EXPECT_EQ(run(line + " --verify --resume"), 65) << err;
    EXPECT_THAT(err, AllOf(HasSubstr(words), Not(HasSubstr("verified"))));
    for (const auto* file : {"a.jsonl.part", "a.jsonl.journal"}) std::filesystem::remove(folder / file);
    const auto before = server.requests();
    EXPECT_EQ(run(line + " --dry-run"), 65);
    EXPECT_THAT(err, HasSubstr(words));
    EXPECT_EQ(server.requests(), before + 1);
    EXPECT_EQ(run(line + " --max-items 10 --verify --force"), 0) << err;
    EXPECT_EQ(run(line + " --paging single_page --verify --force"), 0) << err;
    EXPECT_THAT(err, HasSubstr("10 items in a.jsonl"));
    std::filesystem::remove(folder / "a.jsonl");
  }
}

TEST_F(ExportEnvironment, one_page_that_is_an_object_may_be_incomplete) {
  OnePage server(R"({"rows":[{"id":1},{"id":2}],"further":"somewhere"})");
  const auto line = server.base_url() + " /a --items rows";
  EXPECT_EQ(run(line + " --out a.jsonl --verify"), 0) << err;
  EXPECT_THAT(err,
              AllOf(HasSubstr("2 items in a.jsonl"), HasSubstr("; the lines are valid, but not verified: the server"),
                    HasSubstr("one page was read, and it does not report whether there are more")));
  EXPECT_EQ(run(line + " --max-items 2"), 0);
  EXPECT_THAT(err, Not(HasSubstr("one page was read")));
}

TEST_F(ExportEnvironment, a_401_without_a_token_is_explained) {
  OffsetServer service({"1"});
  service.refuse_from(0, "401 Unauthorized");
  EXPECT_EQ(run(service.words()), 77) << err;
  EXPECT_THAT(err, HasSubstr("no token was sent; set one with --token-env NAME or --token-file FILE"));
}

}  // namespace export_environment_test
}  // namespace export_test
