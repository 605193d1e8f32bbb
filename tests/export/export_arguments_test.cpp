// Tests of the command line.
#include "export_arguments.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <noun/dialect.hpp>
#include <noun/json.hpp>
#include <noun/paging.hpp>

#include "export/export_bench.hpp"
#include "export_dialects.hpp"
#include "export_pagings.hpp"
#include "test_paths.hpp"

namespace export_test { namespace export_arguments_test {

using namespace std::chrono_literals;
using noun_export::Arguments;
using noun_export::dialect_named;
using noun_export::dialect_of;
using noun_export::job_of;
using noun_export::parse_arguments;
using noun_export::Parsed;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

Parsed parse(Words options) {
  options.insert(options.begin(), {"https://api.example.com", "/items"});
  return parse_arguments(options);
}

Arguments good(Words options) {
  const auto parsed = parse(std::move(options));
  EXPECT_EQ(parsed.status, std::nullopt) << parsed.text;
  return parsed.arguments;
}

TEST(ExportArguments, two_arguments_are_enough) {
  EXPECT_EQ(good({}), (Arguments{.base_url = "https://api.example.com", .path = "/items"}));
}

TEST(ExportArguments, reads_all_options) {
  const Arguments all{.base_url = "https://api.example.com",
                      .path = "/items",
                      .dialect = "docker_hub",
                      .paging = "zendesk_cursor",
                      .items = "/tickets",
                      .out = "a.jsonl",
                      .token_file = "token",
                      .bookmark_key_env = "KEY",
                      .token_header = "X-Api-Key",
                      .headers = {{"X-Api-Version", "2:_new"}, {"X-Empty", ""}, {"X-Spaces", "2: new"}},
                      .query = {{"state", "open=1"}, {"state", ""}, {"q", "[a,b] {} %%"}},
                      .page_size = 100,
                      .max_items = 5000,
                      .concurrency = 1000,
                      .deadline = 15min,
                      .reserve = 7,
                      .share = "redis://quota.internal:6379/0",
                      .identity = "ci-bot",
                      .cache = "responses.db",
                      .key = "/id",
                      .resume = true,
                      .replace = true,
                      .verify = true,
                      .quiet = true,
                      .stats = "stats.json",
                      .plot = "run.svg",
                      .report = "run.html"};
  auto words = words_of(
      "--dialect docker-hub --paging zendesk-cursor --items tickets --out a.jsonl --token-file token "
      "--token-header X-Api-Key --header=X-Api-Version:2:_new --header=X-Empty: --query state=open=1 --query state= "
      "--share redis://quota.internal:6379/0 --identity ci-bot --cache responses.db "
      "--page-size 100 --max-items=5000 --concurrency 1000 --deadline 15m --reserve 7 --key id --resume --force "
      "--verify --quiet --bookmark-key-env KEY --stats stats.json --plot run.svg --report run.html");
  words.insert(words.end(), {"--header", "X-Spaces:  2: new ", "--query", "q=[a,b] {} %%"});
  EXPECT_EQ(good(words), all);
  EXPECT_TRUE(good({"--dry-run"}).dry_run);
  EXPECT_EQ(good({"--token-env", "_T0KEN"}).token_env, "_T0KEN");
}

TEST(ExportArguments, of_a_stream_go_with_it_alone) {
  const auto stream = good(words_of("--stream --stream-format json-lines --resume-with since=seq --follow"));
  EXPECT_TRUE(stream.stream && stream.follow);
  EXPECT_EQ(stream.stream_format, noun::StreamFormat::json_lines);
  EXPECT_EQ(stream.resume_with, (std::pair<std::string, std::string>("since", "/seq")));
  EXPECT_NE(job_of(stream), job_of(good({"--stream"})));
  EXPECT_EQ(job_of(good({"--stream"})), job_of(good({"--stream", "--follow"})));
  EXPECT_THAT(job_of(good({})), Not(HasSubstr("stream"))) << "as before there were streams";
  EXPECT_EQ(parse({"--stream", "--dialect", "slack"}).status, std::nullopt);
  for (const auto* alone : {"--stream-format json_lines", "--resume-with since=seq", "--follow"})
    EXPECT_THAT(parse(words_of(alone)).text, HasSubstr(" is for a stream; add --stream, or remove --"));
  for (const auto* of_pages : {"--paging slack", "--items a", "--page-parameter p", "--size-parameter s",
                               "--page-size 9", "--concurrency 1", "--cursor a --cursor-parameter c", "--next-url a",
                               "--key id", "--cache f", "--dry-run"})
    EXPECT_THAT(parse(words_of(fmt::format("--stream {}", of_pages))).text,
                HasSubstr(" is for a collection, which has pages; remove it, or --stream."));
}

TEST(ExportArguments, arguments_have_several_spellings) {
  EXPECT_EQ(parse_arguments({"--query", "a=1", "--quiet", "https://api.example.com/", "items"}).arguments,
            good({"--query", "a=1", "--quiet"}));
  EXPECT_EQ(parse_arguments({"HTTP://[::1]:8080/v1/", "a"}).arguments.base_url, "HTTP://[::1]:8080/v1");
  EXPECT_EQ(parse_arguments({"https://h/@me", "a"}).status, std::nullopt);
  EXPECT_EQ(parse_arguments({"https://h", "/a%2Fb/...;v=1/@me"}).arguments.path, "/a%2Fb/...;v=1/@me");
  EXPECT_EQ(good({"--out", "-"}).out, "");
  const std::pair<const char*, noun::Duration> times[] = {{"500ms", 500ms}, {"90s", 90s}, {"2h", 2h}, {"8784h", 8784h}};
  for (const auto& [word, time] : times) EXPECT_EQ(good({"--deadline", word}).deadline, time);
  EXPECT_EQ(good({"--key", "user/id"}).key, "/user/id");
  EXPECT_EQ(good({"--key", "/a~0b~1c"}).key, "/a~0b~1c");
  EXPECT_EQ(good({"--key", "id", "--select", "name"}), good({"--key", "/id", "--select", "/name"}));
  EXPECT_EQ(good({"--query", "per_page=10"}).query.size(), 1U);
}

/// The sentence of a misuse, without the program's name; expects that it has no secret.
std::string refusal(const Words& line) {
  const auto parsed = parse_arguments(line);
  EXPECT_EQ(parsed.status, 64);
  EXPECT_THAT(parsed.text, AllOf(StartsWith("noun-export: "), EndsWith("\n"), Not(HasSubstr("canary"))));
  return parsed.text.substr(std::min<std::size_t>(parsed.text.size(), 13));
}

TEST(ExportArguments, an_invalid_value_is_refused_with_advice) {
  const struct {
    std::string option;  // or BASE_URL or PATH
    Words values;
    std::string says;
  } cases[] = {
      {"BASE_URL", {"api.example.com", "ftp://api.example.com"}, "BASE_URL does not start with https://"},
      {"BASE_URL", {"https://h/?a=1"}, "BASE_URL has a query; pass its parameters with --query"},
      {"BASE_URL", {"https://h/#a"}, "BASE_URL has a fragment"},
      {"BASE_URL", {"https://h/a b"}, "BASE_URL has a character"},
      {"BASE_URL", {"https://me:canary-1@h"}, "remove it and use --token-env NAME"},
      {"PATH", {"/items?state=open"}, "PATH has a query; use --query"},
      {"PATH", {"https://api.example.com/items"}, "PATH is a full URL; pass the host in BASE_URL"},
      {"PATH", {"/items#top"}, "PATH has a fragment"},
      {"PATH", {"//items", "/a//items"}, "PATH has an empty segment"},
      {"PATH", {"/a/../items", "/./items", "/a/%2E%2e", "/.%2e/a"}, "PATH has a segment . or .."},
      {"PATH", {"/", ""}, "PATH names no collection"},
      {"PATH", {"/a b", "/a\r\nb", "/\xc3\xa9", "/a%2", "/a%zz", "/a\\b"}, "PATH has a character"},
      {"--page-size", {"0", "-1", "1.5", "12k", "1000000001", "99999999999999999999"}, " from 1 to 1000000000."},
      {"--max-items", {"0"}, "--max-items takes a whole number from 1 to "},
      {"--stream-format", {"ndjson"}, "--stream-format has an unknown name; "},
      {"--resume-with", {"since", "=/seq", "since=", "since=/~2"}, "--resume-with "},
      {"--concurrency", {"1001"}, "--concurrency takes a whole number from 0 to 1000."},
      {"--reserve", {"-1"}, "--reserve takes a whole number from 0 to "},
      {"--deadline",
       {"90", "s", "1.5h", "-2s", "2 h", "2d", "2hs", "99999999999999999999s"},
       " takes a whole number and its unit"},
      {"--deadline", {"0s", "8785h", "9223372036854775807h"}, "takes a time from 1ms to 8784h"},
      {"--key", {"a~", "/a~2"}, "--key is not a JSON pointer"},
      {"--select", {""}, "--select is empty"},
      {"--select", {"a\nb"}, "--select contains a control character"},
      {"--items", {""}, "--items is empty"},
      {"--out", {""}, "--out is empty"},
      {"--header", {"X-A: b\r\nX-C: d"}, "the value of --header X-A contains a line break"},
      {"--header", {"X-A\n: b", "X A: b", ": b"}, "--header has no valid name"},
      {"--header", {"X-A"}, "--header has no colon"},
      {"--header", {"Host: b"}, "--header Host is set by noun-export"},
      {"--header", {"X-Other: Bearer canary-1"}, "--header X-Other is a credential"},
      {"--token-header", {"X:"}, "--token-header has no valid name"},
      {"--token-env", {"canary-1"}, "not the secret itself"},
      {"--bookmark-key-env", {"canary-1"}, "not the secret itself"},
      {"--share", {""}, "--share is empty; name a directory or a Redis server."},
      {"--share", {"redis://:canary-1@h", "redis://me:canary-1@h:1/0"}, "use --share-env NAME."},
      {"--share",
       {"redis:/:canary-1@h", "redis//:canary-1@h:1", ":canary-1@h:1", "redis:me:canary-1@h:1"},
       "--share contains a user or password"},
      {"--share",
       {"quota.internal:6379", "redis:/quota.internal/0", "quota.internal", "~/quotas"},
       "--share is neither a directory nor a URL; name a directory with / or ./ at its start, or a URL"},
      {"--share-env", {"redis://h"}, "not the secret itself"},
      {"--identity", {""}, "--identity is empty; name the account"},
      {"--query", {"a=b\nc"}, "--query contains a line break"},
      {"--query", {"a", "=b", ""}, "--query takes a name"},
      {"--dialect", {"githbu"}, "--dialect has an unknown name; try --dialect github, or see --help"},
      {"--dialect", {"acme"}, "--dialect has an unknown name; use one of these, or omit the option.\n  airtable,"},
      {"--paging", {"slak"}, "--paging has an unknown name; try --paging slack, or see --help"},
      {"--paging",
       {"nothing at all"},
       "--paging has an unknown name; use one of these, or omit the option.\n  airtable,"},
      {"--paging", {"nothing at all"}, "zendesk_offset"},
      {"--paging", {"slack"}, "--paging slack does not define the position of the items in a page; add --items"},
      {"--dialect", {"slack"}, "--dialect slack does not define the position of the items in a page; add --items"},
  };
  for (const auto& [option, values, says] : cases)
    for (const auto& value : values) {
      SCOPED_TRACE(option + " " + value);
      Words line{option == "BASE_URL" ? value : "https://api.example.com", option == "PATH" ? value : "/items"};
      if (option.starts_with("--")) line.insert(line.end(), {option, value});
      EXPECT_THAT(refusal(line), AllOf(HasSubstr(option), HasSubstr(says)));
    }
}

TEST(ExportArguments, an_invalid_command_line_is_refused_with_advice) {
  const std::string same_file = " are the same file; use different files.";
  const std::pair<std::string, std::vector<std::string>> cases[] = {
      {"too many arguments after BASE_URL and PATH", {"/more"}},
      {"try --deadline.", {"--dedline 3s"}},
      {"noun-export --help", {"--nonsense"}},
      {"write --out FILE, once", {"--out", "--out a --out b"}},
      {"write --query NAME=VALUE", {"--query"}},
      {"--out has no value before --resume", {"--out --resume"}},
      {"--page-size", {"--page-size= --quiet"}},
      {"--quiet takes no value", {"--quiet=false"}},
      {"use --token-env NAME", {"--token canary-1", "--token=canary-1", "-u me:canary-1", "--api-key canary-1"}},
      {"--resume requires a file; add --out FILE", {"--resume"}},
      {"--force requires a file; add --out FILE", {"--force"}},
      {"--verify requires a file; add --out FILE", {"--verify"}},
      {"--bookmark-key-env requires a file; add --out FILE", {"--bookmark-key-env KEY"}},
      {"could not know the earlier items; ", {"--key id --select name --out f"}},
      {"--token-file and --token-env are both set", {"--token-file f --token-env E"}},
      {"--token-header has no token to send; add --token-env", {"--token-header X-Key"}},
      {"--share and --share-env are both set", {"--share ./quotas --share-env PLACE"}},
      {"--identity names a shared quota; add --share PLACE", {"--identity ci-bot"}},
      {"--dry-run estimates the whole export and writes no file, so that --resume has no effect; remove one of them.",
       {"--dry-run --resume --out a"}},
      {" that --force has no effect", {"--dry-run --force --out a"}},
      {" that --verify has no effect", {"--dry-run --verify --out a"}},
      {"--query per_page is the parameter of --page-size", {"--query per_page=10 --page-size 20"}},
      {"--query limit is the parameter of --page-size", {"--paging offset --page-size 5 --query limit=5"}},
      {"--out and --stats" + same_file, {"--out a --stats ./a"}},
      {"--out (FILE.part) and --plot" + same_file, {"--out a --plot b/../a.part"}},
      {"--out (FILE.journal) and --stats" + same_file, {"--out a --stats a.journal"}},
      {"--stats and --plot" + same_file, {"--stats a --plot a"}},
      {"--plot and --report" + same_file, {"--plot a.html --report a.html"}},
      {"--report has an unknown suffix; name a page FILE.html, or a trace FILE.json.",
       {"--report run", "--report run.svg", "--report run.jsonl"}},
      {"--out and --cache" + same_file, {"--cache a --out a"}},
      {"--token-file and --out" + same_file, {"--token-file t --out t"}},
  };
  for (const auto& [says, lines] : cases)
    for (const auto& line : lines) {
      SCOPED_TRACE(line);
      EXPECT_THAT(refusal(words_of("https://h /items " + line)), HasSubstr(says));
    }
  EXPECT_THAT(refusal({}), HasSubstr("BASE_URL is required"));
  EXPECT_THAT(refusal({"https://h"}), HasSubstr("PATH is required"));
}

TEST(ExportArguments, secrets_on_the_command_line_are_refused) {
  for (const std::string name :
       {"Authorization", "proxy-authorization", "Cookie", "X-Api-Key", "PRIVATE-TOKEN", "DD-API-KEY", "X-Auth-Token",
        "X-Shopify-Access-Token", "X-Auth", "X-Session-Id", "X-Client-Secret"})
    EXPECT_THAT(refusal({"https://h", "/a", "--header", name + ": canary-1"}),
                HasSubstr("use --token-env NAME with --token-header " + name));
  for (const std::string name : {"access_token", "api_key", "apikey", "key", "token", "client_secret", "sig",
                                 "password", "X-Amz-Signature", "api-token"})
    EXPECT_THAT(refusal({"https://h", "/a", "--query", name + "=canary-1"}),
                AllOf(HasSubstr("--query " + name + " is a credential"), HasSubstr("--token-env")));
  const auto harmless = words_of(
      "--query page_token=a --query sort_key=b --query author=c --query keyword=d "
      "--header X-Author:e --header Idempotency-Key:f --header X-Keyword:g");
  EXPECT_EQ(good(harmless).query.size(), 4U);
}

/// The names of the functions in a header of noun that return this type.
Words declared_in(const std::string& file, const std::string& type) {
  std::ifstream header(std::string(noun_test::source_dir) + "/include/noun/" + file);
  Words names;
  const auto before = "NOUN_API " + type + " ";
  for (std::string line; std::getline(header, line);)
    if (line.starts_with(before)) names.push_back(line.substr(before.size(), line.find('(') - before.size()));
  EXPECT_FALSE(names.empty());
  return names;
}

TEST(ExportArguments, each_dialect_of_noun_has_a_name) {
  const auto declared = declared_in("dialect.hpp", "Dialect");
  EXPECT_THAT(noun_export::dialect_names(), ::testing::UnorderedElementsAreArray(declared));
  for (const auto& name : declared) {
    ASSERT_TRUE(dialect_named(name)) << name;
    EXPECT_EQ(dialect_named(name)->name, name);
  }
  EXPECT_FALSE(dialect_named("acme"));
}

TEST(ExportArguments, each_paging_of_noun_without_a_body_has_a_name) {
  auto declared = declared_in("paging.hpp", "Paging");
  declared.insert(declared.end(), {"link_header", "offset", "page_number", "single_page"});
  for (const auto* by_body : {"aws", "elasticsearch", "graphql"})
    ASSERT_EQ(std::erase(declared, by_body), 1U) << by_body;
  EXPECT_THAT(noun_export::paging_names(), ::testing::UnorderedElementsAreArray(declared));
  EXPECT_TRUE(std::is_sorted(noun_export::paging_names().begin(), noun_export::paging_names().end()));
  for (const auto& name : declared) EXPECT_TRUE(noun_export::paging_named(name)) << name;
  EXPECT_FALSE(noun_export::paging_named("acme"));
}

TEST(ExportArguments, a_dialect_without_paging_uses_the_paging_of_its_name) {
  EXPECT_EQ(good({"--dialect", "slack", "--items", "channels"}).paging, "slack");
  EXPECT_EQ(good({"--dialect", "slack", "--items", "members", "--paging", "link_header"}).paging, "link_header");
  for (const auto* dialect : {"plain", "github", "gitlab", "stripe", "zendesk"})
    EXPECT_EQ(good({"--dialect", dialect}).paging, "") << dialect;
}

TEST(ExportArguments, paging_replaces_the_one_of_the_dialect) {
  const auto zendesk = dialect_of(good({"--dialect", "zendesk", "--paging", "zendesk_cursor", "--items", "tickets"}));
  EXPECT_EQ(zendesk.name, "zendesk");
  EXPECT_TRUE(std::holds_alternative<noun::paging::NextUrl>(zendesk.paging.style));
  EXPECT_EQ(zendesk.paging.items, "/tickets");
  EXPECT_EQ(dialect_of(good({"--items", "/data/rows"})).paging.items, "/data/rows");
  EXPECT_EQ(dialect_of(good({"--paging", "drf"})).paging.items, noun::paging::drf().items);
  EXPECT_EQ(dialect_of(good({"--paging", "drf", "--items", "list"})).paging.items, "/list");
  EXPECT_EQ(dialect_of(good({"--dialect", "gitlab"})).paging.totals.items_header, "X-Total");
}

TEST(ExportArguments, parameters_of_paging_replace_those_of_the_style) {
  namespace paging = noun::paging;
  const auto misuse_of = [](Words options) {
    options.insert(options.begin(), {"https://api.example.com", "/items"});
    return refusal(options);
  };
  const auto paging_of = [](Words options) { return dialect_of(good(std::move(options))).paging; };
  EXPECT_EQ(std::get<paging::Automatic>(paging_of({"--page-parameter", "p"}).style).page_parameter, "p");
  EXPECT_EQ(
      std::get<paging::PageNumber>(paging_of({"--paging", "page_number", "--page-parameter", "p"}).style).parameter,
      "p");
  EXPECT_EQ(std::get<paging::Offset>(paging_of({"--paging", "offset", "--page-parameter", "skip"}).style).parameter,
            "skip");
  EXPECT_EQ(paging_of({"--size-parameter", "_limit"}).size_parameter, "_limit");
  EXPECT_EQ(
      std::get<paging::LastItem>(paging_of({"--dialect", "stripe", "--cursor-parameter", "after"}).style).parameter,
      "after");
  const auto cursor =
      std::get<paging::Cursor>(paging_of({"--cursor-parameter", "after", "--cursor", "meta/next"}).style);
  EXPECT_EQ(cursor.parameter, "after");
  EXPECT_EQ(cursor.from, "/meta/next");
  EXPECT_EQ(std::get<paging::NextUrl>(paging_of({"--next-url", "links/next"}).style).from, "/links/next");
  EXPECT_THAT(misuse_of({"--cursor", "next"}),
              HasSubstr("--cursor POINTER and --cursor-parameter NAME are needed together"));
  EXPECT_THAT(misuse_of({"--cursor-parameter", "a"}), HasSubstr("are needed together"));
  EXPECT_THAT(misuse_of({"--paging", "drf", "--next-url", "a"}), HasSubstr("which defines the next page"));
  EXPECT_THAT(misuse_of({"--cursor", "a", "--cursor-parameter", "a", "--next-url", "a"}), HasSubstr("are both set"));
  EXPECT_THAT(misuse_of({"--paging", "drf", "--page-parameter", "a"}), HasSubstr("which has no page number or offset"));
  EXPECT_THAT(misuse_of({"--paging", "drf", "--cursor-parameter", "a"}), HasSubstr("which has no cursor"));
  EXPECT_THAT(misuse_of({"--page-parameter", ""}), HasSubstr("takes the name of a query parameter"));
}

TEST(ExportArguments, a_slash_at_the_end_of_the_path_is_kept) {
  for (const Words& line : {Words{"/items/"}, {"/items", "--trailing-slash"}}) {
    auto words = line;
    words.insert(words.begin(), "https://api.example.com");
    const auto arguments = parse_arguments(words).arguments;
    EXPECT_EQ(arguments.path, "/items");
    EXPECT_TRUE(dialect_of(arguments).trailing_slash);
    EXPECT_NE(job_of(arguments), job_of(good({})));
  }
  EXPECT_FALSE(dialect_of(good({})).trailing_slash);
}

TEST(ExportArguments, the_job_is_the_arguments_that_affect_the_file) {
  const auto same =
      words_of("--dialect x --query a=1 --header B:canary-2 --header A:1 --key id --select n --paging x --items i");
  const auto job = job_of(good(same));
  EXPECT_EQ(noun::Json::parse(job),
            noun::Json({{"base_url", "https://api.example.com"},
                        {"path", "/items"},
                        {"dialect", "x"},
                        {"query", noun::Json::array({noun::Json::array({"a", "1"})})},
                        {"paging", "x"},
                        {"items", "/i"},
                        {"headers", noun::Json::array({noun::Json::array({"A", "6b86b273ff34fce1"}),
                                                       noun::Json::array({"B", "827d4a5501e1cb37"})})},
                        {"key", "/id"},
                        {"select", "/n"},
                        {"page_parameter", ""},
                        {"size_parameter", ""},
                        {"cursor_parameter", ""},
                        {"cursor", ""},
                        {"next_url", ""},
                        {"trailing_slash", false}}));
  EXPECT_THAT(job, AllOf(Not(HasSubstr("\n")), Not(HasSubstr("canary"))));
  for (const auto* change :
       {"--page-size 3", "--concurrency 4", "--token-env E", "--deadline 1h", "--quiet", "--max-items 9"}) {
    auto words = words_of(change);
    words.insert(words.end(), same.begin(), same.end());
    EXPECT_EQ(job_of(good(words)), job) << change;
  }
  const auto bare = job_of(good({}));
  for (const auto* change :
       {"--query b=1", "--header C:1", "--key no", "--select no", "--dialect github", "--paging drf", "--items i"})
    EXPECT_NE(job_of(good(words_of(change))), bare) << change;
  EXPECT_EQ(job_of(good({"--out", "f", "--resume"})), bare);
  EXPECT_NE(job_of(good({"--header", "A: 1"})), job_of(good({"--header", "A: 2"})));
  EXPECT_NE(job_of(parse_arguments({"https://api.example.com", "/others"}).arguments), bare);
  EXPECT_NE(job_of(parse_arguments({"https://other.example.com", "/items"}).arguments), bare);
  // Arguments may have any bytes.
  EXPECT_TRUE(noun::Json::accept(job_of(good({"--query", "q=\xe9\"\\"}))));
}

TEST(ExportArguments, help_is_complete_and_at_most_100_columns_wide) {
  for (const Words& words : {Words{"--help"}, {"-h"}, {"https://h", "/p", "--help"}, {"--help", "--resume"}}) {
    const auto help = parse_arguments(words);
    EXPECT_EQ(help.status, 0) << words[0];
    EXPECT_THAT(help.text, HasSubstr("Usage: noun-export"));
  }
  const auto text = parse_arguments({"--help"}).text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  for (const auto& option : words_of(
           "BASE_URL PATH --paging --items --dialect --out --token-file --token-env --token-header --header --query "
           "--page-size --max-items --concurrency --deadline --reserve --key --select --resume --force --verify "
           "--bookmark-key-env --dry-run --quiet --stats --plot --report --version --help Examples: Environment: azure_resource_manager"))
    EXPECT_THAT(text, HasSubstr(option));
  EXPECT_THAT(text, AllOf(HasSubstr("never on the command line"), HasSubstr("\n  143  SIGTERM")));
  EXPECT_THAT(text, Not(HasSubstr("\n\n\n")));
  const auto version = parse_arguments({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.text, ::testing::MatchesRegex("noun-export [0-9.]+ .noun [0-9.]+.\n"));
}

TEST(ExportArguments, help_does_not_read_the_token) {
  setenv("NOUN_EXPORT_TEST_TOKEN", "canary-3", 1);
  EXPECT_THAT(parse({"--token-env", "NOUN_EXPORT_TEST_TOKEN", "--help"}).text, Not(HasSubstr("canary")));
  EXPECT_THAT(job_of(good({"--token-env", "NOUN_EXPORT_TEST_TOKEN"})), Not(HasSubstr("canary")));
  unsetenv("NOUN_EXPORT_TEST_TOKEN");
}

}  // namespace export_arguments_test
}  // namespace export_test
