#pragma once
// The exit status of a run.

#include <string>

#include <noun/error.hpp>

namespace noun_export {

/// The statuses of sysexits.h, where one fits.
enum class Ending : int {
  done = 0,
  usage = 64,          ///< invalid command line, no token, or an existing file
  data = 65,           ///< the responses or the file are not valid, or not complete
  no_collection = 66,  ///< 404
  unavailable = 69,    ///< the server, the network or memory failed; resumable
  file = 74,           ///< a file could not be written or read; resumable
  again = 75,          ///< the quota is used up or the deadline passed; resumable
  denied = 77,         ///< 401 or 403
  interrupted = 130,   ///< Ctrl-C; resumable
  terminated = 143,    ///< SIGTERM; resumable
};

/// The exit status for an error of noun.
Ending ending_of(const noun::Error& error) noexcept;

/// The table of statuses, for --help.
std::string endings_text();

/// The text with options of the command line in place of those of the library.
std::string in_own_words(std::string text);
/// The message of an error, with advice that names the options of the command line.
std::string message_of(const noun::Error& error);

}  // namespace noun_export
