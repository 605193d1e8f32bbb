#include "resource/bookmark_secrets.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// Delimiters of a placeholder for a value in a stored URL: the number of the caller's query parameter, or the part and
/// name of a header, as in `1:authorization`. URLs do not contain these characters. Each is a whole parameter or path
/// segment.
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
    if (encodes(value, secret->text)) {
      place = std::to_string(secret->part) + ':';
      wire::append_segment(*place, secret->header);
    }
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

/// Returns the URL with other values in its path segments and parameters: those that `value_for` returns for a name
/// (for a segment nothing) and a value. Nothing if it returns nothing.
template <class ValueFor>
std::optional<std::string> with_values(std::string_view url, ValueFor value_for) {
  const auto path = wire::split_url(url).path;
  std::string page(url.substr(0, static_cast<std::size_t>(path.data() - url.data())));
  for (auto segment : segments_of(path)) {
    if (segment.front() == '/') {
      page += '/';
      segment.remove_prefix(1);
    }
    const std::optional<std::string> value = value_for(std::nullopt, segment);
    if (!value) return std::nullopt;
    page += *value;
  }
  auto rest = url.substr(std::min(url.find('?'), url.size()));
  while (!rest.empty()) {
    const auto pair = rest.substr(0, rest.find('&', 1));
    rest.remove_prefix(pair.size());
    const auto equals = std::min(pair.find('='), pair.size() - 1);
    const auto name = pair.substr(1, std::max<std::size_t>(equals, 1) - 1);
    page += pair.substr(0, equals + 1);
    const std::optional<std::string> value = value_for(std::optional(name), pair.substr(equals + 1));
    if (!value) return std::nullopt;
    page += *value;
  }
  return page;
}

/// The name in lower case, with one separator between words.
std::string words_of(std::string_view name) {
  auto words = wire::lowered(name);
  std::replace(words.begin(), words.end(), '_', '-');
  return words;
}

/// Restores the values of a page's URL.
struct Restorer {
  const Query& query;
  const KnownSecrets& known;
  bool is_authentic;
  const std::function<std::vector<HeaderSecret>()>& secrets;
  RestoreFault fault = RestoreFault::missing;

  std::optional<std::string> value_for(std::optional<std::string_view> name, std::string_view value) {
    const bool is_whole = value.size() >= 2 && value.front() == placeholder_start && value.back() == placeholder_end;
    if (!is_whole) return std::string(value);
    const auto place = value.substr(1, value.size() - 2);
    const auto current = place.find(':') == std::string_view::npos ? query_value(name, place) : header(name, place);
    if (!current) return std::nullopt;
    std::string encoded;
    wire::append_query(encoded, *current);
    return encoded;
  }

 private:
  /// Whether noun puts a secret there, or a forger's secret stays hidden.
  bool may_have_secret(std::optional<std::string_view> name) {
    const auto decoded = name ? wire::percent_decode(*name) : std::nullopt;
    const bool may = is_authentic || (decoded && names_secret(*decoded, known));
    if (!may) fault = RestoreFault::misplaced;
    return may;
  }
  std::optional<std::string> query_value(std::optional<std::string_view> name, std::string_view place) {
    const auto number = wire::read_integer<std::size_t>(place);
    if (!number || *number >= query.size()) return std::nullopt;
    const auto& field = *(query.begin() + static_cast<std::ptrdiff_t>(*number));
    const bool is_own = name && encodes(*name, field.name);
    if (!is_own && !(names_secret(field.name, known) && may_have_secret(name))) return std::nullopt;
    return field.value;
  }
  std::optional<std::string> header(std::optional<std::string_view> name, std::string_view place) {
    const auto colon = place.find(':');
    const auto part = wire::read_integer<std::size_t>(place.substr(0, colon));
    const auto header = wire::percent_decode(place.substr(colon + 1));
    if (!part || !header) return std::nullopt;
    const auto words = words_of(*header);
    const bool is_own =
        name && (words_of(*name) == words || (words.starts_with("x-") && words_of(*name) == words.substr(2)));
    if (!is_own && !may_have_secret(name)) return std::nullopt;
    for (auto& secret : secrets())
      if (secret.part == *part && secret.header == *header) return std::move(secret.text);
    return std::nullopt;
  }
};

}  // namespace

std::string withhold(std::string_view url, const Query& query, const std::vector<HeaderSecret>& secrets,
                     const KnownSecrets& known, std::string_view own_url) {
  const auto own = segments_of(wire::split_url(own_url).path);
  const auto is_own = [&](std::string_view segment) {
    return std::any_of(own.begin(), own.end(), [&](auto each) { return each.substr(1) == segment; });
  };
  return *with_values(url, [&](std::optional<std::string_view> name, std::string_view value) {
    if (!name && is_own(value)) return std::optional<std::string>(value);
    return std::optional(placeholder_for(name, value, query, secrets, known).value_or(std::string(value)));
  });
}

std::variant<std::string, RestoreFault> restore(std::string_view page, const Query& query, const KnownSecrets& known,
                                                bool is_authentic,
                                                const std::function<std::vector<HeaderSecret>()>& secrets) {
  Restorer restorer{query, known, is_authentic, secrets};
  auto url = with_values(page, [&](auto name, auto value) { return restorer.value_for(name, value); });
  if (!url) return restorer.fault;
  constexpr char delimiters[] = {placeholder_start, placeholder_end, '\0'};
  if (url->find_first_of(delimiters) != std::string::npos) return RestoreFault::missing;
  return *std::move(url);
}

}}}  // namespace noun::detail
