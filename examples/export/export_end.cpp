#include "export_end.hpp"

#include <fmt/format.h>

namespace noun_export {

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

}  // namespace noun_export
