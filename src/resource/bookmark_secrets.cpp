#include "resource/bookmark_secrets.hpp"

#include <algorithm>

#include "wire/integer.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// Delimiters of a placeholder for a value in a stored URL: the number of the caller's query parameter, or the part and
/// name of a header, as in `1:authorization`. URLs do not contain these characters.
constexpr char placeholder_start = '\x01';
constexpr char placeholder_end = '\x02';

/// Whether `written`, a name or value in a URL, is `text` or an encoding of it.
bool encodes(std::string_view written, std::string_view text) {
  if (wire::percent_decode(written) == text) return true;
  if (written.find('+') == std::string_view::npos) return false;
  std::string spaced(written);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return wire::percent_decode(spaced) == text;
}

/// The placeholder for a value that a bookmark must not contain; nothing for any other.
/// @param name  of the query parameter with the value; nothing for a segment of the path.
std::optional<std::string> placeholder_for(std::optional<std::string_view> name, std::string_view value,
                                           const Query& query, const std::vector<HeaderSecret>& secrets,
                                           const KnownSecrets& known) {
  const auto place_in_query = [&](auto matches) -> std::optional<std::string> {
    std::size_t number = 0;
    for (const auto& field : query) {
      if (matches(field) && encodes(value, field.value)) return std::to_string(number);
      ++number;
    }
    return std::nullopt;
  };
  if (value.empty()) return std::nullopt;
  auto place = name ? place_in_query([&](const auto& field) { return encodes(*name, field.name); }) : std::nullopt;
  if (!place)
    place = place_in_query([&](const auto& field) {
      return field.value.size() >= shortest_secret && names_secret(field.name, known);
    });
  for (auto secret = secrets.begin(); !place && secret != secrets.end(); ++secret)
    if (encodes(value, secret->text)) place = std::to_string(secret->part) + ':' + secret->header;
  return place ? std::optional(placeholder_start + *place + placeholder_end) : std::nullopt;
}

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    segments.push_back(path.substr(0, path.find('/', 1)));
    path.remove_prefix(segments.back().size());
  }
  return segments;
}

/// The current value for a placeholder.
std::optional<std::string> value_of(std::string_view name, const Query& query,
                                    const std::function<std::vector<HeaderSecret>()>& secrets) {
  const auto colon = name.find(':');
  const auto number = wire::read_integer<std::size_t>(name.substr(0, colon));
  if (!number) return std::nullopt;
  if (colon == std::string_view::npos) {
    if (*number >= query.size()) return std::nullopt;
    return (query.begin() + static_cast<std::ptrdiff_t>(*number))->value;
  }
  for (auto& secret : secrets())
    if (secret.part == *number && secret.header == name.substr(colon + 1)) return std::move(secret.text);
  return std::nullopt;
}

}  // namespace

std::string withhold(std::string_view url, const Query& query, const std::vector<HeaderSecret>& secrets,
                     const KnownSecrets& known, std::string_view own_url) {
  const auto shown = [&](std::optional<std::string_view> name, std::string_view value) {
    return placeholder_for(name, value, query, secrets, known).value_or(std::string(value));
  };
  const auto path = wire::split_url(url).path;
  const auto own = segments_of(wire::split_url(own_url).path);
  std::string page(url.substr(0, static_cast<std::size_t>(path.data() - url.data())));
  for (const auto segment : segments_of(path)) {
    const bool is_own = segment.front() != '/' || std::find(own.begin(), own.end(), segment) != own.end();
    page += is_own ? std::string(segment) : '/' + shown(std::nullopt, segment.substr(1));
  }
  auto rest = url.substr(std::min(url.find('?'), url.size()));
  while (!rest.empty()) {
    const auto pair = rest.substr(0, rest.find('&', 1));
    rest.remove_prefix(pair.size());
    const auto equals = std::min(pair.find('='), pair.size() - 1);
    const auto name = pair.substr(1, std::max<std::size_t>(equals, 1) - 1);
    page += pair.substr(0, equals + 1);
    page += shown(name, pair.substr(equals + 1));
  }
  return page;
}

std::optional<std::string> restore(std::string_view page, const Query& query,
                                   const std::function<std::vector<HeaderSecret>()>& secrets) {
  std::string url;
  while (!page.empty()) {
    const auto start = std::min(page.find(placeholder_start), page.size());
    url += page.substr(0, start);
    page.remove_prefix(start);
    if (page.empty()) break;
    const auto end = page.find(placeholder_end);
    if (end == std::string_view::npos) return std::nullopt;
    const auto value = value_of(page.substr(1, end - 1), query, secrets);
    if (!value) return std::nullopt;
    wire::append_query(url, *value);
    page.remove_prefix(end + 1);
  }
  return url;
}

}}}  // namespace noun::detail
