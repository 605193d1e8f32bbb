#include "export_arguments.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <noun/json.hpp>
#include <noun/version.hpp>

#include "argument_values.hpp"
#include "export_dialects.hpp"
#include "export_end.hpp"
#include "export_help.hpp"
#include "export_pagings.hpp"
#include "name_list.hpp"
#include "nearest_name.hpp"
#include "secret_names.hpp"
#include "text_hash.hpp"

namespace noun_export {
namespace {

/// What the command line may have. What the words mean is not for it to decide.
void declare(CLI::App& app) {
  const auto takes = [&](const char* group, const char* name, const char* value, const std::string& words) {
    return app.add_option(name, words)->option_text(value)->group(group);
  };
  const auto flag = [&](const char* group, const char* name, const std::string& words) {
    app.add_flag(name, words)->disable_flag_override()->group(group);
  };
  app.add_option("BASE_URL", "where the service is, as https://api.example.com/v1")->option_text(" ")->required();
  app.add_option("PATH", "of the collection below it, percent-encoded, as /repos/fmtlib/fmt/issues")
      ->option_text(" ")
      ->required();

  const char* asked = "What is asked for";
  takes(asked, "--dialect", "NAME", "how the service spells quotas and pages (below); plain if not given");
  takes(asked, "--paging", "NAME", "how it pages (below), where the dialect does not say it");
  takes(asked, "--items", "POINTER", "where on a page the items are, as channels or /data/rows");
  takes(asked, "--query", "NAME=VALUE", "a query parameter, not percent-encoded; may be repeated")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  takes(asked, "--header", "'NAME: VALUE'", "a header field without a secret; may be repeated")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  takes(asked, "--page-size", "N", "items on a page; the service's own number if not given");
  takes(asked, "--max-items", "N", "end after so many items");

  const char* token = "The token (never on the command line, where everyone on the machine can see it)";
  takes(token, "--token-env", "NAME", "it is in this environment variable");
  takes(token, "--token-file", "FILE", "it is the first line of this file");
  takes(token, "--token-header", "NAME",
        "send it as it is in this field, as X-Api-Key;\nas Authorization: Bearer if not given");

  const char* pace = "Pace";
  takes(pace, "--concurrency", "N", "read so many pages ahead, 0 to 1000; 0 if not given");
  takes(pace, "--reserve", "N", "leave so many requests of each window of the quota to others");
  takes(pace, "--deadline", "TIME", "be through after 90s, 15m or 2h; what cannot be is said early");

  const char* written = "What is written";
  takes(written, "--out", "FILE", "into FILE, which is whole or not there; else to standard output");
  takes(written, "--key", "POINTER",
        "leave out items whose key (id, or /meta/id) came before;\none without it is known by its whole text");
  takes(written, "--select", "POINTER", "only what each item has there, as /name");
  flag(written, "--resume", "go on with FILE.part behind its last checkpoint;\nFILE without a part is left as it is");
  flag(written, "--force", "replace FILE, if it is there, when all is written");
  flag(written, "--verify", "read FILE once more and compare it with what came");
  takes(written, "--stats", "FILE", "each step of each request as a line of JSON");
  takes(written, "--plot", "FILE.svg", "a picture of the run");

  const char* rest = "Else";
  flag(rest, "--dry-run", "ask for the first page only, and say what the rest would take");
  flag(rest, "--quiet", "say nothing but errors");
  app.set_version_flag("--version", fmt::format("noun-export {} (noun {})", NOUN_VERSION, noun::version()),
                       "the version of this program, and of noun")
      ->group(rest);
  app.set_help_flag("-h,--help", "this text")->group(rest);
}

std::unique_ptr<CLI::App> command_line() {
  auto app = std::make_unique<CLI::App>(
      "Drains a paginated collection of a REST service into a file of JSON Lines, within its quota.\n"
      "It can be killed at any moment, and goes on with --resume.\n",
      "noun-export");
  constexpr std::size_t left_column = 28;
  app->get_formatter()->column_width(left_column);
  app->footer(help_footer());
  declare(*app);
  return app;
}

/// CLI11 leaves two lines free between groups.
std::string help_of(const CLI::App& app) {
  auto text = app.help();
  for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) text.erase(at, 1);
  return text;
}

bool is_option(const CLI::App& app, const std::string& word) {
  return word.starts_with("--") && app.get_option_no_throw(word) != nullptr;
}

/// The value of an option that is given once; nothing without it.
std::optional<std::string> value_of(const CLI::App& app, const std::string& option) {
  if (app.count(option) == 0) return std::nullopt;
  auto value = app.get_option(option)->results().front();
  // CLI11 takes the next word, whatever it is.
  if (is_option(app, value)) throw Misuse(fmt::format("{} stands without its value before {}: add it.", option, value));
  return value;
}

std::filesystem::path file_of(const CLI::App& app, const std::string& option) {
  const auto word = value_of(app, option);
  if (word && word->empty()) throw Misuse(fmt::format("{} is empty: name a file.", option));
  return word.value_or("");
}

/// One of the names; a hyphen is as good as an underscore.
std::string name_of(const std::string& option, std::string word, std::span<const std::string_view> names) {
  std::replace(word.begin(), word.end(), '-', '_');
  if (std::find(names.begin(), names.end(), word) != names.end()) return word;
  constexpr std::size_t columns = 100;
  if (const auto near = nearest_name(word, names); !near.empty())
    throw Misuse(fmt::format("{0} has a name that is none: try {0} {1}, or see --help for all of them.", option, near));
  throw Misuse(fmt::format("{} has a name that is none: give one of these, or leave it out.\n{}", option,
                           name_list(names, "  ", columns)));
}

template <class Parse>
void read(const CLI::App& app, const std::string& option, Parse parse) {
  if (const auto word = value_of(app, option)) parse(option, *word);
}

void read_repeated(const CLI::App& app, Arguments& arguments) {
  for (const auto& word : app.get_option("--header")->results()) arguments.headers.push_back(header_of(word));
  for (const auto& word : app.get_option("--query")->results()) arguments.query.push_back(parameter_of(word));
}

bool is_automatic(const noun::Paging& paging) {
  return std::holds_alternative<noun::paging::Automatic>(paging.style);
}

/// Where a dialect does not say how all lists are paged, the paging of its name does.
void find_paging(Arguments& arguments) {
  if (!arguments.paging.empty() || !is_automatic(dialect_named(arguments.dialect)->paging)) return;
  if (paging_named(arguments.dialect)) arguments.paging = arguments.dialect;
}

Arguments arguments_of(const CLI::App& app) {
  constexpr std::int64_t most_items = 1'000'000'000'000'000;
  Arguments all{.base_url = base_url_of(app.get_option("BASE_URL")->results().front()),
                .path = path_of(app.get_option("PATH")->results().front()),
                .out = file_of(app, "--out"),
                .token_file = file_of(app, "--token-file"),
                .resume = app.count("--resume") > 0,
                .replace = app.count("--force") > 0,
                .verify = app.count("--verify") > 0,
                .dry_run = app.count("--dry-run") > 0,
                .quiet = app.count("--quiet") > 0,
                .stats = file_of(app, "--stats"),
                .plot = file_of(app, "--plot")};
  if (all.out == "-") all.out.clear();
  read_repeated(app, all);
  using Word = const std::string&;
  read(app, "--dialect", [&](Word option, Word word) { all.dialect = name_of(option, word, dialect_names()); });
  read(app, "--paging", [&](Word option, Word word) { all.paging = name_of(option, word, paging_names()); });
  read(app, "--items", [&](Word option, Word word) { all.items = pointer_of(option, word); });
  read(app, "--token-env", [&](Word option, Word word) { all.token_env = variable_of(option, word); });
  read(app, "--token-header", [&](Word option, Word word) { all.token_header = field_name_of(option, word); });
  read(app, "--page-size", [&](Word option, Word word) {
    all.page_size = static_cast<std::size_t>(number_of(option, word, 1, 1'000'000'000));
  });
  read(app, "--max-items", [&](Word option, Word word) {
    all.max_items = static_cast<std::size_t>(number_of(option, word, 1, most_items));
  });
  read(app, "--concurrency",
       [&](Word option, Word word) { all.concurrency = static_cast<std::size_t>(number_of(option, word, 0, 1000)); });
  read(app, "--deadline", [&](Word option, Word word) { all.deadline = time_of(option, word); });
  read(app, "--reserve", [&](Word option, Word word) { all.reserve = number_of(option, word, 0, 1'000'000'000'000); });
  read(app, "--key", [&](Word option, Word word) { all.key = pointer_of(option, word); });
  read(app, "--select", [&](Word option, Word word) { all.select = pointer_of(option, word); });
  find_paging(all);
  return all;
}

/// No file is two things at once: a result would overwrite the token, or the data.
void check_files(const Arguments& arguments) {
  std::map<std::filesystem::path, std::string> uses;
  const auto use = [&](const std::filesystem::path& file, const char* suffix, const std::string& option) {
    if (file.empty()) return;
    auto path = file;
    path += suffix;
    std::error_code ignored;
    const auto whole = std::filesystem::absolute(path, ignored).lexically_normal();
    if (const auto [other, is_new] = uses.try_emplace(whole, option); !is_new)
      throw Misuse(fmt::format("{} and {} are the same file: give them different ones.", other->second, option));
  };
  use(arguments.token_file, "", "--token-file");
  use(arguments.out, "", "--out");
  use(arguments.out, ".part", "--out (FILE.part)");
  use(arguments.out, ".journal", "--out (FILE.journal)");
  use(arguments.stats, "", "--stats");
  use(arguments.plot, "", "--plot");
}

void check_together(const Arguments& arguments) {
  const bool has_token = !arguments.token_file.empty() || !arguments.token_env.empty();
  for (const auto& [given, option] :
       {std::pair{arguments.resume, "--resume"}, {arguments.replace, "--force"}, {arguments.verify, "--verify"}})
    if (given && arguments.out.empty())
      throw Misuse(fmt::format("{} needs a file: add --out FILE, or leave {} out.", option, option));
  if (!arguments.token_file.empty() && !arguments.token_env.empty())
    throw Misuse("--token-file and --token-env are both given: leave one of them out.");
  if (!arguments.token_header.empty() && !has_token)
    throw Misuse("--token-header has nothing to send: add --token-env NAME or --token-file FILE.");
  if (arguments.dry_run && arguments.verify)
    throw Misuse("--dry-run writes nothing that --verify could look at: leave one of them out.");
  if (!arguments.paging.empty() && paging_named(arguments.paging)->needs_items && arguments.items.empty())
    throw Misuse(fmt::format("--{} {} does not say where on a page the items are: add --items and their name there.",
                             arguments.paging == arguments.dialect ? "dialect" : "paging", arguments.paging));
  if (!arguments.key.empty() && !arguments.select.empty() && !arguments.out.empty())
    throw Misuse(
        "--select leaves out the key that --key goes by, so that an export resumed with --out could not know what came "
        "before: leave one of the two out, or write to standard output.");
  const auto size_parameter = dialect_of(arguments).paging.size_parameter;
  for (const auto& [name, value] : arguments.query)
    if (arguments.page_size && name == size_parameter)
      throw Misuse(fmt::format("--query {} is what --page-size is sent as: leave one of them out.", name));
  check_files(arguments);
}

std::string sentence_of(const CLI::App& app, const CLI::ParseError& error) {
  for (const auto& word : app.remaining()) {
    if (!word.starts_with("-")) continue;
    const auto name = word.substr(0, word.find('='));
    if (is_secret_parameter(name) || name == "-u" || name == "--user")
      return "a token is not taken from the command line, where everyone on this machine can see it: put it into an "
             "environment variable and use --token-env NAME, or into a file and use --token-file FILE.";
    std::vector<std::string_view> options;
    for (const auto* option : app.get_options())
      if (!option->get_lnames().empty()) options.push_back(option->get_lnames().front());
    const auto bare = std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size()));
    if (const auto near = nearest_name(bare, options); !near.empty())
      return fmt::format("there is an option that is unknown: try --{}.", near);
    return "there is an option that is unknown: noun-export --help names all.";
  }
  if (!app.remaining().empty())
    return "there are more words than BASE_URL and PATH: put a value with spaces into quotes.";
  const std::string what = error.what();
  const auto written = what.substr(0, what.find_first_of(": "));
  // Of a flag it leaves the hyphens out.
  const auto* option = app.get_option_no_throw(written.starts_with("--") ? written : "--" + written);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr || option == nullptr)
    return fmt::format("{}: see noun-export --help.", what);
  const auto name = option->get_name();
  if (option->get_items_expected_max() == 0) return fmt::format("{} takes no value: write {} alone.", name, name);
  return option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll
             ? fmt::format("{} has no value: write {} {}.", name, name, option->get_option_text())
             : fmt::format("{} has no value, or several: write {} {}, once.", name, name, option->get_option_text());
}

Parsed refusal(const std::string& sentence) {
  return {.status = static_cast<int>(Ending::usage), .words = fmt::format("noun-export: {}\n", sentence)};
}

}  // namespace

Parsed parse_arguments(const std::vector<std::string>& words) {
  const auto app = command_line();
  try {
    // It takes them from the back.
    app->parse(std::vector<std::string>(words.rbegin(), words.rend()));
    auto arguments = arguments_of(*app);
    check_together(arguments);
    return {.arguments = std::move(arguments)};
  } catch (const CLI::CallForHelp&) {
    return {.status = 0, .words = help_of(*app)};
  } catch (const CLI::CallForVersion& version) {
    return {.status = 0, .words = fmt::format("{}\n", version.what())};
  } catch (const CLI::ParseError& error) {
    return refusal(sentence_of(*app, error));
  } catch (const Misuse& misuse) {
    return refusal(misuse.what());
  }
}

noun::Dialect dialect_of(const Arguments& arguments) {
  auto dialect = *dialect_named(arguments.dialect);
  if (!arguments.paging.empty()) dialect.paging = paging_named(arguments.paging)->paging;
  if (!arguments.items.empty()) dialect.paging.items = arguments.items;
  return dialect;
}

std::string job_of(const Arguments& arguments) {
  auto headers = noun::Json::array();
  // A value belongs to the job, as that of a tenant, but not into a file.
  for (const auto& [name, value] : arguments.headers) headers.push_back({name, fmt::format("{:016x}", hash_of(value))});
  std::sort(headers.begin(), headers.end());
  auto query = noun::Json::array();
  for (const auto& [name, value] : arguments.query) query.push_back({name, value});
  const noun::Json job = {{"base_url", arguments.base_url},
                          {"path", arguments.path},
                          {"dialect", arguments.dialect},
                          {"paging", arguments.paging},
                          {"items", arguments.items},
                          {"query", query},
                          {"headers", headers},
                          {"key", arguments.key},
                          {"select", arguments.select}};
  // Words of a command line need not be UTF-8.
  return job.dump(-1, ' ', false, noun::Json::error_handler_t::replace);
}

}  // namespace noun_export
