#include "export_arguments.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <noun/json.hpp>
#include <noun/version.hpp>
#include <progress_view.hpp>
#include <run_report.hpp>

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

/// Declares the options. argument_values.hpp parses their values.
void declare(CLI::App& app) {
  const auto takes = [&](const char* group, const char* name, const char* value, const std::string& words) {
    return app.add_option(name, words)->option_text(value)->group(group);
  };
  const auto flag = [&](const char* group, const char* name, const std::string& words) {
    app.add_flag(name, words)->disable_flag_override()->group(group);
  };
  app.add_option("BASE_URL", "base URL of the API, as https://api.example.com/v1")->option_text(" ")->required();
  app.add_option("PATH", "path of the collection, percent-encoded, as /repos/fmtlib/fmt/issues")
      ->option_text(" ")
      ->required();

  const char* request = "Request";
  takes(request, "--dialect", "NAME", "quota fields and pagination of the API (below); default: plain");
  takes(request, "--paging", "NAME", "pagination (below), if the dialect does not define it");
  takes(request, "--items", "POINTER", "position of the items in a page, as channels or /data/rows");
  takes(request, "--page-parameter", "NAME", "the query parameter of the page number or offset");
  takes(request, "--size-parameter", "NAME", "the query parameter of the page size");
  takes(request, "--cursor-parameter", "NAME", "the query parameter of the cursor");
  takes(request, "--cursor", "POINTER", "position of the next cursor in a page, as meta/next_cursor");
  takes(request, "--next-url", "POINTER", "position of the URL of the next page in a page, as links/next");
  flag(request, "--trailing-slash", "the path ends with a slash; so it does if PATH does");
  takes(request, "--query", "NAME=VALUE", "a query parameter, not percent-encoded; repeatable")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  takes(request, "--header", "'NAME: VALUE'", "a header field that is not secret; repeatable")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  takes(request, "--page-size", "N", "items per page; default: the server's page size");
  takes(request, "--max-items", "N", "stop after N items");

  const char* stream = "Stream";
  flag(stream, "--stream", "PATH is a stream: server-sent events, or JSON in lines");
  takes(stream, "--stream-format", "NAME", "event_stream, json_lines or json_sequence; default: by\nContent-Type");
  takes(stream, "--resume-with", "NAME=POINTER",
        "continue a stream of JSON with this query parameter, whose\n"
        "value is in each item, as since=/seq; server-sent events\nhave ids");
  flag(stream, "--follow", "continue after the end of the response, until Ctrl-C,\n--max-items or --deadline");

  const char* token = "Token (never on the command line, which every user of the machine can see)";
  takes(token, "--token-env", "NAME", "read it from this environment variable");
  takes(token, "--token-file", "FILE", "read it from the first line of this file");
  takes(token, "--token-header", "NAME",
        "send it in this field, as X-Api-Key;\ndefault: Authorization: Bearer");

  flag(request, "--from-environment", "use the proxy that https_proxy, http_proxy, all_proxy and\nno_proxy name");

  const char* pace = "Rate";
  takes(pace, "--concurrency", "N", "pages to prefetch, 0 to 1000; default: 0");
  takes(pace, "--reserve", "N", "leave N requests of each quota window to other clients");
  takes(pace, "--deadline", "TIME", "finish within TIME, as 90s, 15m or 2h; an impossible\ndeadline is an early error");

  takes(pace, "--share", "PLACE",
        "share the quota with the exports that name this directory,\n"
        "or this Redis server, as redis://HOST:PORT/DATABASE");
  takes(pace, "--share-env", "NAME", "read PLACE from this environment variable, for a URL with\na password");
  takes(pace, "--identity", "NAME",
        "share the quota with the exports of this name, one for\neach account; default: noun-export");

  takes(pace, "--cache", "FILE",
        "keep responses in this SQLite database, so that a page that\nhas not changed is not sent again");

  const char* written = "Output";
  takes(written, "--out", "FILE", "write to FILE, which is complete or absent;\ndefault: standard output");
  takes(written, "--key", "POINTER",
        "omit items with the key (id, or /meta/id) of an earlier item;\n"
        "an item without the key is compared by its text");
  takes(written, "--select", "POINTER", "write only this member of each item, as /name");
  flag(written, "--resume", "continue FILE.part after its last checkpoint;\na complete FILE is not changed");
  flag(written, "--force", "replace an existing FILE when the export is complete");
  flag(written, "--verify", "read FILE again and check its lines, keys and number of items");
  takes(written, "--bookmark-key-env", "NAME",
        "seal FILE.journal with the key in this environment\nvariable, if others can write to the folder");
  takes(written, "--stats", "FILE", "write each step of each request as a line of JSON");
  takes(written, "--plot", "FILE.svg", "draw the run");
  takes(written, "--report", "FILE.html",
        fmt::format("show the run as a page for a browser, or with FILE.json as a\n"
                    "trace for ui.perfetto.dev; of the last {} steps;\n"
                    "--resume replaces the report of the earlier run",
                    progress::grouped(recorder::most_reported)));

  const char* rest = "Other";
  flag(rest, "--dry-run",
       "request only the first page and estimate the rest; writes no\nfile but the quota of --share");
  flag(rest, "--quiet", "print only errors");
  app.set_version_flag("--version", fmt::format("noun-export {} (noun {})", NOUN_VERSION, noun::version()),
                       "print the versions of noun-export and noun")
      ->group(rest);
  app.set_help_flag("-h,--help", "print this help")->group(rest);
}

std::unique_ptr<CLI::App> command_line() {
  auto app = std::make_unique<CLI::App>(
      "Exports a paginated collection or a stream of a REST API to a file of JSON Lines, within its quota.\n"
      "It can be killed at any time and continued with --resume.\n",
      "noun-export");
  constexpr std::size_t left_column = 28;
  app->get_formatter()->column_width(left_column);
  app->footer(help_footer());
  declare(*app);
  return app;
}

/// The help without the double blank lines that CLI11 prints between groups.
std::string help_of(const CLI::App& app) {
  auto text = app.help();
  for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) text.erase(at, 1);
  return text;
}

bool is_option(const CLI::App& app, const std::string& word) {
  return word.starts_with("--") && app.get_option_no_throw(word) != nullptr;
}

/// The value of an option that must not repeat; nullopt without it.
std::optional<std::string> value_of(const CLI::App& app, const std::string& option) {
  if (app.count(option) == 0) return std::nullopt;
  auto value = app.get_option(option)->results().front();
  // CLI11 accepts another option as a value.
  if (is_option(app, value)) throw Misuse(fmt::format("{} has no value before {}; add it.", option, value));
  return value;
}

std::filesystem::path file_of(const CLI::App& app, const std::string& option) {
  const auto word = value_of(app, option);
  if (word && word->empty()) throw Misuse(fmt::format("{} is empty; name a file.", option));
  return word.value_or("");
}

/// One of the names. A hyphen counts as an underscore.
std::string name_of(const std::string& option, std::string word, std::span<const std::string_view> names) {
  std::replace(word.begin(), word.end(), '-', '_');
  if (std::find(names.begin(), names.end(), word) != names.end()) return word;
  constexpr std::size_t columns = 100;
  if (const auto near = nearest_name(word, names); !near.empty())
    throw Misuse(fmt::format("{0} has an unknown name; try {0} {1}, or see --help for all names.", option, near));
  throw Misuse(fmt::format("{} has an unknown name; use one of these, or omit the option.\n{}", option,
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

/// For a dialect without a paging of its own, selects the paging of the same name.
void find_paging(Arguments& arguments) {
  if (!arguments.paging.empty() || !is_automatic(dialect_named(arguments.dialect)->paging)) return;
  if (paging_named(arguments.dialect)) arguments.paging = arguments.dialect;
}

/// The first of the members that is not null.
template <class... Members>
std::string& member_for(const char* option, const char* what, Members*... members) {
  std::string* found = nullptr;
  ((found = found == nullptr ? members : found), ...);
  if (found == nullptr)
    throw Misuse(fmt::format("{} contradicts the dialect or --paging, which has no {}; remove one of them.", option,
                             what));
  return *found;
}

/// Applies --page-parameter, --size-parameter, --cursor-parameter, --cursor and --next-url.
void set_paging(noun::Paging& paging, const Arguments& arguments) {
  namespace styles = noun::paging;
  const bool is_free = is_automatic(paging);
  const bool has_cursor = !arguments.cursor.empty();
  const bool has_cursor_parameter = !arguments.cursor_parameter.empty();
  if (!is_free && (has_cursor || !arguments.next_url.empty()))
    throw Misuse("--cursor and --next-url contradict the dialect or --paging, which defines the next page; remove one "
                 "of them.");
  if (has_cursor && !arguments.next_url.empty())
    throw Misuse("--cursor and --next-url are both set; remove one of them.");
  if (is_free && has_cursor != has_cursor_parameter)
    throw Misuse("--cursor POINTER and --cursor-parameter NAME are needed together; add the other one.");
  if (has_cursor) paging.style = styles::Cursor{.from = arguments.cursor};
  if (!arguments.next_url.empty()) paging.style = styles::NextUrl{.from = arguments.next_url};
  auto* const automatic = std::get_if<styles::Automatic>(&paging.style);
  auto* const number = std::get_if<styles::PageNumber>(&paging.style);
  auto* const offset = std::get_if<styles::Offset>(&paging.style);
  auto* const cursor = std::get_if<styles::Cursor>(&paging.style);
  auto* const last = std::get_if<styles::LastItem>(&paging.style);
  if (!arguments.page_parameter.empty())
    member_for("--page-parameter", "page number or offset", automatic ? &automatic->page_parameter : nullptr,
               number ? &number->parameter : nullptr, offset ? &offset->parameter : nullptr) = arguments.page_parameter;
  if (has_cursor_parameter)
    member_for("--cursor-parameter", "cursor", cursor ? &cursor->parameter : nullptr,
               last ? &last->parameter : nullptr) = arguments.cursor_parameter;
  if (!arguments.size_parameter.empty()) paging.size_parameter = arguments.size_parameter;
}

Arguments arguments_of(const CLI::App& app) {
  constexpr std::int64_t most_items = 1'000'000'000'000'000;
  Arguments all{.base_url = base_url_of(app.get_option("BASE_URL")->results().front()),
                .path = path_of(app.get_option("PATH")->results().front()),
                .trailing_slash =
                    app.count("--trailing-slash") > 0 || app.get_option("PATH")->results().front().ends_with('/'),
                .stream = app.count("--stream") > 0,
                .follow = app.count("--follow") > 0,
                .out = file_of(app, "--out"),
                .token_file = file_of(app, "--token-file"),
                .cache = file_of(app, "--cache"),
                .from_environment = app.count("--from-environment") > 0,
                .resume = app.count("--resume") > 0,
                .replace = app.count("--force") > 0,
                .verify = app.count("--verify") > 0,
                .dry_run = app.count("--dry-run") > 0,
                .quiet = app.count("--quiet") > 0,
                .stats = file_of(app, "--stats"),
                .plot = file_of(app, "--plot"),
                .report = file_of(app, "--report")};
  if (!all.report.empty() && !recorder::report_format(all.report))
    throw Misuse("--report has an unknown suffix; name a page FILE.html, or a trace FILE.json.");
  if (all.out == "-") all.out.clear();
  read_repeated(app, all);
  using Word = const std::string&;
  read(app, "--dialect", [&](Word option, Word word) { all.dialect = name_of(option, word, dialect_names()); });
  read(app, "--paging", [&](Word option, Word word) { all.paging = name_of(option, word, paging_names()); });
  read(app, "--items", [&](Word option, Word word) { all.items = pointer_of(option, word); });
  for (const auto& [option, parameter] : {std::pair{"--page-parameter", &Arguments::page_parameter},
                                          {"--size-parameter", &Arguments::size_parameter},
                                          {"--cursor-parameter", &Arguments::cursor_parameter}})
    read(app, option, [&](Word name, Word word) { all.*parameter = parameter_name_of(name, word); });
  for (const auto& [option, pointer] :
       {std::pair{"--cursor", &Arguments::cursor}, {"--next-url", &Arguments::next_url}})
    read(app, option, [&](Word name, Word word) { all.*pointer = pointer_of(name, word); });
  read(app, "--stream-format", [&](Word option, Word word) {
    using noun::StreamFormat;
    static constexpr StreamFormat formats[] = {StreamFormat::event_stream, StreamFormat::json_lines,
                                               StreamFormat::json_sequence};
    std::vector<std::string_view> names;
    for (const auto format : formats) names.push_back(to_string(format));
    const auto name = name_of(option, word, names);
    all.stream_format = *std::find_if(std::begin(formats), std::end(formats),
                                      [&](StreamFormat format) { return to_string(format) == name; });
  });
  read(app, "--resume-with", [&](Word option, Word word) { all.resume_with = resume_with_of(option, word); });
  read(app, "--token-env", [&](Word option, Word word) { all.token_env = variable_of(option, word); });
  read(app, "--bookmark-key-env", [&](Word option, Word word) { all.bookmark_key_env = variable_of(option, word); });
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
  read(app, "--share", [&](Word option, Word word) { all.share = place_of(option, "--share-env", word); });
  read(app, "--share-env", [&](Word option, Word word) { all.share_env = variable_of(option, word); });
  read(app, "--identity", [&](Word option, Word word) {
    if (word.empty()) throw Misuse(fmt::format("{} is empty; name the account of the token.", option));
    all.identity = word;
  });
  read(app, "--key", [&](Word option, Word word) { all.key = pointer_of(option, word); });
  read(app, "--select", [&](Word option, Word word) { all.select = pointer_of(option, word); });
  find_paging(all);
  return all;
}

/// Rejects a file with two uses: the export would overwrite the token or the data.
void check_files(const Arguments& arguments) {
  std::map<std::filesystem::path, std::string> uses;
  const auto use = [&](const std::filesystem::path& file, const char* suffix, const std::string& option) {
    if (file.empty()) return;
    auto path = file;
    path += suffix;
    std::error_code ignored;
    const auto whole = std::filesystem::absolute(path, ignored).lexically_normal();
    if (const auto [other, is_new] = uses.try_emplace(whole, option); !is_new)
      throw Misuse(fmt::format("{} and {} are the same file; use different files.", other->second, option));
  };
  use(arguments.token_file, "", "--token-file");
  use(arguments.out, "", "--out");
  use(arguments.cache, "", "--cache");
  use(arguments.cache, "-wal", "--cache (FILE-wal)");
  use(arguments.cache, "-shm", "--cache (FILE-shm)");
  use(arguments.out, ".part", "--out (FILE.part)");
  use(arguments.out, ".journal", "--out (FILE.journal)");
  use(arguments.out, ".journal.new", "--out (FILE.journal.new)");
  use(arguments.stats, "", "--stats");
  use(arguments.plot, "", "--plot");
  use(arguments.report, "", "--report");
}

void check_stream(const Arguments& arguments) {
  for (const auto& [given, option] : {std::pair{arguments.stream_format.has_value(), "--stream-format"},
                                      {!arguments.resume_with.first.empty(), "--resume-with"},
                                      {arguments.follow, "--follow"}})
    if (given && !arguments.stream)
      throw Misuse(fmt::format("{} is for a stream; add --stream, or remove {}.", option, option));
  // The paging of the dialect's name is the dialect's own.
  const bool has_paging = !arguments.paging.empty() && arguments.paging != arguments.dialect;
  for (const auto& [given, option] : {std::pair{has_paging, "--paging"},
                                      {!arguments.items.empty(), "--items"},
                                      {!arguments.page_parameter.empty(), "--page-parameter"},
                                      {!arguments.size_parameter.empty(), "--size-parameter"},
                                      {!arguments.cursor_parameter.empty(), "--cursor-parameter"},
                                      {!arguments.cursor.empty(), "--cursor"},
                                      {!arguments.next_url.empty(), "--next-url"},
                                      {arguments.page_size.has_value(), "--page-size"},
                                      {arguments.concurrency > 0, "--concurrency"},
                                      {!arguments.key.empty(), "--key"},
                                      {!arguments.cache.empty(), "--cache"},
                                      {arguments.dry_run, "--dry-run"}})
    if (given && arguments.stream)
      throw Misuse(fmt::format("{} is for a collection, which has pages; remove it, or --stream.", option));
}

void check_together(const Arguments& arguments) {
  for (const auto& [given, option] :
       {std::pair{arguments.resume, "--resume"},
        {arguments.replace, "--force"},
        {arguments.verify, "--verify"},
        {!arguments.bookmark_key_env.empty(), "--bookmark-key-env"}})
    if (given && arguments.out.empty())
      throw Misuse(fmt::format("{} requires a file; add --out FILE, or remove {}.", option, option));
  if (!arguments.token_file.empty() && !arguments.token_env.empty())
    throw Misuse("--token-file and --token-env are both set; remove one of them.");
  if (!arguments.token_header.empty() && !has_token(arguments))
    throw Misuse("--token-header has no token to send; add --token-env NAME or --token-file FILE.");
  if (!arguments.share.empty() && !arguments.share_env.empty())
    throw Misuse("--share and --share-env are both set; remove one of them.");
  if (!arguments.identity.empty() && arguments.share.empty() && arguments.share_env.empty())
    throw Misuse("--identity names a shared quota; add --share PLACE, or remove --identity.");
  for (const auto& [given, option] :
       {std::pair{arguments.resume, "--resume"}, {arguments.replace, "--force"}, {arguments.verify, "--verify"}})
    if (given && arguments.dry_run)
      throw Misuse(fmt::format(
          "--dry-run estimates the whole export and writes no file, so that {} has no effect; remove one of them.",
          option));
  if (!arguments.stream && !arguments.paging.empty() && paging_named(arguments.paging)->needs_items &&
      arguments.items.empty())
    throw Misuse(fmt::format("--{} {} does not define the position of the items in a page; add --items POINTER.",
                             arguments.paging == arguments.dialect ? "dialect" : "paging", arguments.paging));
  if (!arguments.key.empty() && !arguments.select.empty() && !arguments.out.empty())
    throw Misuse(
        "--select omits the key of --key from the output, so that a resumed export could not know the earlier items; "
        "remove one of the two, or write to standard output.");
  check_stream(arguments);
  const auto size_parameter = dialect_of(arguments).paging.size_parameter;
  for (const auto& [name, value] : arguments.query)
    if (arguments.page_size && name == size_parameter)
      throw Misuse(fmt::format("--query {} is the parameter of --page-size; remove one of them.", name));
  check_files(arguments);
}

std::string sentence_of(const CLI::App& app, const CLI::ParseError& error) {
  for (const auto& word : app.remaining()) {
    if (!word.starts_with("-")) continue;
    const auto name = word.substr(0, word.find('='));
    if (is_secret_parameter(name) || name == "-u" || name == "--user")
      return "a token must not be on the command line, which every user of this machine can see; put it into an "
             "environment variable and use --token-env NAME, or into a file and use --token-file FILE.";
    std::vector<std::string_view> options;
    for (const auto* option : app.get_options())
      if (!option->get_lnames().empty()) options.push_back(option->get_lnames().front());
    const auto bare = std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size()));
    if (const auto near = nearest_name(bare, options); !near.empty())
      return fmt::format("unknown option; try --{}.", near);
    return "unknown option; noun-export --help lists all options.";
  }
  if (!app.remaining().empty())
    return "too many arguments after BASE_URL and PATH; quote values with spaces.";
  const std::string what = error.what();
  const auto written = what.substr(0, what.find_first_of(": "));
  // CLI11 omits the hyphens of a flag.
  const auto* option = app.get_option_no_throw(written.starts_with("--") ? written : "--" + written);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr || option == nullptr)
    return fmt::format("{}; see noun-export --help.", what);
  const auto name = option->get_name();
  if (option->get_items_expected_max() == 0) return fmt::format("{} takes no value; write {} alone.", name, name);
  return option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll
             ? fmt::format("{} has no value; write {} {}.", name, name, option->get_option_text())
             : fmt::format("{} needs exactly one value; write {} {}, once.", name, name, option->get_option_text());
}

Parsed refusal(const std::string& sentence) {
  return {.status = static_cast<int>(Ending::usage), .text = fmt::format("noun-export: {}\n", sentence)};
}

}  // namespace

Parsed parse_arguments(const std::vector<std::string>& words) {
  const auto app = command_line();
  try {
    // CLI11 expects the words in reverse order.
    app->parse(std::vector<std::string>(words.rbegin(), words.rend()));
    auto arguments = arguments_of(*app);
    check_together(arguments);
    return {.arguments = std::move(arguments)};
  } catch (const CLI::CallForHelp&) {
    return {.status = 0, .text = help_of(*app)};
  } catch (const CLI::CallForVersion& version) {
    return {.status = 0, .text = fmt::format("{}\n", version.what())};
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
  set_paging(dialect.paging, arguments);
  if (arguments.trailing_slash) dialect.trailing_slash = true;
  return dialect;
}

std::string job_of(const Arguments& arguments) {
  auto headers = noun::Json::array();
  // A value, as that of a tenant, identifies the job, but must not be written to a file.
  for (const auto& [name, value] : arguments.headers) headers.push_back({name, fingerprint_of(value)});
  std::sort(headers.begin(), headers.end());
  auto query = noun::Json::array();
  for (const auto& [name, value] : arguments.query) query.push_back({name, value});
  noun::Json job = {{"base_url", arguments.base_url},
                    {"path", arguments.path},
                    {"dialect", arguments.dialect},
                    {"paging", arguments.paging},
                    {"items", arguments.items},
                    {"page_parameter", arguments.page_parameter},
                    {"size_parameter", arguments.size_parameter},
                    {"cursor_parameter", arguments.cursor_parameter},
                    {"cursor", arguments.cursor},
                    {"next_url", arguments.next_url},
                    {"trailing_slash", arguments.trailing_slash},
                    {"query", query},
                    {"headers", headers},
                    {"key", arguments.key},
                    {"select", arguments.select}};
  if (arguments.stream)
    job["stream"] = {arguments.stream_format ? to_string(*arguments.stream_format) : "", arguments.resume_with};
  // Arguments may not be UTF-8.
  return job.dump(-1, ' ', false, noun::Json::error_handler_t::replace);
}

}  // namespace noun_export
