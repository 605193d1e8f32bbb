#pragma once
/// @file
/// A client whose transport plays a script in virtual time, and the types that the tests of this floor read and write.

#include <chrono>
#include <memory>
#include <string>
#include <utility>

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

/// A script, the clock that it moves, and clients that use both; jitter 0, so that waits are exact.
struct Bench {
  std::shared_ptr<kit::ManualClock> clock = std::make_shared<kit::ManualClock>();
  std::shared_ptr<kit::ScriptedTransport> script = std::make_shared<kit::ScriptedTransport>(clock);

  /// `options`, with the script, the clock and a quota ledger of its own filled in.
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

  /// The request that went out last.
  kit::SentRequest last() const { return script->requests().empty() ? kit::SentRequest{} : script->requests().back(); }
  std::size_t sent() const { return script->requests().size(); }
};

/// What a result failed with, or nothing.
template <class T>
std::optional<Errc> code_of(const noun::Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error().code());
}

/// Its message, or empty.
template <class T>
std::string message_of(const noun::Result<T>& result) {
  return result ? std::string() : result.error().message();
}

}  // namespace resource_test
