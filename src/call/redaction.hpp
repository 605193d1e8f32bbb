#pragma once
/// @file
/// What of a request may be seen in messages, events and logs. By allow-lists: what is not known to be harmless is
/// shown as `***`.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <noun/headers.hpp>
#include <noun/method.hpp>

namespace noun { inline namespace v0 {

/// The URL with the values of its query parameters hidden, but for those of paging, sorting and filtering by kind.
std::string shown_url(std::string_view url);
/// The same; and what else the request hides is hidden behind the host, where a redirect may have put it.
std::string shown_url(std::string_view url, const Headers& headers);

/// What is shorter is not looked for in other text: it would blot out ordinary words.
constexpr std::size_t shortest_secret = 6;
/// Whether a query parameter of this name has a secret, by what services call theirs: `api_key`, `access_token`, `sig`.
bool names_secret(std::string_view parameter);

/// The request as a command line for the curl program; header values hidden but for harmless ones, the body left out.
std::string curl_command(Method method, std::string_view url, const Headers& headers, bool has_body);

/// `text` from the service with every hidden part of this request (a token that it echoes, say) replaced by `***`.
/// Also where JSON or percent-encoding spells it another way. What is shorter than six characters is not looked for.
std::string scrubbed(std::string text, std::string_view url, const Headers& headers);

/// A part of a hidden header's value that scrubbed() looks for.
struct HeaderSecret {
  /// In lower case.
  std::string header;
  /// Which part, counted by the value's structure: of another value of the same shape it is the same one.
  std::size_t part;
  std::string text;
};

/// What scrubbed() looks for on account of `headers`, in their order.
std::vector<HeaderSecret> secrets_in(const Headers& headers);

}}  // namespace noun
