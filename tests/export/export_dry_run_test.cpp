// Tests of --dry-run.
#include "export_dry_run.hpp"

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

namespace export_test { namespace export_dry_run_test {

using namespace std::chrono_literals;
using noun_export::Arguments;
using noun_export::curl_command;
using noun_export::plan_text;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string url = "https://api.example.com/items";

/// A temporary folder with a `curl` that prints its arguments, one a line, and then its input for an argument `@-`.
class FakeCurl {
 public:
  FakeCurl()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                (std::string("fake curl ") + ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "curl") << "#!/bin/sh\nprintf '%s\\n' \"$@\"\n"
                                       "case \" $* \" in *' @- '*) cat ;; esac\n";
    chmod((folder_ / "curl").c_str(), 0700);
  }
  FakeCurl(const FakeCurl&) = delete;
  FakeCurl& operator=(const FakeCurl&) = delete;
  ~FakeCurl() { std::filesystem::remove_all(folder_); }

  const std::filesystem::path& folder() const { return folder_; }

  /// The arguments that curl receives when a shell runs the command.
  std::vector<std::string> words_of(const std::string& command) const {
    std::ofstream(folder_ / "command") << command << '\n';
    const auto line = "PATH='" + folder_.string() + "':$PATH; export PATH; . '" + (folder_ / "command").string() + "'";
    setenv("NOUN_EXPORT_TEST_LINE", line.c_str(), 1);
    std::vector<std::string> words;
    FILE* pipe = popen("/bin/sh -c \"$NOUN_EXPORT_TEST_LINE\" 2>&1", "r");
    std::string text;
    for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) {
      if (letter == '\n')
        words.push_back(std::exchange(text, {}));
      else
        text += static_cast<char>(letter);
    }
    EXPECT_EQ(pclose(pipe), 0);
    unsetenv("NOUN_EXPORT_TEST_LINE");
    return words;
  }

 private:
  std::filesystem::path folder_;
};

TEST(ExportDryRun, prints_the_first_request_as_a_curl_command) {
  EXPECT_EQ(curl_command({.token_env = "API_TOKEN", .headers = {{"X-Api-Version", "2"}}}, url + "?per_page=10"),
            "printf '%s%s\\n' 'Authorization: Bearer ' \"$API_TOKEN\" |\n"
            "  curl --globoff 'https://api.example.com/items?per_page=10' \\\n"
            "  --header 'Accept: application/json' \\\n"
            "  --header @- \\\n"
            "  --header 'X-Api-Version: 2'");
  EXPECT_EQ(curl_command({}, url),
            "curl --globoff 'https://api.example.com/items' \\\n  --header 'Accept: application/json'");
  const auto accept = noun_export::dialect_of({.dialect = "json_api"}).accept;
  ASSERT_NE(accept, "application/json");
  EXPECT_THAT(curl_command({.dialect = "json_api"}, url), HasSubstr("'Accept: " + accept + "'"));
}

TEST(ExportDryRun, the_shell_passes_the_arguments_unchanged) {
  const FakeCurl fake;
  const std::string nasty = "it's \"$HOME\" `id` $(id) \\ ; & | > * ? ! #~ \t é";
  const Arguments arguments{.headers = {{"X-Nasty", nasty}, {"X-Empty", ""}, {"accept", "text/csv"}},
                            .query = {{"q", nasty}}};
  EXPECT_THAT(fake.words_of(curl_command(arguments, url + "?q=***&page=1")),
              ElementsAre("--globoff",
                          url + "?q=it%27s%20%22%24HOME%22%20%60id%60%20%24%28id%29%20%5C%20%3B%20%26%20%7C%20%3E%20"
                                "%2A%20%3F%20%21%20%23~%20%09%20%C3%A9&page=1",
                          "--header", "X-Nasty: " + nasty, "--header", "X-Empty;", "--header", "accept: text/csv"));
}

TEST(ExportDryRun, the_shell_inserts_the_token_from_the_environment) {
  const FakeCurl fake;
  setenv("NOUN_EXPORT_TEST_TOKEN", "canary-1 '\"$HOME", 1);
  const auto command = curl_command({.token_env = "NOUN_EXPORT_TEST_TOKEN"}, url);
  EXPECT_THAT(command, Not(HasSubstr("canary")));
  EXPECT_EQ(fake.words_of(command).back(), "Authorization: Bearer canary-1 '\"$HOME");
  const auto bare = curl_command({.token_env = "NOUN_EXPORT_TEST_TOKEN", .token_header = "X-Api-Key"}, url);
  EXPECT_EQ(fake.words_of(bare).back(), "X-Api-Key: canary-1 '\"$HOME");
  unsetenv("NOUN_EXPORT_TEST_TOKEN");
}

TEST(ExportDryRun, the_shell_inserts_the_first_line_of_a_file) {
  const FakeCurl fake;
  const auto file = fake.folder() / "it's $HOME \"token\"";
  std::ofstream(file) << "canary-1 *\nsecond\n";
  const auto command = curl_command({.token_file = file}, url);
  EXPECT_THAT(command, Not(HasSubstr("canary")));
  EXPECT_EQ(fake.words_of(command).back(), "Authorization: Bearer canary-1 *");
  EXPECT_THAT(curl_command({.token_file = "-n"}, url), HasSubstr("\"$(head -n 1 -- '-n')\""));
}

TEST(ExportDryRun, control_characters_are_not_printed) {
  const FakeCurl fake;
  const auto file = fake.folder() / "\x1b[2J'\u009b";
  std::ofstream(file) << "canary-1\n";
  const auto command = curl_command({.token_file = file}, url);
  EXPECT_THAT(command, Not(AnyOf(HasSubstr("\x1b"), HasSubstr("\u009b"))));
  EXPECT_EQ(fake.words_of(command).back(), "Authorization: Bearer canary-1");
  EXPECT_THAT(plan_text({}, {}, {.out = "a\x1b[2J"}), HasSubstr("file   a [2J\n"));
}

TEST(ExportDryRun, hidden_values_from_the_arguments_are_restored_and_others_stay_hidden) {
  const Arguments arguments{
      .dialect = "hubspot", .query = {{"a b", "1"}, {"x", "2&3"}, {"x", "4"}, {"state", "open"}}, .page_size = 50};
  EXPECT_THAT(curl_command(arguments, url + "?a%20b=***&x=***&x=***&state=open&limit=***&flag"),
              HasSubstr("?a%20b=1&x=2%263&x=4&state=open&limit=50&flag'"));
  EXPECT_THAT(curl_command({.query = {{"x", "1"}}}, url + "?x=***&x=***&token=***"),
              HasSubstr("?x=1&x=***&token=***'"));
}

class ExportPlan : public ::testing::Test {
 protected:
  ExportPlan() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
};

TEST_F(ExportPlan, states_the_requests_and_the_time_of_the_rest) {
  EXPECT_EQ(plan_text({.pages = 1234, .windows = 20, .estimate = 65min, .finish = noun::WallTime(14h + 3min + 10s)},
                      {.pages = 1, .items = 100, .total = 123456}, {.out = "items.jsonl"}),
            "items  123,456 according to the server, 100 on the first page\n"
            "pages  1,234 more\n"
            "quota  must reset 20 times\n"
            "time   about 1 h 05 m, until 14:03:10\n"
            "file   items.jsonl\n");
}

TEST_F(ExportPlan, states_what_is_unknown) {
  EXPECT_EQ(plan_text({}, {.pages = 1, .items = 100}, {}),
            "items  100 on the first page; the total is unknown\n"
            "pages  unknown; the server reports only the next page\n"
            "quota  unknown\n"
            "time   unknown\n"
            "file   standard output\n");
}

TEST_F(ExportPlan, has_singular_forms) {
  const auto text = plan_text({.pages = 0, .windows = 0, .estimate = 0s}, {.pages = 1, .items = 3, .total = 3}, {});
  EXPECT_THAT(text, HasSubstr("pages  the first page is the only one\n"));
  EXPECT_THAT(text, HasSubstr("quota  the remaining requests suffice\n"));
  EXPECT_THAT(plan_text({.windows = 1}, {}, {}), HasSubstr("quota  must reset once\n"));
}

TEST_F(ExportPlan, counts_only_the_requested_items) {
  EXPECT_THAT(plan_text({}, {.items = 100, .total = 1000}, {.max_items = 250}),
              HasSubstr("items  250, of 1,000 according to the server, 100 on the first page\n"));
  EXPECT_THAT(plan_text({}, {.items = 100, .total = 200}, {.max_items = 250}),
              HasSubstr("items  200 according to the server, 100 on the first page\n"));
  EXPECT_THAT(plan_text({}, {.items = 100}, {.max_items = 250}),
              HasSubstr("items  at most 250, 100 on the first page\n"));
  // A total below the number of items received is ignored.
  EXPECT_THAT(plan_text({}, {.items = 100, .total = 7}, {}), HasSubstr("the total is unknown\n"));
}

TEST_F(ExportPlan, names_the_day_of_a_distant_end_and_an_earlier_deadline) {
  EXPECT_THAT(
      plan_text({.estimate = 30h, .finish = noun::WallTime(30h)}, {}, {.deadline = 2h}),
      HasSubstr(
          "time   about 1 d 06 h, until 1970-01-02 06:00:00; longer than --deadline allows (2 h 00 m)\n"));
  EXPECT_THAT(plan_text({.estimate = 1h}, {}, {.deadline = 2h}), HasSubstr("time   about 1 h 00 m\n"));
}

}  // namespace export_dry_run_test
}  // namespace export_test
