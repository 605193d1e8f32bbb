#include "wire/page_url.hpp"

#include <algorithm>

#include "wire/ascii.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// Whether the text between two braces is an expression with an operator.
bool is_expression(std::string_view text) {
  constexpr std::string_view operators = "#./;?&";
  if (text.size() < 2 || operators.find(text.front()) == std::string_view::npos) return false;
  return std::all_of(text.begin() + 1, text.end(), [](char c) {
    return is_alpha(c) || is_digit(c) || std::string_view("_%.,:*").find(c) != std::string_view::npos;
  });
}

}  // namespace

WrittenParameter take_parameter(std::string_view& query) noexcept {
  const auto pair = query.substr(0, query.find('&'));
  query.remove_prefix(std::min(query.size(), pair.size() + 1));
  const auto equals = std::min(pair.find('='), pair.size());
  return {pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size()))};
}

std::optional<std::string_view> parameter_of(std::string_view url, std::string_view name) {
  std::string encoded;
  append_query(encoded, name);
  for (auto query = split_url(url).query; !query.empty();) {
    const auto [written, value] = take_parameter(query);
    if (written == encoded || written == name) return value;
  }
  return std::nullopt;
}

std::string with_parameter(std::string_view url, std::string_view name, std::string_view value) {
  std::string changed(url.substr(0, url.find('#')));
  if (const auto old = parameter_of(changed, name)) {
    const auto start = static_cast<std::size_t>(old->data() - changed.data());
    std::string encoded = changed[start - 1] == '=' ? "" : "=";
    append_query(encoded, value);
    return changed.replace(start, old->size(), encoded);
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
  for (auto query = split_url(url).query; !query.empty();) {
    const auto written = take_parameter(query);
    const auto name = percent_decode(written.name);
    const auto value = percent_decode(written.value);
    if (name && value) all.add(*name, *value);
  }
  return all;
}

std::string without_expressions(std::string_view url) {
  std::string text;
  for (auto open = url.find('{'); open != std::string_view::npos; open = url.find('{')) {
    const auto close = std::min(url.find_first_of("{}", open + 1), url.size());
    const bool is_closed = close < url.size() && url[close] == '}';
    const bool is_left_out = is_closed && is_expression(url.substr(open + 1, close - open - 1));
    text += url.substr(0, is_left_out ? open : open + 1);
    url.remove_prefix(is_left_out ? close + 1 : open + 1);
  }
  return text.append(url);
}

}}}  // namespace noun::wire
