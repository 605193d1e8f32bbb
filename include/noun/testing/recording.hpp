#pragma once
/// @file
/// Records the exchanges of a client with the real server in a file, and replays them in tests: without a socket, in
/// virtual time.
///
///     noun::Client api{url, {.transport = noun::testing::record(nullptr, "tasks.har")}};
///
///     auto tape = noun::testing::replay("tasks.har");
///     noun::Client api{url, {.transport = tape, .clock = tape->clock()}};
///     EXPECT_EQ(tape->complaint(), "");

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <noun/clock.hpp>
#include <noun/stop.hpp>
#include <noun/testing/manual_clock.hpp>
#include <noun/testing/scripted_transport.hpp>
#include <noun/transport.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// The options of record().
struct RecordOptions {
  /// The clock of the client, from which instants and durations are read; null for the system's.
  std::shared_ptr<Clock> clock = {};
  /// Names of further members of JSON bodies, and of form fields, whose values are hidden: texts, and in JSON numbers
  /// and booleans too. In a response another number stands for a number, and false for a boolean.
  TextList hidden_members = {};
  /// Names of members of JSON bodies, of form fields, and of query parameters, whose values are shown although they are
  /// named like secrets: `session` of a conference.
  TextList shown_members = {};
  /// Names of response headers whose values are shown although they are not known to be harmless.
  TextList shown_headers = {};
  /// Larger bodies are left out, in bytes, and so are streamed ones that were not sent to their end. A replay matches
  /// such a request with any body, and cannot serve such a response.
  std::size_t largest_body = std::size_t{64} << 20;
};

/// Makes a transport that passes each attempt on and writes it, with its response or failure, into a file (HAR 1.2).
/// The file is replaced with the first one if there is one, and is whole after each attempt that ended. Nobody but its
/// owner may do more with it than with the file that was there. A second copy is beside it until the transport is
/// destroyed, named `.noun-*.part`.
///
/// What noun hides in its output is hidden in the file too: as `***`, in URLs, headers, bodies and errors. So are
/// headers of responses that are not known to be harmless and that the client's dialect does not name, users and
/// passwords in URLs, the credentials in requests of tokens (those with a `grant_type` in a form, a JSON object or the
/// query), and what is named like a secret: fields of forms, and in JSON bodies strings, in those of requests numbers
/// too. A `key` or `primary_key` in a response is hidden only if it looks random: 16 characters or more, with letters
/// and digits. `_hidden` of an entry lists the names.
///
/// In responses equal values have equal stand-ins, and others have others: `***`, `***2` and so on. So a replay goes
/// from page to page, and tells items apart, by what was hidden.
///
/// A value that was hidden is hidden wherever else it occurs, in the same exchange and in those that end after it; not
/// in those before, which are in the file already. Elsewhere these stay, since they may be other data there: values of
/// fewer than six characters, all but the first 4096 bytes of a value, and all but the first 256 new values of an
/// exchange. So do words of up to 15 letters, numbers, dates and URLs; but not those in a header of the request that is
/// named like a secret, in members of its JSON, and in parameters, form fields and cookies whose names have `pass`,
/// `pwd`, `secret` or `token`. Other data of the server stays: read the file before you share it.
/// @param transport  null for libcurl's. With a transport of its own a client has no TLS and proxy options: give them to
///                   libcurl_transport().
/// @param path       the file, in UTF-8, in a folder that exists. One recording at a time.
/// @throws Exception  `invalid_argument` if the file cannot be written. If it cannot be written later, the next attempt
///                    fails with `refused`.
/// @threadsafety     the transport is safe to use from many threads.
/// @source           http://www.softwareishard.com/blog/har-12-spec/
NOUN_API std::shared_ptr<Transport> record(std::shared_ptr<Transport> transport, const std::string& path,
                                           RecordOptions options = {});

/// An origin in place of a recorded one.
struct MovedOrigin {
  std::string from;  ///< as recorded: `https://api.example.com`
  std::string to;    ///< as the program has it: `http://localhost:8080`
};

/// The options of replay().
struct ReplayOptions {
  /// Origins in place of recorded ones, in URLs, headers and bodies, all at once: what was moved is not moved again. If
  /// one is in more than one piece of a stream, these are received at the time of the last of them.
  std::vector<MovedOrigin> moved = {};
  /// Names of further request headers that must be as recorded. Preconditions and Range always must be.
  TextList headers = {};
};

/// Serves the exchanges of a recording, each once, to requests that match: the first in the order of their start that
/// was not served. Method, URL and body must be equal, and the headers that ReplayOptions names. Query parameters and
/// fields of forms may be in another order, and a recorded `***` matches anything. JSON bodies are compared as values
/// if Content-Type names JSON or is absent, but as text if they have an integer beyond 64 bits. `***`, or
/// `***2`, in a request matches text, if a recorded response has `***`. A request that does not match fails with
/// `refused`, which ends the call; the error shows the nearest recorded request that was not served, and what differs.
///
/// The recorded durations pass on the clock. Attempts that overlapped are served one after the other, but the time that
/// they took together passes once. Time that the program spent between its calls, or in the function of a download,
/// does not pass. A pause in a response is no stall, however long it is.
///
/// A download has the sizes of the recorded body as it is now. If something was hidden or moved in a body of the
/// recording, a resumed download matches from any byte.
/// @threadsafety  safe.
class NOUN_API Replay final : public Transport {
 public:
  /// Made by replay().
  explicit Replay(const std::string& path, ReplayOptions options);
  ~Replay() override;

  /// The clock, for ClientOptions::clock. It starts when the first recorded attempt did, so that dates and resets in
  /// responses fit.
  const std::shared_ptr<ManualClock>& clock() const noexcept { return clock_; }

  Result<Response> send(const Attempt& attempt, const StopToken& stop) override;

  /// The requests sent so far, in order.
  std::vector<SentRequest> requests() const;
  /// The first request that was not recorded, or the first recorded one that was not sent; empty if all went as recorded.
  /// What noun hides in its output is hidden in it.
  std::string complaint() const;

 private:
  struct Tape;

  std::shared_ptr<ManualClock> clock_;
  std::unique_ptr<Tape> tape_;
};

/// Reads a recording of record(), or one that a browser or a proxy has exported (HAR 1.1 or 1.2), with the bodies.
/// @param path  the file, in UTF-8.
/// @throws Exception  `invalid_argument` if the file cannot be opened, or if ReplayOptions::moved has what is not an
///                    origin; `decode` if the file cannot be read: the message has the entry and the member.
NOUN_API std::shared_ptr<Replay> replay(const std::string& path, ReplayOptions options = {});

}}}  // namespace noun::testing
