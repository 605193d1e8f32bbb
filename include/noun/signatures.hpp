#pragma once
/// @file
/// Credentials that sign each attempt: for the APIs of AWS, and HTTP message signatures.

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <noun/credentials.hpp>
#include <noun/result.hpp>
#include <noun/text.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// The options of aws_sigv4(). Texts may be null pointers, which are empty.
struct AwsSigv4 {
  FieldValue access_key = "";     ///< the access key id, as in `AKIDEXAMPLE`
  FieldValue secret_key = "";     ///< in no message, event or header field
  FieldValue session_token = "";  ///< of temporary credentials; empty for none
  FieldValue region = "";         ///< as in `eu-central-1`
  FieldValue service = "";        ///< as the API's documentation names it for signing: `execute-api`, `s3`, `es`
  /// Whether the path is signed without dot segments and empty ones, and encoded once more than it is sent. Otherwise
  /// it is decoded and encoded once, as the key of an object: with all segments, and with `%2F` as `/`. Without a
  /// value: not for S3, whose services' names begin with `s3`.
  std::optional<bool> normalize_path = {};
};

/// Signs each attempt with Signature Version 4 of AWS, also for servers with the same scheme (S3-compatible stores,
/// OpenSearch): adds Authorization, X-Amz-Date, X-Amz-Content-Sha256 and, with a session token, X-Amz-Security-Token.
/// Signed are the method, the URL, Host, the header fields of the client and the call, except those that change on their
/// way, and the body. A body from a file is not: it is sent with `UNSIGNED-PAYLOAD`, which S3 accepts, and over plain
/// http it is `credentials`.
///
/// The time is that of the client's clock. If the server rejects an attempt with 400, 401 or 403, and its Date differs
/// from that time by more than four minutes, the attempt is repeated once, with the server's time. The client keeps the
/// offset unless that attempt is rejected too. With a cache, set ClientOptions::identity: each attempt has other
/// credentials.
///
/// A bad option is refused when the client is made: an access key, a region or a service that is empty, or has a space,
/// a slash, a comma or what is not printable ASCII; a secret key that is empty; a control character in it or in a
/// session token.
/// @threadsafety  safe, as are all functions of this file.
/// @source AWS Identity and Access Management, "AWS Signature Version 4 for API requests".
NOUN_API Credentials aws_sigv4(AwsSigv4 options);

/// @{
/// The same with a function that returns the options for each attempt: for keys that are replaced from time to time. It
/// is called as every credentials function (Credentials); an error of it, and a bad option, is `credentials`.
NOUN_API Credentials aws_sigv4(std::function<Result<AwsSigv4>(const CredentialsRequest& request)> function);
template <class F>
requires(std::invocable<F&, const CredentialsRequest&> &&
         std::convertible_to<std::invoke_result_t<F&, const CredentialsRequest&>, Result<AwsSigv4>>)
Credentials aws_sigv4(F function) {
  return aws_sigv4(std::function<Result<AwsSigv4>(const CredentialsRequest&)>(std::move(function)));
}
/// @}

/// The algorithms of HTTP message signatures.
/// @source RFC 9421, section 3.3.
enum class SignatureAlgorithm {
  ed25519,            ///< EdDSA with the curve edwards25519
  ecdsa_p256_sha256,  ///< ECDSA with the curve P-256
  ecdsa_p384_sha384,  ///< ECDSA with the curve P-384
  rsa_pss_sha512,     ///< RSASSA-PSS; a key of 2048 bits or more
  rsa_v1_5_sha256,    ///< RSASSA-PKCS1-v1_5; a key of 2048 bits or more
  hmac_sha256,        ///< with a secret that the server knows, too
};

/// The options of http_signature(). Texts may be null pointers, which are empty.
struct HttpSignature {
  /// The private key in PEM, without a passphrase; for hmac_sha256 the bytes of the secret. Not empty.
  FieldValue key = "";
  SignatureAlgorithm algorithm = SignatureAlgorithm::ed25519;  ///< which fits the key
  FieldValue key_id = "";                                      ///< by which the server finds the key; empty for none
  /// What is signed; not empty. Header fields in lower case, and derived components, as RFC 9421 writes them without the
  /// outer quotes: `date`, `x-list;bs`, `x-dictionary;key="a"`, `@method`, `@target-uri`, `@authority`, `@scheme`,
  /// `@request-target`, `@path`, `@query`, `@query-param;name="Pet"`. If the request lacks one of them, the call fails with
  /// `credentials`. There are three exceptions: without a body, `content-digest` and `content-length` are left out, and
  /// `date` is added to the request.
  TextList components = {"@method", "@target-uri", "content-digest"};
  FieldValue label = "sig1";    ///< names the signature within the fields; lower case
  FieldValue tag = "";          ///< names the use that the API defines; empty for none
  Duration lifetime = {};       ///< `expires` is so long after `created`; in whole seconds; zero for no `expires`
  bool with_created = true;     ///< whether the signature has the time
  bool with_nonce = false;      ///< whether it has 16 random bytes in base64
  bool with_algorithm = false;  ///< whether it names the algorithm (`alg`), which servers take from the key
};

/// Signs each attempt as RFC 9421 has it: adds Signature-Input and Signature. If `content-digest` is a component and the
/// attempt has a body, adds Content-Digest with its SHA-256, unless the request has one; the digest of a body from a file
/// is not known, and without the field it is `credentials`. The clock is that of aws_sigv4().
///
/// A bad option is refused when the client is made: a key that cannot be read, has a passphrase, or does not fit the
/// algorithm; a component that requests do not have. Where noun is built without OpenSSL (on Windows), only hmac_sha256
/// is not refused. The older draft-cavage-http-signatures is another scheme and not supported.
/// @source RFC 9421; RFC 9530, for Content-Digest.
NOUN_API Credentials http_signature(HttpSignature options);

}}  // namespace noun
