#pragma once
// How a run ends: its exit status, and the last words.

#include <string>

#include <noun/error.hpp>

namespace noun_export {

/// The statuses of sysexits.h, where it has one.
enum class Ending : int {
  done = 0,
  usage = 64,          ///< the command line, a token that is not there, or a file that is in the way
  data = 65,           ///< the answers or the file are not what they should be
  no_collection = 66,  ///< the service has nothing at that path
  unavailable = 69,    ///< the service, the network, or no memory; resumable
  file = 74,           ///< a file could not be written or read; resumable
  again = 75,          ///< the quota or the deadline is used up; resumable
  denied = 77,         ///< 401 or 403
  interrupted = 130,   ///< Ctrl-C; resumable
  terminated = 143,    ///< SIGTERM; resumable
};

/// The status that an error of noun ends a run with.
Ending ending_of(const noun::Error& error) noexcept;

/// The table of statuses, for --help.
std::string endings_text();

}  // namespace noun_export
