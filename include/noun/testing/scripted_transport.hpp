#pragma once
/// @file
/// A transport for tests that plays a script of expected requests and their responses.
///
///     auto script = std::make_shared<noun::testing::ScriptedTransport>();
///     script->expect(noun::Method::get, "/languages/deu").reply(503);
///     script->expect(noun::Method::get, "/languages/deu").reply(200, R"({"alpha_3": "deu", "name": "German"})");
///     noun::Client api{"https://api.example.com", {.transport = script}};
///     EXPECT_TRUE(api.collection("languages")["deu"].get());
///     EXPECT_EQ(script->complaint(), "");

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/stop.hpp>
#include <noun/testing/manual_clock.hpp>
#include <noun/transport.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// A request as it was sent.
struct SentRequest {
  Method method = Method::get;          ///< as it was sent
  std::string url = {};                 ///< absolute
  Headers headers = {};                 ///< as passed to the transport
  std::string body = {};                ///< as it was sent, if `has_body`
  bool has_body = false;                ///< an empty body is not the same as none
  bool fresh_connection = false;        ///< whether a new connection was required
  Duration timeout = Duration::zero();  ///< the time limit of the attempt
};

/// One line of a script: an expected request and its response (200 without a body by default).
/// @threadsafety  set up by one thread, before the first request.
class NOUN_API Expectation {
 public:
  /// Made by ScriptedTransport::expect().
  Expectation(Method method, std::string target);

  /// @{
  /// Also requires this header or this body.
  Expectation& with_header(Text name, Text value);
  Expectation& with_body(Text body);
  /// @}
  /// Sets the response.
  Expectation& reply(int status, Text body = {}, Headers headers = {});
  /// Appends to the body of the response, for a sink such as a stream as a piece of its own.
  /// @param after  passes before it on the transport's clock. If this exceeds Timeouts::stall, or with the time before
  ///               it the attempt's time limit, the response ends with `timeout`.
  Expectation& chunk(Text bytes, Duration after = Duration::zero());
  /// Keeps the response open after its last chunk: only a stop request ends it, such as the end of a noun::Stream. No
  /// time passes on the clock.
  Expectation& stay_open() noexcept;
  /// @{
  /// Lets the request fail with this error; if it has chunks, after the last one.
  Expectation& fail(Errc code, Sent sent, Text message = "scripted failure");
  Expectation& fail(Error error);
  /// @}
  /// Ends the response after so many bytes of its body, also after the last one: `truncated`, with the head.
  Expectation& cut(std::size_t bytes) noexcept;
  /// Delays the response on the transport's clock. If this exceeds the attempt's time limit, it fails with `timeout`.
  Expectation& after(Duration latency) noexcept;
  /// Expects the same line `count` times in a row; at least 1.
  Expectation& times(std::size_t count) noexcept;

 private:
  friend class ScriptedTransport;
  struct Chunk {
    std::string bytes;
    Duration after;
  };
  std::string mismatch(const SentRequest& request) const;
  Result<Response> play(const Attempt& attempt, ManualClock* clock, const StopToken& stop) const;

  Method method_;
  std::string target_;
  Headers headers_;
  std::optional<std::string> body_;
  Response response_;
  std::optional<Error> error_;
  std::vector<Chunk> chunks_;
  bool stays_open_ = false;
  std::optional<std::size_t> cut_;
  Duration latency_ = Duration::zero();
  std::size_t times_ = 1;
};

/// Plays its lines in order. An unexpected request fails with `refused`, which ends the call, and is reported by
/// complaint(). Safe to use from many threads.
class NOUN_API ScriptedTransport final : public Transport {
 public:
  /// @param clock  moved by delays; may be null if there are none.
  explicit ScriptedTransport(std::shared_ptr<ManualClock> clock = nullptr);
  ~ScriptedTransport() override;

  /// Appends a line. Write the whole script before the first request.
  /// @param method  the expected method.
  /// @param target  the expected path from the root. With a query it must match; without one, any query matches.
  Expectation& expect(Method method, Text target);

  Result<Response> send(const Attempt& attempt, const StopToken& stop) override;

  /// The requests sent so far, in order.
  std::vector<SentRequest> requests() const;
  /// The first unexpected request, or the first expected one that was not sent; empty if all went as scripted.
  /// What the client knows as secrets is hidden in it.
  std::string complaint() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<ManualClock> clock_;
  std::deque<Expectation> script_;
  std::size_t next_ = 0;
  std::size_t played_ = 0;
  std::vector<SentRequest> requests_;
  std::string complaint_;
};

}}}  // namespace noun::testing
