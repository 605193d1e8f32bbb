#pragma once
/// @file
/// Hides secrets of requests in messages, events and logs: the values of header fields that are not known to be
/// harmless, and of query parameters whose names say that they are secret; and these values wherever else they occur.
/// Everything else is shown, so that a request can be repeated by hand.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <noun/http.hpp>

#include "call/known_secrets.hpp"

namespace noun { inline namespace v0 {

/// Names of query parameters whose values a client hides in addition to those of names_secret(); compared exactly.
using HiddenParameters = std::span<const std::string>;

/// Returns the URL without its fragment, with the values of secret query parameters hidden. After the host, where a
/// redirect may have put them, secrets of `headers` and known ones are hidden too.
/// @param known  may be null, as in the other functions.
std::string shown_url(std::string_view url, const Headers& headers = {}, HiddenParameters hidden = {},
                      const KnownSecrets* known = nullptr);

/// Shorter secrets are not searched in other text: they would hide ordinary words.
constexpr std::size_t shortest_secret = 6;
/// Whether a query parameter of this name holds a secret, by the names that APIs use: `api_key`, `access_token`, `sig`.
bool names_secret(std::string_view parameter);

/// Returns the request as a command line for the curl program. Header values are hidden except for harmless ones; the
/// body is left out.
/// @param body_file  the path of the file that is the body; empty if it is something else.
std::string curl_command(Method method, std::string_view url, const Headers& headers, bool has_body,
                         HiddenParameters hidden = {}, const KnownSecrets* known = nullptr,
                         std::string_view body_file = {});

/// Returns `text` from the server with every secret of this request (an echoed token, for example) and every known one
/// replaced by `***`, also if it is JSON-escaped or percent-encoded. Secrets of fewer than six characters are not
/// searched.
std::string scrubbed(std::string text, std::string_view url, const Headers& headers, HiddenParameters hidden = {},
                     const KnownSecrets* known = nullptr);

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
