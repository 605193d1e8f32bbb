#include "export_end.hpp"

#include <fmt/format.h>

namespace noun_export {

Ending ending_of(const noun::Error& error) noexcept {
  // Without a default, so that the compiler asks about a new code.
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
      {Ending::done, "everything that was asked for is written"},
      {Ending::usage, "the command line does not make sense, its token is not there, or a file is in the way"},
      {Ending::data, "the answers, or the file, are not what they should be"},
      {Ending::no_collection, "the service has nothing at PATH (404)"},
      {Ending::unavailable, "the service, the network or this machine's memory failed; --resume goes on"},
      {Ending::file, "a file could not be written or read; --resume goes on"},
      {Ending::again, "the quota or the --deadline is used up; --resume goes on, later"},
      {Ending::denied, "the service wants a token, or another one (401, 403)"},
      {Ending::interrupted, "Ctrl-C; --resume goes on"},
      {Ending::terminated, "SIGTERM; --resume goes on"},
  };
  std::string text;
  for (const auto& [ending, words] : rows) text += fmt::format("  {:>3}  {}\n", static_cast<int>(ending), words);
  return text;
}

}  // namespace noun_export
