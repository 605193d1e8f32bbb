// The command line.
#include "export_arguments.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <noun/dialects.hpp>
#include <noun/json.hpp>
#include <noun/paging_conventions.hpp>

#include "export_dialects.hpp"
#include "export_pagings.hpp"
#include "test_paths.hpp"

namespace export_test {
namespace export_arguments_test {

using namespace std::chrono_literals;
using noun_export::Arguments;
using noun_export::dialect_named;
using noun_export::dialect_of;
using noun_export::job_of;
using noun_export::parse_arguments;
using noun_export::Parsed;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

Parsed parse(Words options) {
  options.insert(options.begin(), {"https://api.example.com", "/items"});
  return parse_arguments(options);
}

Arguments good(Words options) {
  const auto parsed = parse(std::move(options));
  EXPECT_EQ(parsed.status, std::nullopt) << parsed.words;
  return parsed.arguments;
}

/// The sentence of a misuse.
std::string refused(const Parsed& parsed) {
  EXPECT_EQ(parsed.status, 64);
  EXPECT_THAT(parsed.words, AllOf(StartsWith("noun-export: "), EndsWith("\n")));
  return parsed.words;
}
std::string bad(Words options) { return refused(parse(std::move(options))); }
std::string bad_path(const std::string& path) { return refused(parse_arguments({"https://api.example.com", path})); }
std::string bad_base(const std::string& base) { return refused(parse_arguments({base, "/items"})); }

TEST(ExportArguments, two_words_are_enough) {
  EXPECT_EQ(good({}), (Arguments{.base_url = "https://api.example.com", .path = "/items"}));
}

TEST(ExportArguments, all_of_them) {
  const Arguments all{.base_url = "https://api.example.com",
                      .path = "/items",
                      .dialect = "docker_hub",
                      .paging = "zendesk_cursor",
                      .items = "/tickets",
                      .out = "a.jsonl",
                      .token_file = "token",
                      .token_header = "X-Api-Key",
                      .headers = {{"X-Api-Version", "2: new"}, {"X-Empty", ""}},
                      .query = {{"state", "open=1"}, {"state", ""}, {"q", "[a,b] {} %%"}},
                      .page_size = 100,
                      .max_items = 5000,
                      .concurrency = 1000,
                      .deadline = 15min,
                      .reserve = 7,
                      .key = "/id",
                      .resume = true,
                      .replace = true,
                      .verify = true,
                      .quiet = true,
                      .stats = "stats.json",
                      .plot = "run.svg"};
  // clang-format off
  const std::vector<std::string> words{"--dialect", "docker-hub", "--paging", "zendesk-cursor", "--items", "tickets",
                                       "--out", "a.jsonl", "--token-file", "token",
                                       "--token-header", "X-Api-Key", "--header", "X-Api-Version:  2: new ",
                                       "--header=X-Empty:", "--query", "state=open=1", "--query", "state=",
                                       "--query", "q=[a,b] {} %%", "--page-size", "100", "--max-items=5000",
                                       "--concurrency", "1000", "--deadline", "15m", "--reserve", "7", "--key", "id",
                                       "--resume", "--force", "--verify", "--quiet",
                                       "--stats", "stats.json", "--plot", "run.svg"};
  // clang-format on
  EXPECT_EQ(good(words), all);
  EXPECT_TRUE(good({"--dry-run"}).dry_run);
  EXPECT_EQ(good({"--token-env", "_T0KEN"}).token_env, "_T0KEN");
}

TEST(ExportArguments, options_may_stand_before_the_address) {
  const auto parsed = parse_arguments({"--query", "a=1", "--quiet", "https://api.example.com/", "items"});
  EXPECT_EQ(parsed.status, std::nullopt) << parsed.words;
  EXPECT_EQ(parsed.arguments.base_url, "https://api.example.com");
  EXPECT_EQ(parsed.arguments.path, "/items");
}

TEST(ExportArguments, a_dash_is_standard_output) { EXPECT_EQ(good({"--out", "-"}).out, ""); }

TEST(ExportArguments, a_path_stays_below_the_base_url) {
  EXPECT_THAT(bad_path("/items?state=open"), HasSubstr("PATH has a query: use --query"));
  EXPECT_THAT(bad_path("https://api.example.com/items"), AllOf(HasSubstr("PATH is a whole URL"), HasSubstr("--query")));
  EXPECT_THAT(bad_path("/items#top"), HasSubstr("PATH has a fragment"));
  EXPECT_THAT(bad_path("/items/"), HasSubstr("PATH ends in a slash"));
  EXPECT_THAT(bad_path("//items"), HasSubstr("PATH has an empty segment"));
  EXPECT_THAT(bad_path("/a//items"), HasSubstr("PATH has an empty segment"));
  for (const auto* path : {"/a/../items", "/./items", "/a/%2E%2e", "/.%2e/a"})
    EXPECT_THAT(bad_path(path), HasSubstr("PATH has a segment . or ..")) << path;
  for (const auto* path : {"/", ""}) EXPECT_THAT(bad_path(path), HasSubstr("PATH names no collection")) << path;
  for (const auto* path : {"/a b", "/a\r\nb", "/\xc3\xa9", "/a%2", "/a%zz", "/a\\b"})
    EXPECT_THAT(bad_path(path), HasSubstr("PATH has a character in it")) << path;
  EXPECT_EQ(parse_arguments({"https://h", "/a%2Fb/...;v=1/@me"}).arguments.path, "/a%2Fb/...;v=1/@me");
}

TEST(ExportArguments, the_base_url_is_one) {
  EXPECT_THAT(bad_base("api.example.com"), HasSubstr("BASE_URL does not begin with https://"));
  EXPECT_THAT(bad_base("ftp://api.example.com"), HasSubstr("BASE_URL does not begin with https://"));
  EXPECT_THAT(bad_base("https://h/?a=1"), HasSubstr("--query"));
  EXPECT_THAT(bad_base("https://h/#a"), HasSubstr("BASE_URL has a fragment"));
  EXPECT_THAT(bad_base("https://h/a b"), HasSubstr("BASE_URL has a character in it"));
  EXPECT_THAT(bad_base("https://me:canary-1@h"), AllOf(HasSubstr("--token-env"), Not(HasSubstr("canary"))));
  EXPECT_EQ(parse_arguments({"HTTP://[::1]:8080/v1/", "a"}).arguments.base_url, "HTTP://[::1]:8080/v1");
  EXPECT_EQ(parse_arguments({"https://h/@me", "a"}).status, std::nullopt);
}

TEST(ExportArguments, numbers_are_in_their_ranges) {
  for (const auto* word : {"0", "-1", "1.5", "12k", "", "1000000001", "99999999999999999999"})
    EXPECT_THAT(bad({std::string("--page-size=") + word, "--quiet"}), HasSubstr("--page-size")) << word;
  EXPECT_THAT(bad({"--max-items", "0"}), HasSubstr("--max-items takes a whole number from 1 to"));
  EXPECT_THAT(bad({"--concurrency", "1001"}), HasSubstr("--concurrency takes a whole number from 0 to 1000."));
  EXPECT_THAT(bad({"--reserve", "-1"}), HasSubstr("--reserve takes a whole number from 0 to"));
}

TEST(ExportArguments, a_deadline_has_a_unit) {
  EXPECT_EQ(good({"--deadline", "500ms"}).deadline, 500ms);
  EXPECT_EQ(good({"--deadline", "90s"}).deadline, 90s);
  EXPECT_EQ(good({"--deadline", "2h"}).deadline, 2h);
  EXPECT_EQ(good({"--deadline", "8784h"}).deadline, 8784h);
  for (const auto* word : {"90", "s", "1.5h", "-2s", "2 h", "2d", "2hs", "99999999999999999999s"})
    EXPECT_THAT(bad({"--deadline", word}), HasSubstr("--deadline takes a whole number and its unit")) << word;
  for (const auto* word : {"0s", "8785h", "9223372036854775807h"})
    EXPECT_THAT(bad({"--deadline", word}), HasSubstr("--deadline takes a time from")) << word;
}

TEST(ExportArguments, a_key_is_a_pointer_or_a_name) {
  EXPECT_EQ(good({"--key", "user/id"}).key, "/user/id");
  EXPECT_EQ(good({"--key", "/a~0b~1c"}).key, "/a~0b~1c");
  EXPECT_EQ(good({"--select", "name"}).select, "/name");
  for (const auto* word : {"a~", "/a~2"}) EXPECT_THAT(bad({"--key", word}), HasSubstr("--key is no JSON pointer"));
  EXPECT_THAT(bad({"--select", ""}), HasSubstr("--select is empty"));
  EXPECT_THAT(bad({"--select", "a\nb"}), HasSubstr("--select has a control character"));
}

TEST(ExportArguments, what_needs_a_file_says_so) {
  EXPECT_THAT(bad({"--key", "id", "--select", "name", "--out", "f"}),
              AllOf(HasSubstr("could not know what came before"), HasSubstr("leave one of the two out")));
  EXPECT_EQ(good({"--key", "id", "--select", "name"}).key, "/id");
  for (const auto* option : {"--resume", "--force", "--verify"})
    EXPECT_THAT(bad({option}), AllOf(HasSubstr(option), HasSubstr("add --out FILE")));
}

TEST(ExportArguments, what_does_not_go_together_says_so) {
  EXPECT_THAT(bad({"--token-file", "f", "--token-env", "E"}), HasSubstr("--token-file and --token-env"));
  EXPECT_THAT(bad({"--token-header", "X-Key"}), AllOf(HasSubstr("--token-header"), HasSubstr("add --token-env")));
  EXPECT_THAT(bad({"--dry-run", "--verify", "--out", "a"}), HasSubstr("--dry-run"));
  EXPECT_THAT(bad({"--query", "per_page=10", "--page-size", "20"}), HasSubstr("--page-size"));
  EXPECT_EQ(good({"--query", "per_page=10"}).query.size(), 1U);
}

TEST(ExportArguments, no_file_is_two_things) {
  EXPECT_THAT(bad({"--out", "a", "--stats", "./a"}), HasSubstr("--out and --stats are the same file"));
  EXPECT_THAT(bad({"--out", "a", "--plot", "b/../a.part"}), HasSubstr("are the same file"));
  EXPECT_THAT(bad({"--out", "a", "--stats", "a.journal"}), HasSubstr("are the same file"));
  EXPECT_THAT(bad({"--stats", "a", "--plot", "a"}), HasSubstr("--stats and --plot are the same file"));
  EXPECT_THAT(bad({"--token-file", "t", "--out", "t"}), HasSubstr("--token-file and --out are the same file"));
}

TEST(ExportArguments, secrets_are_not_taken_from_the_command_line) {
  for (const auto* name : {"Authorization", "proxy-authorization", "Cookie", "X-Api-Key", "PRIVATE-TOKEN", "DD-API-KEY",
                           "X-Auth-Token", "X-Shopify-Access-Token", "X-Auth", "X-Session-Id", "X-Client-Secret"})
    EXPECT_THAT(
        bad({"--header", std::string(name) + ": canary-1"}),
        AllOf(HasSubstr(std::string("--token-header ") + name), HasSubstr("--token-env"), Not(HasSubstr("canary"))))
        << name;
  EXPECT_THAT(bad({"--header", "X-Other: Bearer canary-1"}), Not(HasSubstr("canary")));
  for (const auto* name : {"access_token", "api_key", "apikey", "key", "token", "client_secret", "sig", "password",
                           "X-Amz-Signature", "api-token"})
    EXPECT_THAT(bad({"--query", std::string(name) + "=canary-1"}),
                AllOf(HasSubstr(std::string("--query ") + name), HasSubstr("--token-env"), Not(HasSubstr("canary"))))
        << name;
  EXPECT_EQ(good({"--query", "page_token=a", "--query", "sort_key=b", "--query", "author=c", "--query", "keyword=d",
                  "--header", "X-Author: e", "--header", "Idempotency-Key: f", "--header", "X-Keyword: g"})
                .query.size(),
            4U);
  for (const Words& words : {Words{"--token", "canary-1"}, Words{"--token=canary-1"}, Words{"-u", "me:canary-1"},
                             Words{"--api-key", "canary-1"}})
    EXPECT_THAT(bad(words), AllOf(HasSubstr("use --token-env NAME"), Not(HasSubstr("canary")))) << words[0];
  EXPECT_THAT(bad({"--token-env", "canary-1"}), AllOf(HasSubstr("not the token itself"), Not(HasSubstr("canary"))));
}

TEST(ExportArguments, fields_are_one_line) {
  EXPECT_THAT(bad({"--header", "X-A: b\r\nX-C: d"}), HasSubstr("--header X-A has a line break"));
  EXPECT_THAT(bad({"--header", "X-A\n: b"}), HasSubstr("--header has no name"));
  EXPECT_THAT(bad({"--header", "X A: b"}), HasSubstr("--header has no name"));
  EXPECT_THAT(bad({"--header", ": b"}), HasSubstr("--header has no name"));
  EXPECT_THAT(bad({"--header", "X-A"}), HasSubstr("--header has no colon"));
  EXPECT_THAT(bad({"--header", "Host: b"}), HasSubstr("--header Host is the program's to set"));
  EXPECT_THAT(bad({"--token-env", "E", "--token-header", "X:"}), HasSubstr("--token-header has no name"));
  EXPECT_THAT(bad({"--query", "a=b\nc"}), HasSubstr("--query has a line break"));
  for (const auto* word : {"a", "=b", ""})
    EXPECT_THAT(bad({"--query", word}), HasSubstr("--query takes a name")) << word;
}

TEST(ExportArguments, a_line_that_is_misspelt_gets_advice) {
  EXPECT_THAT(refused(parse_arguments({})), HasSubstr("BASE_URL is required"));
  EXPECT_THAT(refused(parse_arguments({"https://h"})), HasSubstr("PATH is required"));
  EXPECT_THAT(bad({"/more"}), HasSubstr("more words than BASE_URL and PATH"));
  EXPECT_THAT(bad({"--dedline", "3s"}), HasSubstr("try --deadline"));
  EXPECT_THAT(bad({"--nonsense"}), HasSubstr("noun-export --help"));
  EXPECT_THAT(bad({"--out"}), HasSubstr("write --out FILE, once"));
  EXPECT_THAT(bad({"--out", "a", "--out", "b"}), HasSubstr("write --out FILE, once"));
  EXPECT_THAT(bad({"--query"}), HasSubstr("write --query NAME=VALUE"));
  EXPECT_THAT(bad({"--out", "--resume"}), HasSubstr("--out stands without its value before --resume"));
  EXPECT_THAT(bad({"--out", ""}), HasSubstr("--out is empty"));
  EXPECT_THAT(bad({"--quiet=false"}), HasSubstr("--quiet takes no value"));
  EXPECT_THAT(bad({"--dialect", "githbu"}), AllOf(HasSubstr("try --dialect github"), Not(HasSubstr("zendesk"))));
  EXPECT_THAT(bad({"--dialect", "acme"}), AllOf(HasSubstr("airtable,"), HasSubstr("zendesk")));
}

TEST(ExportArguments, each_dialect_of_noun_has_its_name) {
  std::ifstream header(std::string(noun_test::source_dir) + "/include/noun/dialects.hpp");
  std::vector<std::string> declared;
  constexpr std::string_view before = "NOUN_API Dialect ";
  for (std::string line; std::getline(header, line);)
    if (line.starts_with(before)) declared.push_back(line.substr(before.size(), line.find('(') - before.size()));
  ASSERT_FALSE(declared.empty());
  EXPECT_THAT(noun_export::dialect_names(), testing::UnorderedElementsAreArray(declared));
  for (const auto& name : declared) {
    ASSERT_TRUE(dialect_named(name)) << name;
    EXPECT_EQ(dialect_named(name)->name, name);
  }
  EXPECT_FALSE(dialect_named("acme"));
}

TEST(ExportArguments, each_paging_of_noun_that_sends_no_body_has_its_name) {
  std::ifstream header(std::string(noun_test::source_dir) + "/include/noun/paging_conventions.hpp");
  std::vector<std::string> declared{"link_header", "offset", "page_number"};
  constexpr std::string_view before = "NOUN_API PagingConvention ";
  for (std::string line; std::getline(header, line);)
    if (line.starts_with(before)) declared.push_back(line.substr(before.size(), line.find('(') - before.size()));
  for (const auto* by_body : {"aws", "elasticsearch", "graphql"})
    ASSERT_EQ(std::erase(declared, by_body), 1U) << by_body;
  EXPECT_THAT(noun_export::paging_names(), testing::UnorderedElementsAreArray(declared));
  EXPECT_TRUE(std::is_sorted(noun_export::paging_names().begin(), noun_export::paging_names().end()));
  for (const auto& name : declared) EXPECT_TRUE(noun_export::paging_named(name)) << name;
  EXPECT_FALSE(noun_export::paging_named("acme"));
}

TEST(ExportArguments, a_paging_comes_in_place_of_the_dialects_own) {
  const auto zendesk = dialect_of(good({"--dialect", "zendesk", "--paging", "zendesk_cursor", "--items", "tickets"}));
  EXPECT_EQ(zendesk.name, "zendesk");
  EXPECT_EQ(zendesk.paging.next_pointers, noun::paging::zendesk_cursor("tickets").next_pointers);
  EXPECT_EQ(zendesk.paging.items_pointer, "/tickets");
  EXPECT_EQ(dialect_of(good({"--items", "/data/rows"})).paging.items_pointer, "/data/rows");
  EXPECT_EQ(dialect_of(good({"--paging", "drf"})).paging.items_pointer, noun::paging::drf().items_pointer);
  EXPECT_EQ(dialect_of(good({"--paging", "drf", "--items", "list"})).paging.items_pointer, "/list");
  EXPECT_EQ(dialect_of(good({"--dialect", "gitlab"})).paging.next_header, noun::dialects::gitlab().paging.next_header);
}

TEST(ExportArguments, a_paging_whose_items_have_a_name_of_their_own_wants_it) {
  EXPECT_THAT(bad({"--paging", "slack"}),
              AllOf(HasSubstr("--paging slack does not say where"), HasSubstr("add --items")));
  EXPECT_THAT(bad({"--paging", "slak"}), HasSubstr("try --paging slack"));
  EXPECT_THAT(bad({"--paging", "nothing at all"}), AllOf(HasSubstr("airtable,"), HasSubstr("zendesk_offset")));
  EXPECT_THAT(bad({"--items", ""}), HasSubstr("--items is empty"));
  EXPECT_THAT(bad({"--paging", "offset", "--page-size", "5", "--query", "limit=5"}),
              HasSubstr("--query limit is what"));
}

TEST(ExportArguments, a_dialect_without_a_paging_takes_the_one_of_its_name) {
  EXPECT_EQ(good({"--dialect", "slack", "--items", "channels"}).paging, "slack");
  EXPECT_EQ(good({"--dialect", "slack", "--items", "members", "--paging", "link_header"}).paging, "link_header");
  EXPECT_THAT(bad({"--dialect", "slack"}), HasSubstr("--dialect slack does not say where on a page the items are"));
  for (const auto* dialect : {"plain", "github", "gitlab", "stripe", "zendesk"})
    EXPECT_EQ(good({"--dialect", dialect}).paging, "") << dialect;
}

TEST(ExportArguments, the_job_is_what_is_asked_for_and_what_is_written_of_it) {
  const Words same = {"--dialect", "x",  "--query",  "a=1", "--header", "B: canary-2", "--header", "A: 1",
                      "--key",     "id", "--select", "n",   "--paging", "x",           "--items",  "i"};
  const auto job = job_of(good(same));
  EXPECT_EQ(noun::Json::parse(job),
            noun::Json({{"base_url", "https://api.example.com"},
                        {"path", "/items"},
                        {"dialect", "x"},
                        {"query", noun::Json::array({noun::Json::array({"a", "1"})})},
                        {"paging", "x"},
                        {"items", "/i"},
                        {"headers", noun::Json::array({noun::Json::array({"A", "af63ac4c86019afc"}),
                                                       noun::Json::array({"B", "0c41f16b74f35aaa"})})},
                        {"key", "/id"},
                        {"select", "/n"}}));
  EXPECT_THAT(job, Not(HasSubstr("\n")));
  EXPECT_THAT(job, Not(HasSubstr("canary")));
  for (const Words& change : {Words{"--page-size", "3"},
                              {"--concurrency", "4"},
                              {"--token-env", "E"},
                              {"--deadline", "1h"},
                              {"--quiet"},
                              {"--max-items", "9"}}) {
    auto words = same;
    words.insert(words.end(), change.begin(), change.end());
    EXPECT_EQ(job_of(good(words)), job) << change[0];
  }
  EXPECT_EQ(job_of(good({"--out", "f", "--resume"})), job_of(good({})));
  EXPECT_NE(job_of(good({"--header", "A: 1"})), job_of(good({"--header", "A: 2"})));
  for (const Words& change : {Words{"--query", "b=1"},
                              {"--header", "C: 1"},
                              {"--key", "no"},
                              {"--select", "no"},
                              {"--dialect", "github"},
                              {"--paging", "drf"},
                              {"--items", "i"}})
    EXPECT_NE(job_of(good(change)), job_of(good({}))) << change[0];
  EXPECT_NE(job_of(parse_arguments({"https://api.example.com", "/others"}).arguments), job_of(good({})));
  EXPECT_NE(job_of(parse_arguments({"https://other.example.com", "/items"}).arguments), job_of(good({})));
}

TEST(ExportArguments, a_job_is_json_whatever_the_bytes_of_a_word_are) {
  EXPECT_TRUE(noun::Json::accept(job_of(good({"--query", "q=\xe9\"\\"}))));
}

TEST(ExportArguments, help_is_whole_and_no_wider_than_a_page) {
  for (const Words& words : {Words{"--help"}, {"-h"}, {"https://h", "/p", "--help"}, {"--help", "--resume"}}) {
    const auto help = parse_arguments(words);
    EXPECT_EQ(help.status, 0) << words[0];
    EXPECT_THAT(help.words, HasSubstr("Usage: noun-export"));
  }
  const auto text = parse_arguments({"--help"}).words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  for (const auto* option :
       {"BASE_URL",    "PATH",           "--paging", "--items",  "--dialect",   "--out",       "--token-file",
        "--token-env", "--token-header", "--header", "--query",  "--page-size", "--max-items", "--concurrency",
        "--deadline",  "--reserve",      "--key",    "--select", "--resume",    "--force",     "--verify",
        "--dry-run",   "--quiet",        "--stats",  "--plot",   "--version",   "--help"})
    EXPECT_THAT(text, HasSubstr(std::string(option))) << option;
  EXPECT_THAT(text, AllOf(HasSubstr("never on the command line"), HasSubstr("Examples:"), HasSubstr("\n  143  SIGTERM"),
                          HasSubstr("Environment:"), HasSubstr("azure_resource_manager"), Not(HasSubstr("\n\n\n"))));
}

TEST(ExportArguments, help_does_not_look_at_the_token) {
  setenv("NOUN_EXPORT_TEST_TOKEN", "canary-3", 1);
  EXPECT_THAT(parse({"--token-env", "NOUN_EXPORT_TEST_TOKEN", "--help"}).words, Not(HasSubstr("canary")));
  EXPECT_THAT(job_of(good({"--token-env", "NOUN_EXPORT_TEST_TOKEN"})), Not(HasSubstr("canary")));
  unsetenv("NOUN_EXPORT_TEST_TOKEN");
}

TEST(ExportArguments, the_version_is_a_line) {
  const auto version = parse_arguments({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.words, testing::MatchesRegex("noun-export [0-9.]+ .noun [0-9.]+.\n"));
}

}  // namespace export_arguments_test
}  // namespace export_test
