#pragma once
/// @file
/// A long-running operation as a state machine: a response in, one step out. It reads no clock and sends nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/http.hpp>
#include <noun/time.hpp>

#include "decision/location.hpp"
#include "vocabulary/state_table.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {

/// The wait before a poll.
struct PollWait {
  Duration span = Duration::zero();
  /// Whether the server has reported it, for this poll or for an earlier one.
  bool is_reported = false;

  friend bool operator==(const PollWait&, const PollWait&) = default;
};

/// Where an operation stands: what another process needs to go on.
struct PollPosition {
  /// The URL that reports on the operation.
  std::string monitor = {};
  /// Where the result is when the operation is done; empty: in the monitor's response.
  std::string result = {};
  /// Before the next poll.
  PollWait wait = {};

  friend bool operator==(const PollPosition&, const PollPosition&) = default;
};

enum class PollState : std::uint8_t {
  starting,  ///< before the response that starts the operation
  polling,   ///< its step is a Poll of the monitor
  fetching,  ///< its step is a Poll of the result
  ended,     ///< its step is Finished or Failed
  end_of_values
};

/// What a response says.
enum class PollEvent : std::uint8_t {
  runs,
  done_elsewhere,  ///< the result has a URL of its own
  done,            ///< the response is the result, or contains it
  failed,
  end_of_values
};

/// Without a next state (`none`), the event cannot happen.
constexpr StateTable<PollState, PollEvent> poll_table = [] {
  using enum PollState;
  constexpr auto none = end_of_values;
  return StateTable<PollState, PollEvent>{{
      // by event, in the order of the enumeration
      /* starting */ {polling, fetching, ended, ended},
      /* polling  */ {polling, fetching, ended, ended},
      /* fetching */ {fetching, none, ended, ended},
      /* ended    */ {none, none, none, none},
  }};
}();

/// Request this URL with GET, not before `at`.
struct PollNext {
  std::string url;
  Instant at;
};
/// The last response is the result, or contains it.
struct PollDone {
  /// A JSON pointer to the result; nothing: the response is as that of a verb.
  std::optional<std::string> place = {};
};
/// There is no result: what happened, as a clause, and advice.
struct PollFailed {
  Errc code;
  std::string what;
  std::string advice = {};
  /// The server's error, a view into the response; empty if it is of no interest.
  std::string_view error = {};
};
using PollStep = std::variant<PollNext, PollDone, PollFailed>;

/// One operation. Belongs to one driver.
class Poll {
 public:
  /// @param dialect, origins, base_url  of the client; must outlive it.
  /// @param wants_result  whether the result is requested if it is elsewhere.
  Poll(const Dialect& dialect, const std::vector<wire::UrlOrigin>& origins, std::string_view base_url,
       bool wants_result) noexcept
      : dialect_(dialect), origins_(origins), base_url_(base_url), wants_result_(wants_result) {}

  /// Goes on with an operation.
  /// @param in  until its next poll.
  PollStep resume(Now now, PollPosition position, Duration in);
  /// The response to the request that starts the operation, or to the last PollNext.
  /// @param url  of the request: where it is repeated, and for a response without a URL of its own.
  PollStep on_response(Now now, const Response& response, std::string_view url);
  /// The last PollNext ended with an error.
  /// @param status  of its response, or 0.
  /// @returns       what that means for the operation; nothing: it may still run.
  std::optional<PollFailed> on_error(int status);

  PollState state() const noexcept { return state_; }
  const PollPosition& position() const noexcept { return position_; }

 private:
  enum class Reported { runs, done, failed, cancelled };
  using Found = std::variant<std::string, Refuse>;

  void enter(PollEvent event) noexcept;
  PollStep fail(PollFailed failed);
  PollStep fail(const Refuse& refused, int status);
  PollStep runs(Now now, const Response& response, std::string url);
  PollStep done(Now now, const Response& response, std::string_view url);
  PollStep fetch(Now now, const Response& response, Found url);
  Reported reported_by(const Response& response) const;
  std::string_view error_in(const Response& response) const;
  std::optional<Found> named_by_field(const Response& response, std::string_view url) const;
  std::optional<Found> named_by_body(const Response& response, std::string_view url) const;
  std::string result_elsewhere(const Response& response, std::string_view url) const;

  const Dialect& dialect_;
  const std::vector<wire::UrlOrigin>& origins_;
  const std::string_view base_url_;
  const bool wants_result_;
  PollState state_ = PollState::starting;
  PollPosition position_;
};

/// The wait after a response.
/// @param last  the one before it.
PollWait wait_before_poll(const Response& response, const Dialect& dialect, WallTime now, PollWait last);
/// How much of an operation is done, 0 to 100 percent, if a response reports it.
std::optional<double> percent_in(const Response& response, const Polling& polling);

}}  // namespace noun
