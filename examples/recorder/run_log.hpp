#pragma once
// A run as JSON Lines: one object for each event of a client, in the order in which the observer received them. Members
// that are unknown, empty or 0 are left out.
//
//   t          seconds since the event of the first line, by the client's wall clock; may decrease, also below 0, if
//              several threads record
//   started    only on the first line: the time of its event, for example 2026-01-20T12:00:00.000Z
//   resumed    true on the first line of each further process that recorded into the file, whose calls are others
//   kind       the name of the noun::EventKind, for example attempt_ended
//   call       the same for all events of a call
//   attempt    its number in the call, from 1
//   method     for example GET
//   url        with secrets replaced by noun
//   status     of the response
//   cache      the part that the cache had in the response: the name of the noun::CacheStatus, for example validated
//   error      how an attempt or a call failed: the name of the noun::Errc, for example timeout
//   elapsed    seconds that the attempt took, or the call; of other events, since the call started
//   reason     why the call waits, the name of the noun::WaitReason: quota, reset_probe, first_response, probe,
//              concurrency, share, same_request, rejected, retry_after, backoff
//   wait       seconds that the call will wait
//   until      when the wait ends, on the scale of t
//   limit, remaining, resets_in        the quota: requests in the window, requests left, seconds to its reset
//   partition                          which quota that is, if the server has several
//   page, items                        the number of a listing's page, and of the items on it
//   percent    of a long-running operation that is done
//   bytes, total_bytes                 received of a download or a stream, and its whole size
//   sent_bytes, body_size              sent of a streamed body, and its whole size
//   note       the sentence of a notice

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include <noun/event.hpp>

namespace recorder {

/// The members of a line.
struct Step {
  double t = 0;
  std::string kind = {};
  std::uint64_t call = 0;
  int attempt = 0;
  std::string method = {};
  std::string url = {};
  int status = 0;
  std::string cache = {};
  std::string error = {};
  double elapsed = 0;
  std::string reason = {};
  double wait = 0;
  std::optional<std::int64_t> limit = {};
  std::optional<std::int64_t> remaining = {};
  std::optional<double> resets_in = {};
  std::string partition = {};
  std::size_t page = 0;
  std::size_t items = 0;
  std::optional<double> percent = {};
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> total_bytes = {};
  std::uint64_t sent_bytes = 0;
  std::optional<std::uint64_t> body_size = {};
  std::string note = {};
};

/// Where a line is in its file.
enum class LinePlace {
  first,
  resumed,  ///< the first of a further process
  later,
};

/// The event as a line, with the newline. `started` is the time of the first event.
std::string line_of(const noun::Event& event, noun::WallTime started, LinePlace place);

/// The member `started` of a line that line_of() wrote; nothing if it has none.
std::optional<noun::WallTime> start_of(const std::string& line);

/// Reads all lines. A last line without a newline, as a crash may leave it, is ignored if it is incomplete. The calls of
/// a resumed run get numbers after those of the run before.
/// @throws std::runtime_error  with the number of the first line that is not an event.
std::vector<Step> read_steps(std::istream& lines);

/// The end of a run.
struct RunEnd {
  std::optional<noun::WallTime> started = {};  ///< when the run started, if its first line has it
  std::size_t dropped = 0;                     ///< the number of events before the first step
  std::vector<Step> steps = {};
};

/// Reads the last lines, as read_steps() does. Memory does not grow with the lines before them.
/// @param most  the number of lines that are kept.
RunEnd read_run_end(std::istream& lines, std::size_t most);

}  // namespace recorder
