#include "quota_arguments.hpp"

#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <noun/version.hpp>

#include "argument_values.hpp"
#include "export_end.hpp"

namespace noun_quota {
namespace {

using noun_export::Misuse;

constexpr const char* footer = R"(Examples:
  noun-quota /run/user/1000/noun
  noun-quota redis://quota.internal:6379/0 --json

Exit status:
   0  all shared quotas were shown, if there are any
  64  invalid command line
  65  a quota could not be read
  69  the directory or the server could not be read
  74  the output could not be written
)";

void check(const Arguments& arguments) {
  if (arguments.place.empty() == arguments.place_env.empty())
    throw Misuse("name one place of shared quotas: PLACE, or --place-env NAME.");
  if (!arguments.place.empty()) noun_export::place_of("PLACE", "--place-env", arguments.place);
  if (!arguments.place_env.empty()) noun_export::variable_of("--place-env", arguments.place_env);
}

}  // namespace

Parsed parse_arguments(const std::vector<std::string>& words) {
  Arguments arguments;
  CLI::App app("Shows the quotas that processes share, and these processes. Changes nothing.", "noun-quota");
  app.add_option("PLACE", arguments.place,
                 "a directory (it begins with / or .), or a Redis server as redis://HOST:PORT/DATABASE")
      ->option_text(" ");
  app.add_option("--place-env", arguments.place_env,
                 "read PLACE from this environment variable, for a URL with a password")
      ->option_text("NAME");
  app.add_option("--prefix", arguments.prefix, "SharingOptions::prefix of the programs; default: noun")
      ->option_text("TEXT");
  app.add_flag("--json", arguments.json, "print JSON")->disable_flag_override();
  app.set_version_flag("--version", fmt::format("noun-quota {}", NOUN_VERSION), "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.footer(footer);
  const auto refusal = [](const std::string& sentence) {
    return Parsed{.status = static_cast<int>(noun_export::Ending::usage),
                  .text = fmt::format("noun-quota: {}\n", sentence)};
  };
  try {
    // CLI11 expects the words in reverse order.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    check(arguments);
    return {.arguments = std::move(arguments)};
  } catch (const CLI::CallForHelp&) {
    return {.status = 0, .text = app.help()};
  } catch (const CLI::CallForVersion& version) {
    return {.status = 0, .text = fmt::format("{}\n", version.what())};
  } catch (const CLI::ParseError& error) {
    return refusal(fmt::format("{}; see noun-quota --help.", error.what()));
  } catch (const Misuse& misuse) {
    return refusal(misuse.what());
  }
}

}  // namespace noun_quota
