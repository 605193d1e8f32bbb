#pragma once
/// @file
/// The token of the OAuth 2.0 client credentials grant: fetches it, keeps it, and replaces it before it expires.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <noun/credentials.hpp>
#include <noun/stop.hpp>

#include "call/call.hpp"
#include "call/redaction.hpp"
#include "os/stoppable_condition.hpp"

namespace noun { inline namespace v0 { namespace detail {

class ClientCore;

/// The token of one set of options. The functions that clients call are virtual, so that only programs with such
/// credentials link them. Safe to use from many threads; one of them fetches, the others wait.
class TokenStore {
 public:
  explicit TokenStore(OAuth2ClientCredentials options);
  TokenStore(const TokenStore&) = delete;
  TokenStore& operator=(const TokenStore&) = delete;
  virtual ~TokenStore() = default;

  /// What is wrong with the options, as a clause.
  /// @param proxy  ClientOptions::proxy.
  virtual std::optional<std::string> fault(std::string_view proxy) const;
  /// The origin of the token endpoint; only without a fault().
  virtual std::string origin() const;
  /// The client secret and the last tokens.
  const std::shared_ptr<KnownSecrets>& secrets() const noexcept { return secrets_; }
  /// Returns the field Authorization for an attempt.
  /// @param client  sends the token request. Ends by the deadline of `authorize`.
  virtual Result<Headers> ask(const Authorize& authorize, ClientCore& client, const StopToken& stop);

 private:
  struct Token {
    std::string authorization = {};
    /// When to fetch the next one.
    Instant fresh_until = Instant::min();
  };

  Result<Token> fetch(ClientCore& client, Instant deadline, const StopToken& stop) const;
  Result<Token> token_in(const Response& response, Instant asked_at) const;
  Error failure_of(const Error& error) const;
  std::string failed(std::string_view how) const;

  const OAuth2ClientCredentials options_;
  const std::shared_ptr<KnownSecrets> secrets_ = std::make_shared<KnownSecrets>();

  std::mutex mutex_;
  StoppableCondition changed_;
  Token token_;
  bool fetching_ = false;
  std::uint64_t fetches_ = 0;  // that ended
  /// The failure of the last one, unless it is its caller's own: a stop request, or a deadline.
  std::optional<Error> failure_;
};

}}}  // namespace noun::detail
