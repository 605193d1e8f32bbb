#pragma once
/// @file
/// Hides secrets of requests in messages, events and logs, by allow-lists: anything not known to be harmless becomes
/// `***`.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <noun/http.hpp>

namespace noun { inline namespace v0 {

/// Returns the URL with the values of its query parameters hidden, except for those of paging, sorting and filtering by
/// kind.
std::string shown_url(std::string_view url);
/// The same; secrets of `headers` are also hidden after the host, where a redirect may have put them.
std::string shown_url(std::string_view url, const Headers& headers);

/// Shorter secrets are not searched in other text: they would hide ordinary words.
constexpr std::size_t shortest_secret = 6;
/// Whether a query parameter of this name holds a secret, by the names that APIs use: `api_key`, `access_token`, `sig`.
bool names_secret(std::string_view parameter);

/// Returns the request as a command line for the curl program. Header values are hidden except for harmless ones; the
/// body is left out.
std::string curl_command(Method method, std::string_view url, const Headers& headers, bool has_body);

/// Returns `text` from the server with every secret of this request (an echoed token, for example) replaced by `***`,
/// also if it is JSON-escaped or percent-encoded. Secrets of fewer than six characters are not searched.
std::string scrubbed(std::string text, std::string_view url, const Headers& headers);

/// A part of a hidden header's value that scrubbed() searches.
struct HeaderSecret {
  /// In lower case.
  std::string header;
  /// The number of the part in the structure of the value; the same for another value of the same structure.
  std::size_t part;
  std::string text;
};

/// Returns what scrubbed() searches because of `headers`, in their order.
std::vector<HeaderSecret> secrets_in(const Headers& headers);

}}  // namespace noun
