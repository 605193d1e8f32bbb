#pragma once
/// @file
/// Private keys that sign texts.

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// A private key and what it signs with. Safe to use from many threads.
class SigningKey {
 public:
  SigningKey() = default;
  SigningKey(const SigningKey&) = delete;
  SigningKey& operator=(const SigningKey&) = delete;
  virtual ~SigningKey() = default;

  /// The signature as RFC 9421 has it; empty if the key cannot sign.
  /// @throws std::bad_alloc  if memory runs out.
  virtual std::string sign(std::string_view text) const = 0;
};

/// Reads a private key in PEM.
/// @param algorithm  as RFC 9421, section 3.3, names it; not hmac-sha256.
/// @returns          or why it is not accepted, as a clause.
std::variant<std::shared_ptr<const SigningKey>, std::string> read_signing_key(std::string_view pem,
                                                                              std::string_view algorithm);

}}  // namespace noun
