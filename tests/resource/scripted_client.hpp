#pragma once
/// @file
/// A client with a scripted transport on virtual time, and the types that the tests of this folder read and write.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

namespace resource_test {

using namespace std::chrono_literals;
namespace kit = noun::testing;
using noun::Errc;
using noun::Json;
using noun::Method;
using noun::Sent;

struct Language {
  std::string alpha_3;
  std::string name;

  friend bool operator==(const Language&, const Language&) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Language, alpha_3, name)

inline constexpr const char* german = R"({"alpha_3": "deu", "name": "German"})";

/// A script, the clock that it advances, and clients that use both. Jitter is 0, so that waits are exact.
struct Bench {
  std::shared_ptr<kit::ManualClock> clock = std::make_shared<kit::ManualClock>();
  std::shared_ptr<kit::ScriptedTransport> script = std::make_shared<kit::ScriptedTransport>(clock);

  /// `options` with the script, the clock and a separate quota ledger.
  noun::ClientOptions filled(noun::ClientOptions options = {}) const {
    if (!options.transport) options.transport = script;
    options.clock = clock;
    options.quota_ledger = noun::make_quota_ledger();
    options.retry.jitter = 0;
    return options;
  }
  noun::Client client(noun::ClientOptions options = {}, noun::Text base_url = "https://api.example.com/v1") const {
    return noun::Client(base_url, filled(std::move(options)));
  }
  noun::Result<noun::Client> create(noun::Text base_url, noun::ClientOptions options = {}) const {
    return noun::Client::create(base_url, filled(std::move(options)));
  }

  /// The last request that was sent.
  kit::SentRequest last() const { return script->requests().empty() ? kit::SentRequest{} : script->requests().back(); }
  std::size_t sent() const { return script->requests().size(); }
};

/// A bench that expects at its end that exactly the requests of the script were sent.
struct WholeScript : Bench {
  WholeScript() = default;
  WholeScript(const WholeScript&) = delete;
  WholeScript& operator=(const WholeScript&) = delete;
  ~WholeScript() { EXPECT_EQ(script->complaint(), ""); }
};

/// The error code of a result, or nothing.
template <class T>
std::optional<Errc> code_of(const noun::Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error().code());
}

/// The error message of a result, or empty.
template <class T>
std::string message_of(const noun::Result<T>& result) {
  return result ? std::string() : result.error().message();
}

/// Expects an error whose message contains `words`, and not the secret of these tests, "s3cret".
template <class T>
void expect_error(const noun::Result<T>& result, Errc code, const std::string& words) {
  ASSERT_FALSE(result) << "not refused: " << words;
  EXPECT_EQ(result.error().code(), code) << words;
  EXPECT_THAT(result.error().message(), ::testing::HasSubstr(words));
  EXPECT_THAT(result.error().message(), ::testing::Not(::testing::HasSubstr("s3cret")));
}

/// Expects that a call was refused before anything was sent, and that the message says so.
template <class T>
void expect_refused(const noun::Result<T>& call, const std::string& because) {
  expect_error(call, Errc::invalid_argument, because);
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().sent(), Sent::no);
  EXPECT_EQ(call.error().attempts(), 0);
  EXPECT_THAT(call.error().message(), ::testing::HasSubstr("nothing was sent"));
}

}  // namespace resource_test
