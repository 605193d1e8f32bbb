#pragma once
/// @file
/// Signature Version 4 of AWS: what of a request is signed, and its signature. The time is an argument.
/// @source AWS Identity and Access Management, "Create a signed AWS API request".

#include <chrono>
#include <string>
#include <string_view>

#include <noun/http.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// How a path is signed.
enum class Sigv4Path {
  normalized,  ///< without dot segments and empty ones, and encoded once more than it is sent
  /// Decoded, and encoded once: `/` and `%2F` are the same. S3 and its servers sign the key of an object in this way.
  /// @source aws4_uri_recode() of Ceph's rgw_auth_s3.h; `decodeSlashesInPath` of npm's aws4.
  of_key,
};

/// What a signature covers.
struct Sigv4Request {
  std::string_view method;
  /// Absolute. The field Host comes from it.
  std::string_view url;
  /// All but Host; also X-Amz-Date, which has `date`. Those that change on the way, such as User-Agent, are not signed.
  const Headers& headers;
  /// SHA-256 in hexadecimal, or what stands for it.
  std::string_view payload_hash;
  Sigv4Path path = Sigv4Path::normalized;
};

/// What it is made with.
struct Sigv4Key {
  std::string_view access_key;
  std::string_view secret_key;
  std::string_view region;
  std::string_view service;
};

/// The value of X-Amz-Date: `20150830T123600Z`.
std::string sigv4_date(std::chrono::sys_seconds when);

/// The text whose hash is signed.
std::string sigv4_canonical_request(const Sigv4Request& request);

/// The value of the field Authorization.
/// @param date  as sigv4_date().
std::string sigv4_authorization(const Sigv4Request& request, const Sigv4Key& key, std::string_view date);

}}}  // namespace noun::wire
