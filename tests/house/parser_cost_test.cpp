// Every function that reads a server's text is measured by tests/benchmark/parser_cost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "house/house_tree.hpp"

namespace house { namespace parser_cost_test {

/// Those whose text comes from noun or its caller, and those that take each byte once.
const std::set<std::string> other_functions = {"append_character",
                                               "append_query",
                                               "append_segment",
                                               "base64_encode",
                                               "base64url_encode",
                                               "first_character",
                                                               "hexadecimal",
                                               "hmac_sha256",
                                               "is_traceparent",
                                               "is_tracestate",
                                               "json_quoted",
                                               "leads_to",
                                               "lowered",
                                               "names_credentials",
                                               "names_secret",
                                                               "normalized_authority",
                                                               "parse_component",
                                               "part_head",
                                               "quoted_path",
                                               "read_decimal",
                                               "read_decimal_with_strtod",
                                               "read_integer",
                                               "same_ignoring_case",
                                               "seal",
                                               "secret_parameter_in",
                                               "secrets_in",
                                                               "sha256",
                                               "equal_in_constant_time",
                                               "trimmed",
                                               "unseal",
                                               "weakly_equal",
                                               "with_json_at",
                                               "written_origin"};

/// The functions that are declared in the room of the grammars, and what hides secrets, with a text as an argument.
std::set<std::string> readers_in(const Files& files) {
  static const std::regex declaration(
      R"(\n(?:NOUN_API |inline |constexpr )*[a-z][\w:<>, ]*[ &*>](\w+)\((?:const )?(?:std::string(?:_view)?&?|Headers&|std::vector<std::string_view>&) )");
  std::set<std::string> readers;
  for (const auto& file : files) {
    const bool reads = file.path.starts_with("src/wire/") || file.path == "src/call/redaction.hpp";
    if (!reads || !file.path.ends_with(".hpp")) continue;
    const auto text = without_comments(file.text);
    for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at)
      readers.insert((*at)[1].str());
  }
  return readers;
}

Findings unmeasured(const Files& files, const std::string& benchmark) {
  Findings missing;
  for (const auto& reader : readers_in(files))
    if (!other_functions.contains(reader) && !std::regex_search(benchmark, std::regex("\\b" + reader + "\\b")))
      missing.push_back(reader);
  return missing;
}

TEST(ParserCost, measures_every_reader_of_a_servers_text) {
  const auto& files = repository();
  const auto benchmark = std::find_if(
      files.begin(), files.end(), [](const auto& file) { return file.path == "tests/benchmark/parser_cost_main.cpp"; });
  ASSERT_NE(benchmark, files.end());
  EXPECT_THAT(unmeasured(files, benchmark->text), ::testing::IsEmpty());
  EXPECT_GT(readers_in(files).size(), 40U);
}

TEST(ParserCost, a_reader_that_is_not_measured_is_found) {
  const Files files = {{"src/wire/a.hpp", "\nstd::optional<int> read_a(std::string_view text);\nint f(int);\n"},
                       {"src/quota/b.hpp", "\nint read_b(std::string_view text);\n"}};
  EXPECT_THAT(unmeasured(files, "read_abc"), ::testing::ElementsAre("read_a"));
}

}}  // namespace house::parser_cost_test
