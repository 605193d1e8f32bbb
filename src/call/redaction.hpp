#pragma once
/// @file
/// Hides secrets of requests in messages, events and logs: the values of header fields that are not known to be
/// harmless, and of query parameters whose names say that they are secret; and these values, and the secrets that the
/// client knows, wherever else they occur. Everything else is shown, so that a request can be repeated by hand.

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <noun/http.hpp>

#include "wire/spelling.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {
namespace detail {

/// What a client hides in every message, event and bookmark, whatever the request is: secrets that need not be in it
/// (the values of the client's query, credentials, the proxy's password, tokens that noun fetched), and names of
/// parameters whose values are secret in each request. Safe to use from many threads.
class NOUN_API KnownSecrets {
 public:
  /// Adds a secret for good.
  void add(std::string_view secret);
  /// Adds a secret that is replaced from time to time; the last 16 are remembered.
  void add_passing(std::string_view secret);
  /// Adds the name of a query parameter with secret values; compared exactly.
  void add_parameter(std::string name);
  /// Adds the name of a query parameter whose values are shown although it is named like a secret; compared exactly.
  void show_parameter(std::string name);
  /// Adds the secrets of `others`, also those that are added to it later.
  void include(std::shared_ptr<const KnownSecrets> others);

  std::vector<std::string> all() const;
  bool has_parameter(std::string_view name) const;
  bool shows_parameter(std::string_view name) const;
  /// Returns a search of these words. It is kept: each event of a client searches the same words, as a rule.
  std::shared_ptr<const wire::SpellingSearch> search_of(std::vector<std::string> words) const;

 private:
  struct Search {
    std::vector<std::string> words;
    std::shared_ptr<const wire::SpellingSearch> search;
  };

  mutable std::mutex mutex_;
  std::vector<std::string> lasting_;
  std::vector<std::string> passing_;
  std::set<std::string, std::less<>> parameters_;
  std::set<std::string, std::less<>> shown_parameters_;
  std::vector<std::shared_ptr<const KnownSecrets>> included_;
  mutable std::vector<Search> searches_;
};

}  // namespace detail

using detail::KnownSecrets;

/// Where the secrets of a request come from, beside its URL. Only for the time of a function call.
struct RequestSecrets {
  const Headers& headers;
  /// Those of the client.
  const KnownSecrets& known;
  /// Those of the requests that led to this one: of URLs that redirected to it, and of replaced credentials.
  std::span<const std::string> earlier = {};
  /// Whether a server chose the host of the URL.
  bool foreign_host = false;
};

/// Hides the secrets of one request in text. Valid as long as the URL and the sources of the secrets.
class NOUN_API Redaction {
 public:
  Redaction(std::string_view url, const RequestSecrets& from);

  /// Returns the URL without its fragment, as printable ASCII, with the values of secret query parameters hidden. The
  /// other secrets are hidden wherever a server may have put them: after the host, and in a foreign host. A value that
  /// is one of `earlier` is hidden at any length.
  std::string url() const;
  /// Returns the value of a header field of the request: hidden unless it is known to be harmless.
  std::string header(const Field& field) const;
  /// Returns the request as a command line for the curl program. Header values are hidden except for harmless ones; the
  /// body is left out.
  /// @param shown_url  what url() returned.
  /// @param fields     the header fields of the command.
  /// @param body_file  the path of the file that is the body; empty if it is something else.
  std::string curl_command(Method method, std::string_view shown_url, const Headers& fields, bool has_body,
                           std::string_view body_file = {}) const;
  /// Returns `text` from the server with every secret of this request (an echoed token, for example) and every known
  /// one replaced by `***`, in each spelling that wire::SpellingSearch knows; in URLs in the text, users, passwords and
  /// the values of secret parameters, too. Secrets of fewer than six characters are not searched; white space at the
  /// ends of a secret is not a part of it.
  std::string scrubbed(std::string text) const;
  /// The same as one printable line. What becomes a secret by being printed is hidden too: a control character is shown
  /// as a point, white space as one space.
  std::string line(std::string text) const;

 private:
  /// @param shown  the length of the start that is the caller's own: a secret is hidden if it ends after it.
  std::string hidden_in(std::string text, std::size_t shown = 0) const;

  std::string_view url_;
  wire::UrlParts parts_;
  RequestSecrets from_;
  std::shared_ptr<const wire::SpellingSearch> secrets_;
};

/// Returns the values of the URL's secret query parameters, as written and decoded.
NOUN_API std::vector<std::string> secrets_in_query(std::string_view url, const KnownSecrets& known);
/// Returns what Redaction::scrubbed() hides in the URLs of a text, as written and decoded; of a user with a password
/// also the password alone.
NOUN_API std::vector<std::string> secrets_in_urls(std::string_view text, const KnownSecrets& known);

/// Returns where Redaction::scrubbed() hides something in the URLs of a text, in the order of the beginnings.
NOUN_API std::vector<wire::TextPart> secret_parts_in_urls(std::string_view text, const KnownSecrets& known);

/// Returns the text with `***` in place of the parts, which are in the order of their beginnings.
/// @param shown     the length of the start that is the caller's own: a part is hidden if it ends after it.
/// @param stand_in  what is in place of a part instead of `***`; null for `***`.
NOUN_API std::string without_parts(std::string text, std::span<const wire::TextPart> parts, std::size_t shown = 0,
                                   const std::function<std::string(std::string_view)>& stand_in = nullptr);

/// Shorter secrets are not searched in other text: they would hide ordinary words.
constexpr std::size_t shortest_secret = 6;
/// Whether a query parameter of this name holds a secret, by the names that APIs use: `api_key`, `access_token`, `sig`.
NOUN_API bool names_secret(std::string_view parameter);
/// The same, also by the names that the client knows.
NOUN_API bool names_secret(std::string_view parameter, const KnownSecrets& known);

/// Whether a header of this name identifies the caller, or is named like a secret: it is not sent where others can read
/// it. Fewer than those that are hidden.
NOUN_API bool names_credentials(std::string_view header);
/// Whether the value of a response's header is hidden where it might be published: it is not known to be harmless, sets
/// a cookie, or is named like a secret.
NOUN_API bool is_hidden_in_response(std::string_view header);
/// Returns the first name of a query parameter with a secret value, as written in the URL; nothing if there is none.
std::optional<std::string> secret_parameter_in(std::string_view url, const KnownSecrets& known);

/// A part of a hidden header's value that Redaction searches.
struct HeaderSecret {
  /// In lower case.
  std::string header;
  /// The number of the part in the structure of the value; the same for another value of the same structure.
  std::size_t part;
  std::string text;
};

/// Returns what Redaction searches because of `headers`, in their order.
NOUN_API std::vector<HeaderSecret> secrets_in(const Headers& headers);

}}  // namespace noun
