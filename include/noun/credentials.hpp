#pragma once
/// @file
/// Header fields that identify the caller.

#include <concepts>
#include <functional>
#include <memory>
#include <utility>

#include <noun/http.hpp>
#include <noun/result.hpp>
#include <noun/text.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

namespace detail {
struct CredentialsSource;
struct CredentialsAccess;
}  // namespace detail

/// Header fields that every attempt carries, to the client's own origin and the trusted ones only. From bearer(),
/// basic(), header(), oauth2_client_credentials(), aws_sigv4() and http_signature() (<noun/signatures.hpp>), or a function
/// that is called before each attempt and once more after a 401. Copies share their state.
///
/// The function takes a CredentialsRequest, so that it can sign the attempt, and returns Headers or an Error; an
/// exception or an error becomes `credentials`. A blocking call calls it on its own thread, noun::start() on the
/// executor. Other calls in the background (without an executor, Client::run_all(), ListOptions::prefetch, downloads)
/// call it on threads of noun. It is never called under a lock or with a permit of the quota, may be called by many
/// threads at once, and may call noun. A call of the same client from inside returns `credentials`.
class NOUN_API Credentials {
 public:
  /// Returns the fields for this attempt.
  using Function = std::function<Result<Headers>(const CredentialsRequest& request)>;

  /// None.
  Credentials() = default;
  /// @{
  /// A function; an empty one is none.
  Credentials(Function function);
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Credentials> && std::invocable<F&, const CredentialsRequest&> &&
           std::convertible_to<std::invoke_result_t<F&, const CredentialsRequest&>, Result<Headers>>)
  Credentials(F function)
      : Credentials(Function(std::move(function))) {}
  /// @}

  /// The same fields for every attempt. A field that is not valid is refused when the client is made.
  static Credentials fixed(Headers fields);
  /// Credentials that make Client::create() fail with this text.
  static Credentials refused(Text why);

  /// Whether there are none.
  bool empty() const noexcept { return !source_; }
  /// Whether other fields may be returned after a 401.
  bool may_change() const noexcept;

 private:
  friend struct detail::CredentialsAccess;

  std::shared_ptr<const detail::CredentialsSource> source_;
};

/// `Authorization: Bearer <token>` (RFC 6750). An empty or null token is refused when the client is made.
/// @threadsafety  safe, as are all functions of this file that are not members.
NOUN_API Credentials bearer(Text token);
/// `Authorization: Basic …` (RFC 7617). The user must not contain a colon.
NOUN_API Credentials basic(Text user, Text password);
/// A header of the API's own, such as `X-Api-Key`. An empty or null value is refused when the client is made.
NOUN_API Credentials header(Text name, Text value);

/// How a client authenticates to the token endpoint.
/// @source RFC 6749, section 2.3.1.
enum class ClientAuthentication {
  basic,  ///< in the field Authorization, form-encoded first: every server supports it
  body,   ///< as `client_id` and `client_secret` in the body
};

/// The options of oauth2_client_credentials(). Texts may be null pointers, which are empty.
struct OAuth2ClientCredentials {
  FieldValue token_url = "";      ///< of the token endpoint; https, or http to this machine; may have a query
  FieldValue client_id = "";      ///< not empty
  FieldValue client_secret = "";  ///< not empty
  TextList scope = {};            ///< one scope or several; empty for the server's default
  ClientAuthentication auth = ClientAuthentication::basic;  ///< where the id and the secret are sent
  Query parameters = {};  ///< further parameters of the token request, such as `audience` or `resource`
};

/// `Authorization: Bearer <token>`, with a token from an OAuth 2.0 token endpoint (the client credentials grant). The
/// token is fetched for the first attempt that needs it, and again 60 s before it expires (for a token that lives less
/// than two minutes: after half of its life), or if a 401 rejects it. One thread fetches it, the others wait for it,
/// also if they use other clients with a copy of these credentials; such clients must have the same clock.
///
/// The token request uses the client's transport, TLS settings, proxy, timeouts, limits, retries and clock, has a quota
/// of its own, follows no redirect, and ends at the deadline of the call that waits for it. Its failure is
/// `credentials`, with a message that names the token endpoint. The observer does not receive its events, and no
/// message has an excerpt of its response. A bad option is refused when the client is made.
/// @source RFC 6749, sections 4.4 and 5.
NOUN_API Credentials oauth2_client_credentials(OAuth2ClientCredentials options);

}}  // namespace noun
