#include "export_end.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace noun_export {
namespace {

constexpr std::pair<std::string_view, std::string_view> own_names[] = {
    {"ClientOptions::dialect.paging.items and items_are_members", "--items"},
    {"ClientOptions::dialect.paging.items", "--items"},
    {", or set items_may_be_absent beside it if the server omits an empty list", ""},
    {"ClientOptions::dialect.paging.size_parameter", "--size-parameter"},
    {"ListOptions::page_size", "--page-size"},
    {"StreamOptions::format", "--stream-format"},
    {"ListOptions::prefetch", "--concurrency"},
    {"ListOptions::key", "--key"},
    {"ListOptions::query", "--query"},
    {"ClientOptions::headers", "--header"},
    {"ClientOptions::proxy", "the proxy of the environment"},
    {"ClientOptions::bookmark_key", "--bookmark-key-env"},
    {", or raise SharingOptions::slow_after", ""},
    {", or set SharingOptions::password_over_tcp", ""},
    {", or set another SharingOptions::prefix", ""},
    {"set another SharingOptions::prefix, or ", ""},
    {"SharingOptions::prefix", "--prefix"},
    {", or set ClientOptions::credentials_over_http", ""},
    {"make a client for it if you trust it", "use that origin in BASE_URL if you trust it"},
    {"raise ClientOptions::limits.json_depth if you trust the server",
     "request less of each item with --query, if the API can leave parts out"},
};

/// Whether the text names what only the library has.
bool is_for_programmers(std::string_view text) {
  return text.find("::") != std::string_view::npos || text.find(" bookmark") != std::string_view::npos;
}

std::string_view usual_advice(noun::Errc code) {
  switch (code) {
    case noun::Errc::incomplete:
      return "set the API's pagination with --paging NAME or --dialect NAME (noun-export --help lists them), "
             "--next-url POINTER or --cursor POINTER with --cursor-parameter NAME, or --paging single_page if this is "
             "all";
    case noun::Errc::too_large: return "use a smaller --page-size";
    case noun::Errc::timeout: return "check why the server is slow, or use a smaller --page-size";
    case noun::Errc::refused: return "check --dialect and --paging, and that all pages are on the host of BASE_URL";
    case noun::Errc::decode:
    case noun::Errc::protocol: return "check --dialect, --paging and --items";
    case noun::Errc::rate_limited:
    case noun::Errc::deadline_exceeded: return "try again later, or with a longer --deadline";
    case noun::Errc::redirected: return "use the address in Location as BASE_URL and PATH";
    case noun::Errc::tls: return "check the server's certificate";
    case noun::Errc::resolve:
    case noun::Errc::connect: return "check BASE_URL and the network";
    case noun::Errc::credentials: return "set the token with --token-env or --token-file, and use https";
    case noun::Errc::resource: return "use a smaller --page-size or --concurrency";
    case noun::Errc::invalid_argument: return "see noun-export --help";
    default: return "try again later";
  }
}

}  // namespace

Ending ending_of(const noun::Error& error) noexcept {
  // No default: the compiler reports a missing code.
  switch (error.code()) {
    case noun::Errc::invalid_argument:
    case noun::Errc::credentials: return Ending::usage;
    case noun::Errc::not_found: return Ending::no_collection;
    case noun::Errc::rate_limited:
    case noun::Errc::deadline_exceeded: return Ending::again;
    case noun::Errc::unauthorized:
    case noun::Errc::forbidden: return Ending::denied;
    case noun::Errc::server_error:
    case noun::Errc::resolve:
    case noun::Errc::connect:
    case noun::Errc::tls:
    case noun::Errc::send:
    case noun::Errc::timeout:
    case noun::Errc::truncated:
    case noun::Errc::resource: return Ending::unavailable;
    case noun::Errc::cancelled: return Ending::interrupted;
    case noun::Errc::conflict:
    case noun::Errc::client_error:
    case noun::Errc::protocol:
    case noun::Errc::too_large:
    case noun::Errc::decode:
    case noun::Errc::no_content:
    case noun::Errc::not_modified:
    case noun::Errc::redirected:
    case noun::Errc::refused:
    case noun::Errc::incomplete:
    case noun::Errc::operation_failed:
    case noun::Errc::expired_cursor: return Ending::data;
  }
  return Ending::data;
}

std::string endings_text() {
  struct Row {
    Ending ending;
    const char* words;
  };
  constexpr Row rows[] = {
      {Ending::done, "the export is complete"},
      {Ending::usage, "invalid command line, no token, or an existing file"},
      {Ending::data, "the responses or the file are not valid, or not complete"},
      {Ending::no_collection, "PATH does not exist (404)"},
      {Ending::unavailable, "the server, the network or memory failed; continue with --resume"},
      {Ending::file, "a file could not be written or read; continue with --resume"},
      {Ending::again, "the quota is used up or the --deadline passed; continue later with --resume"},
      {Ending::denied, "the server requires a token, or another one (401, 403)"},
      {Ending::interrupted, "Ctrl-C; continue with --resume"},
      {Ending::terminated, "SIGTERM; continue with --resume"},
  };
  std::string text;
  for (const auto& [ending, words] : rows) text += fmt::format("  {:>3}  {}\n", static_cast<int>(ending), words);
  return text;
}

std::string in_own_words(std::string text) {
  for (const auto& [name, own] : own_names)
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) text.replace(at, name.size(), own);
  return text;
}

std::string message_of(const noun::Error& error) {
  auto details = error.details();
  for (auto* const text : {&details.what, &details.advice}) *text = in_own_words(std::move(*text));
  if (is_for_programmers(details.advice)) details.advice = usual_advice(error.code());
  return noun::Error(std::move(details)).message();
}

}  // namespace noun_export
