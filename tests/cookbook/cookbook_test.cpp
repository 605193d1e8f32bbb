// Tests of the cookbook: each program is run as it is built, at a recording of its service.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "cookbook/recorded_service.hpp"

namespace cookbook_test { namespace cookbook_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// One program at one recording. When it goes, each exchange must have been requested.
class Recipe {
 public:
  explicit Recipe(std::string program) : Recipe(program, program) {}
  Recipe(std::string program, const std::string& recording) : program_(std::move(program)), service_(recording) {}
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;
  ~Recipe() { EXPECT_EQ(service_.complaint(), ""); }

  /// @param base  the variable that has the URL of the service, which has this path.
  std::string run(const std::vector<std::string>& words, const std::string& base, const std::string& path = "",
                  std::map<std::string, std::string> environment = {}) {
    environment[base] = service_.url(path);
    return service_.printed_by(program_, words, environment);
  }

 private:
  std::string program_;
  RecordedService service_;
};

#ifdef NOUN_COOKBOOK_SQLITE
TEST(Cookbook, github_lists_issues_with_their_labels_and_the_second_run_receives_no_page_again) {
  Recipe github("github");
  const auto* const issues = "#31 Crash with an empty file [bug] [good first issue]\n#12 Übersetzung: Umlaute [docs]\n";
  for (int run = 0; run < 2; ++run)
    EXPECT_EQ(github.run({"harbor", "crane"}, "GITHUB_API_URL", "", {{"GITHUB_TOKEN", "ghp_cookbook1"}}), issues);
}
#endif

TEST(Cookbook, gitlab_prints_the_latest_pipeline_of_each_project_also_if_there_is_none) {
  EXPECT_EQ(
      Recipe("gitlab").run({}, "CI_API_V4_URL", "/api/v4", {{"GITLAB_TOKEN", "glpat-cookbook1"}}),
      "harbor/crane: failed on main\nharbor/docs: success on main\nmaria/notes: no pipeline\nmaria/old: no pipeline\n");
}

TEST(Cookbook, stripe_creates_a_customer_with_one_key_for_both_attempts_and_lists_charges) {
  EXPECT_EQ(Recipe("stripe").run({"jo@example.com", "8812", "cus_P9"}, "STRIPE_API_BASE", "",
                                 {{"STRIPE_API_KEY", "sk_test_cookbook1"}}),
            "jo@example.com is cus_Q1\nch_3 1999 eur succeeded\nch_2 500 eur failed\nch_1 2500 eur succeeded\n");
}

TEST(Cookbook, slack_finds_the_channel_on_the_second_page_and_posts) {
  EXPECT_EQ(Recipe("slack").run({"deployments", "Version 7 is out"}, "SLACK_API_URL", "/api",
                                {{"SLACK_BOT_TOKEN", "xoxb-cookbook1"}}),
            "posted to C03 as 1793610004.000200\n");
}

TEST(Cookbook, slack_fails_if_the_method_failed_with_a_200) {
  EXPECT_EQ(Recipe("slack", "slack_not_in_channel")
                .run({"general", "Hello"}, "SLACK_API_URL", "/api", {{"SLACK_BOT_TOKEN", "xoxb-cookbook1"}}),
            "status 1: Slack says not_in_channel\n");
}

TEST(Cookbook, shopify_lists_what_is_nearly_sold_out) {
  EXPECT_EQ(Recipe("shopify").run({}, "SHOPIFY_ADMIN_URL", "/admin/api/2025-10",
                                  {{"SHOPIFY_ACCESS_TOKEN", "shpat_cookbook1"}}),
            "Teapot, Blue: 3 left\nKettle, Default Title: 0 left\nCup, Large: 4 left\n");
}

TEST(Cookbook, jira_prints_the_issues_of_a_query) {
  EXPECT_EQ(Recipe("jira").run({"project = CRANE AND status != Done"}, "JIRA_URL", "",
                               {{"JIRA_EMAIL", "maria@example.com"}, {"JIRA_API_TOKEN", "cookbook1"}}),
            "CRANE-21 In Progress: Rust on the hook (Jo Brandt)\nCRANE-19 To Do: Paint (nobody)\n"
            "CRANE-4 To Do: Grease the jib (Ann Lee)\n");
}

TEST(Cookbook, notion_prints_the_pages_that_are_not_done) {
  EXPECT_EQ(Recipe("notion").run({"164b19c5-58e5-4a47-a3a9-c905d9519c65"}, "NOTION_BASE_URL", "",
                                 {{"NOTION_TOKEN", "ntn_cookbook1"}}),
            "In progress: Order paint\nnone: Call the harbor\nNot started: Grease\n");
}

TEST(Cookbook, hubspot_updates_contacts_in_a_batch_and_says_which_were_not) {
  EXPECT_EQ(Recipe("hubspot").run({}, "HUBSPOT_BASE_URL", "", {{"HUBSPOT_ACCESS_TOKEN", "pat-cookbook1"}}),
            "2 contacts updated\nCould not get some CONTACT objects, they may be deleted or not exist. "
            "({\"ids\":[\"104\"]})\n");
}

TEST(Cookbook, openai_prints_a_completion_after_a_rejection) {
  EXPECT_EQ(Recipe("openai").run({"gpt-4.1-mini", "What is a crane?"}, "OPENAI_BASE_URL", "/v1",
                                 {{"OPENAI_API_KEY", "sk-cookbook1"}}),
            "A machine that lifts loads – or a bird.\n");
}

TEST(Cookbook, openai_does_not_wait_for_credit) {
  EXPECT_THAT(
      Recipe("openai", "openai_no_credit")
          .run({"gpt-4.1-mini", "What is a crane?"}, "OPENAI_BASE_URL", "/v1", {{"OPENAI_API_KEY", "sk-cookbook1"}}),
      AllOf(StartsWith("status 1: POST"), HasSubstr("You exceeded your current quota")));
}

TEST(Cookbook, kubernetes_waits_for_pods_and_lists_again_after_a_410) {
  EXPECT_EQ(Recipe("kubernetes").run({"web"}, "KUBERNETES_MASTER"), "crane-1\ncrane-0\ncrane-2\ncrane-3\n");
}

TEST(Cookbook, each_program_ends_with_the_error_of_its_first_request) {
  RecordedService nothing("slack_not_in_channel");
  const auto url = nothing.url();
  const std::map<std::string, std::string> environment = {{"GITHUB_API_URL", url},
                                                          {"GITHUB_TOKEN", "token-1"},
                                                          {"CI_API_V4_URL", url},
                                                          {"GITLAB_TOKEN", "token-1"},
                                                          {"STRIPE_API_BASE", url},
                                                          {"STRIPE_API_KEY", "token-1"},
                                                          {"SLACK_API_URL", url},
                                                          {"SLACK_BOT_TOKEN", "token-1"},
                                                          {"SHOPIFY_ADMIN_URL", url},
                                                          {"JIRA_URL", url},
                                                          {"SHOPIFY_ACCESS_TOKEN", "token-1"},
                                                          {"JIRA_EMAIL", "maria@example.com"},
                                                          {"NOTION_BASE_URL", url},
                                                          {"JIRA_API_TOKEN", "token-1"},
                                                          {"NOTION_TOKEN", "token-1"},
                                                          {"HUBSPOT_BASE_URL", url},
                                                          {"HUBSPOT_ACCESS_TOKEN", "token-1"},
                                                          {"OPENAI_BASE_URL", url},
                                                          {"OPENAI_API_KEY", "token"},
                                                          {"KUBERNETES_MASTER", url},
                                                          {"ELASTICSEARCH_URL", url},
                                                          {"COUCHDB_URL", url},
                                                          {"ELASTIC_API_KEY", "token-1"},
                                                          {"PROMETHEUS_URL", url},
                                                          {"GRAPH_URL", url},
                                                          {"GRAPH_TOKEN", "token-1"}};
  const std::pair<const char*, std::vector<std::string>> programs[] = {
#ifdef NOUN_COOKBOOK_SQLITE
      {"github", {"harbor", "crane"}},
#endif
      {"gitlab", {}},
      {"stripe", {"jo@example.com", "8812", "cus_P9"}},
      {"slack", {"general", "Hello"}},
      {"shopify", {}},
      {"jira", {"project = CRANE"}},
      {"notion", {"1"}},
      {"hubspot", {}},
      {"openai", {"gpt-4.1-mini", "What is a crane?"}},
      {"kubernetes", {"web"}},
      {"docker_registry", {url, "harbor/crane"}},
      {"elasticsearch", {"logs"}},
      {"couchdb", {"0"}},
      {"prometheus", {"up", "0", "60", "15"}},
      {"odata", {"1", "2026-11-02"}}};
  for (const auto& [program, words] : programs)
    EXPECT_THAT(nothing.printed_by(program, words, environment),
                AllOf(StartsWith("status 1: "), HasSubstr("the server responded 501")))
        << program;
}

TEST(Cookbook, docker_registry_prints_digests_and_replaces_a_token_that_has_expired) {
  const std::string six(64, '6');
  const std::string seven(64, '7');
  RecordedService registry("docker_registry");
  EXPECT_EQ(registry.printed_by("docker_registry", {registry.url(), "harbor/crane"}, {}),
            "6 sha256:" + six + "\n7 sha256:" + seven + "\nlatest sha256:" + seven + "\n");
  EXPECT_EQ(registry.complaint(), "");
}

TEST(Cookbook, elasticsearch_pages_through_a_point_in_time_and_closes_it) {
  EXPECT_EQ(Recipe("elasticsearch").run({"logs-web"}, "ELASTICSEARCH_URL", "", {{"ELASTIC_API_KEY", "Y29va2Jvb2s="}}),
            "2026-11-02T08:10:00.000Z disk full\n2026-11-02T08:12:00.000Z disk full\n"
            "2026-11-02T08:40:00.000Z connection lost\n");
}

TEST(Cookbook, couchdb_marks_new_documents_and_names_a_conflict) {
  EXPECT_EQ(Recipe("couchdb").run({"0"}, "COUCHDB_URL", "/orders",
                                  {{"COUCHDB_USER", "admin"}, {"COUCHDB_PASSWORD", "cookbook1"}}),
            "order:1: seen\norder:3: conflict\nthe next run starts at \"4-g1AAAD\"\n");
}

TEST(Cookbook, prometheus_divides_a_range_that_is_too_long) {
  const std::string crane = "\t{\"__name__\":\"up\",\"instance\":\"crane:9100\",\"job\":\"node\"}\n";
  const std::string jib = "\t{\"__name__\":\"up\",\"instance\":\"jib:9100\",\"job\":\"node\"}\n";
  EXPECT_EQ(Recipe("prometheus").run({"up", "1793610000", "1793780000", "15"}, "PROMETHEUS_URL"),
            "1793610000.000\t1" + crane + "1793610015.000\t0" + crane + "1793775000.000\t1" + crane +
                "1793775000.500\tNaN" + jib);
}

TEST(Cookbook, prometheus_shows_what_is_wrong_with_a_query) {
  EXPECT_THAT(Recipe("prometheus", "prometheus_bad_query").run({"up{", "0", "60", "15"}, "PROMETHEUS_URL"),
              AllOf(StartsWith("status 1: GET"), HasSubstr("parse error: unexpected end of input inside braces")));
}

TEST(Cookbook, odata_completes_overdue_tasks_and_reads_one_again_that_has_changed) {
  EXPECT_EQ(Recipe("odata").run({"xqQg5FS2LkCp935s-FIFm2QAFkHM", "2026-11-02"}, "GRAPH_URL", "/v1.0",
                                {{"GRAPH_TOKEN", "eyJ.cookbook.1"}}),
            "completed: Order paint\n");
}

TEST(Cookbook, odata_refuses_a_day_that_is_not_written_as_a_date) {
  RecordedService tasks("odata");
  for (const std::string day : {"tomorrow", "30.11.2026", "2026-11-3", "2026-11-300"})
    EXPECT_THAT(tasks.printed_by("odata", {"xqQg5FS2LkCp935s-FIFm2QAFkHM", day},
                                 {{"GRAPH_URL", tasks.url("/v1.0")}, {"GRAPH_TOKEN", "eyJ.cookbook.1"}}),
                StartsWith("status 2: usage: odata PLAN TODAY"))
        << day;
}

}  // namespace cookbook_test
}  // namespace cookbook_test
