#pragma once
/// @file
/// A transport for tests that plays a script: which requests are to come, and what each is answered with.
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

#include <noun/manual_clock.hpp>
#include <noun/transport.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// A request as it went out.
struct SentRequest {
  Method method = Method::get;          ///< as it was sent
  std::string url = {};                 ///< absolute
  Headers headers = {};                 ///< as the transport got them
  std::string body = {};                ///< as it was sent, if `has_body`
  bool has_body = false;                ///< an empty body is not the same as none
  bool fresh_connection = false;        ///< whether no kept connection could be used
  Duration timeout = Duration::zero();  ///< how long the attempt may take
};

/// One line of a script: a request that is to come, and its answer (200 without a body, unless one is given).
/// @threadsafety  written before the first request, by one thread.
class NOUN_API Expectation {
 public:
  /// Made by ScriptedTransport::expect().
  Expectation(Method method, std::string target);

  /// @{
  /// The request must also have this header, or this body.
  Expectation& with_header(Text name, Text value);
  Expectation& with_body(Text body);
  /// @}
  /// It is answered so.
  Expectation& reply(int status, Text body = {}, Headers headers = {});
  /// @{
  /// It fails so.
  Expectation& fail(Errc code, Sent sent, Text message = "as the script says");
  Expectation& fail(Error error);
  /// @}
  /// The answer takes so long, on the transport's clock; longer than the attempt may, and it fails with `timeout`.
  Expectation& after(Duration latency) noexcept;
  /// The same line so many times in a row; at least 1.
  Expectation& times(std::size_t count) noexcept;

 private:
  friend class ScriptedTransport;
  std::string mismatch(const SentRequest& request) const;

  Method method_;
  std::string target_;
  Headers headers_;
  std::optional<std::string> body_;
  Response response_;
  std::optional<Error> error_;
  Duration latency_ = Duration::zero();
  std::size_t times_ = 1;
};

/// Plays its lines in order. A request that is not the next one fails with `refused`, which ends the call, and is in
/// complaint(). Safe to use from many threads.
class NOUN_API ScriptedTransport final : public Transport {
 public:
  /// @param clock  what latencies move on; may be null if there are none.
  explicit ScriptedTransport(std::shared_ptr<ManualClock> clock = nullptr);
  ~ScriptedTransport() override;

  /// Appends a line. Write the whole script before the first request.
  /// @param method  the method that the request is to have.
  /// @param target  the path from the root, with or without a query; without one, any query fits.
  Expectation& expect(Method method, Text target);

  Result<Response> send(const Attempt& attempt, const std::stop_token& stop) override;

  /// What went out so far, in order.
  std::vector<SentRequest> requests() const;
  /// The first request that was not in the script, or the first line that did not come; empty if all went as written.
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
