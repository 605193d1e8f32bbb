#pragma once
/// @file
/// Where the credentials of a client come from.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <noun/credentials.hpp>
#include <noun/stop.hpp>

#include "call/call.hpp"
#include "resource/token_store.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// The state that copies of Credentials share.
struct CredentialsSource {
  /// Fixed fields, or why they were refused; a function; or tokens from a token endpoint.
  std::variant<Result<Headers>, Credentials::Function, std::shared_ptr<TokenStore>> from;
  /// Hidden in events and errors, beside the fields that are sent.
  std::vector<std::string> secrets = {};
  /// Whether the fields have the time in them, by which a server may reject them.
  bool has_time = false;
};

struct CredentialsAccess {
  static Credentials make(CredentialsSource source);
  static std::shared_ptr<const CredentialsSource> source_of(const Credentials& credentials) noexcept {
    return credentials.source_;
  }
};

/// Returns what is wrong with credentials that do not depend on the attempt; nothing if they are right.
/// @param proxy  ClientOptions::proxy.
std::optional<Error> fault_of(const CredentialsSource& source, std::string_view proxy);
/// Returns the credentials of an attempt. An exception or an error of the function becomes `credentials`.
/// @param token_client  sends the token requests; null if there are none.
Result<Headers> ask(const CredentialsSource& source, const Authorize& authorize, ClientCore* token_client,
                    const StopToken& stop);
/// Why a function that is running on this thread is not asked again, and what to do.
inline constexpr auto* calls_itself = "the credentials function called the client that it is for";
inline constexpr auto* use_another_client = "use another client in it, without these credentials";
/// Whether the function of this source is running on this thread. A call that is made in it fails before it can reach
/// another thread.
bool is_running(const CredentialsSource* source) noexcept;

}}}  // namespace noun::detail
