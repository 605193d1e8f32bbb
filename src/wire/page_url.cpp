#include "wire/page_url.hpp"

#include <algorithm>
#include <utility>

#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// The position and end of the value of `name` in `url`.
std::optional<std::pair<std::size_t, std::size_t>> find_parameter(std::string_view url, std::string_view name) {
  std::string encoded;
  append_query(encoded, name);
  const auto query_start = url.find_first_of("?#");
  if (query_start == std::string_view::npos) return std::nullopt;
  const auto query_end = std::min(url.find('#', query_start), url.size());
  for (auto start = query_start + 1; start <= query_end;) {
    const auto end = std::min(url.find('&', start), query_end);
    const auto pair = url.substr(start, end - start);
    const auto equals = std::min(pair.find('='), pair.size());
    if (const auto key = pair.substr(0, equals); key == encoded || key == name)
      return std::pair{start + std::min(equals + 1, pair.size()), end};
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> parameter_of(std::string_view url, std::string_view name) {
  const auto place = find_parameter(url, name);
  if (!place) return std::nullopt;
  return url.substr(place->first, place->second - place->first);
}

std::string with_parameter(std::string_view url, std::string_view name, std::string_view value) {
  std::string changed(url.substr(0, url.find('#')));
  if (const auto place = find_parameter(changed, name)) {
    const bool has_equals = changed[place->first - 1] == '=';
    std::string encoded = has_equals ? "" : "=";
    append_query(encoded, value);
    changed.replace(place->first, place->second - place->first, encoded);
    return changed;
  }
  const auto question = changed.find('?');
  if (question == std::string::npos)
    changed += '?';
  else if (question + 1 != changed.size() && changed.back() != '&')
    changed += '&';
  append_query(changed, name);
  changed += '=';
  append_query(changed, value);
  return changed;
}

Query decoded_query(std::string_view url) {
  Query all;
  auto rest = split_url(url).query;
  while (!rest.empty()) {
    const auto pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const auto equals = std::min(pair.find('='), pair.size());
    const auto name = percent_decode(pair.substr(0, equals));
    const auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())));
    if (name && value) all.add(*name, *value);
  }
  return all;
}

}}}  // namespace noun::wire
