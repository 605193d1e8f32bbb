#pragma once
// A run as text: JSON Lines, one object for each event of a client, in the order in which they were told. What is
// unknown, empty or 0 is left out.
//
//   t          seconds since the event on the first line, by the client's wall clock; threads may come a little out of
//              order, so it may fall, and below 0 too
//   began      on the first line: when that was, as 2026-01-20T12:00:00.000Z
//   kind       sent, answered, holding, retrying, redirected, page_delivered, notice
//   call       the same for all events of a call
//   attempt    its number in the call, from 1
//   method     as in GET
//   url        secrets are left out by noun
//   status     of the answer
//   error      how an attempt failed: timeout, connect and so on, by the name of the noun::Errc
//   elapsed    seconds that the attempt took
//   reason     of a wait: quota, learning, first_answer, probe, concurrency, rejected, retry_after, backoff
//   wait       seconds that the call is to wait
//   until      when that ends, on the scale of t
//   limit, remaining, resets_in        the quota: requests in the window, requests left, seconds to its reset
//   partition     which quota that is, where there are several
//   page, items                        the number of a listing's page, and how many items it has
//   note       a sentence

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include <noun/event.hpp>

namespace recorder {

/// One line, as far as pictures need it.
struct Step {
  double t = 0;
  std::string kind = {};
  std::uint64_t call = 0;
  std::string method = {};
  std::string url = {};
  int status = 0;
  std::string error = {};
  std::string reason = {};
  std::optional<std::int64_t> limit = {};
  std::optional<std::int64_t> remaining = {};
  std::string partition = {};
  std::size_t items = 0;
};

/// The event as a line, with its end. `began` is when the event of the first line was taken: this one's if `first`.
std::string line_of(const noun::Event& event, noun::WallTime began, bool first);

/// What line_of() wrote as the beginning; nothing where the line has none.
std::optional<noun::WallTime> began_of(const std::string& line);

/// All lines. The last one may be torn, as a crash leaves it, and then does not count.
/// @throws std::runtime_error  with the number of the first line that is not as above.
std::vector<Step> read_steps(std::istream& lines);

}  // namespace recorder
