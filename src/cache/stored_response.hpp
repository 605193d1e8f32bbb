#pragma once
/// @file
/// A response as the cache keeps it, and its bytes.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/http.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace cache {

/// One response to a GET or HEAD, complete and decompressed.
struct StoredResponse {
  int status = 0;
  Headers headers = {};
  std::string body = {};
  /// When it was received, or confirmed by the server.
  WallTime received_at = {};
  /// How old it was then.
  Duration age = Duration::zero();
  /// The names of request fields by which it was selected (Vary), in lower case, and a digest of their values.
  std::vector<std::string> varies_by = {};
  std::string request_fields = {};
  /// A digest of the credentials that it was requested with; empty if it does not depend on them.
  std::string credentials = {};

  /// As a response of a call.
  Response response(std::string_view url, CacheStatus status) &&;
};

/// The responses of one URL, which differ in what they were requested with; the last one used comes first.
using StoredResponses = std::vector<StoredResponse>;

/// The fields of a response without those of its connection, which end with it.
/// @source RFC 9111, section 3.1; RFC 9110, section 7.6.1.
std::vector<const Field*> lasting(const Headers& received);

/// How many responses of one URL are kept.
constexpr std::size_t most_variants = 8;

/// The responses with their lasting fields as bytes, with a format version.
std::string to_bytes(const StoredResponses& responses);
/// Nothing for bytes that are damaged, or of another version.
std::optional<StoredResponses> read_bytes(std::string_view bytes);

}}}  // namespace noun::cache
