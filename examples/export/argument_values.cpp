#include "argument_values.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "secret_names.hpp"
#include "shared_place.hpp"

namespace noun_export {
namespace {

constexpr std::string_view decimal_digits = "0123456789";

bool is_control(char letter) noexcept { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f'; }

bool is_alphanumeric(char letter) noexcept {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
}

bool may_be_in_url(char letter) noexcept {
  return static_cast<unsigned char>(letter) > ' ' && static_cast<unsigned char>(letter) < 0x7f &&
         std::string_view("\\\"<>^`{|}").find(letter) == std::string_view::npos;
}

std::string lowered(std::string_view text) {
  std::string all(text);
  for (auto& letter : all)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return all;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Whether two hexadecimal digits follow each %.
bool is_percent_encoded(std::string_view text) {
  for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    const auto code = text.substr(at + 1, 2);
    if (code.size() < 2 || code.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) return false;
  }
  return true;
}

bool is_dot_segment(std::string_view segment) {
  auto plain = lowered(segment);
  for (auto at = plain.find("%2e"); at != std::string::npos; at = plain.find("%2e")) plain.replace(at, 3, ".");
  return plain == "." || plain == "..";
}

void check_segments(std::string_view path) {
  auto rest = path;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const auto segment = rest.substr(0, rest.find('/'));
    if (segment.empty()) throw Misuse("PATH has an empty segment (two slashes); remove one slash.");
    if (is_dot_segment(segment)) throw Misuse("PATH has a segment . or ..; write the path without it.");
    rest.remove_prefix(segment.size());
  }
}

struct Unit {
  std::string_view name;
  noun::Duration length;
};
constexpr Unit units[] = {{"ms", std::chrono::milliseconds(1)},
                          {"s", std::chrono::seconds(1)},
                          {"m", std::chrono::minutes(1)},
                          {"h", std::chrono::hours(1)}};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

constexpr std::string_view who_sees_it = "every user of this machine can see the command line";

}  // namespace

std::string base_url_of(std::string_view word) {
  const auto scheme = lowered(word.substr(0, 8));
  if (!scheme.starts_with("https://") && !scheme.starts_with("http://"))
    throw Misuse(
        "BASE_URL does not start with https:// or http://; write it in full, as in https://api.example.com.");
  if (word.find('?') != std::string_view::npos)
    throw Misuse("BASE_URL has a query; pass its parameters with --query name=value.");
  if (word.find('#') != std::string_view::npos)
    throw Misuse("BASE_URL has a fragment; remove # and all after it.");
  const auto authority = word.substr(word.find("//") + 2);
  if (authority.substr(0, authority.find('/')).find('@') != std::string_view::npos)
    throw Misuse(
        fmt::format("BASE_URL contains a user, and {}; remove it and use --token-env NAME with "
                    "--token-header Authorization.",
                    who_sees_it));
  if (!std::all_of(word.begin(), word.end(), may_be_in_url) || !is_percent_encoded(word))
    throw Misuse("BASE_URL has a character that must be percent-encoded, as %20 for a space.");
  if (word.ends_with('/')) word.remove_suffix(1);
  return std::string(word);
}

std::string path_of(std::string_view word) {
  if (word.find("://") != std::string_view::npos)
    throw Misuse(
        "PATH is a full URL; pass the host in BASE_URL, the path in PATH, and the parameters after the ? with "
        "--query name=value.");
  if (word.find('?') != std::string_view::npos) throw Misuse("PATH has a query; use --query name=value.");
  if (word.find('#') != std::string_view::npos) throw Misuse("PATH has a fragment; remove # and all after it.");
  if (!std::all_of(word.begin(), word.end(), may_be_in_url) || !is_percent_encoded(word))
    throw Misuse("PATH has a character that must be percent-encoded, as %20 for a space.");
  auto path = word.starts_with('/') ? std::string(word) : '/' + std::string(word);
  if (path == "/")
    throw Misuse(
        "PATH names no collection; write at least one segment, as in /items, and what precedes it in BASE_URL.");
  if (path.ends_with('/')) path.pop_back();
  check_segments(path);
  return path;
}

std::string pointer_of(std::string_view option, std::string_view word) {
  if (word.empty()) throw Misuse(fmt::format("{} is empty; name a member, as in {} id.", option, option));
  if (std::any_of(word.begin(), word.end(), is_control))
    throw Misuse(fmt::format("{} contains a control character; remove it.", option));
  for (auto at = word.find('~'); at != std::string_view::npos; at = word.find('~', at + 1))
    if (at + 1 == word.size() || (word[at + 1] != '0' && word[at + 1] != '1'))
      throw Misuse(
          fmt::format("{} is not a JSON pointer; write ~0 for ~ and ~1 for a slash in a name (RFC 6901).", option));
  return word.starts_with('/') ? std::string(word) : '/' + std::string(word);
}

std::int64_t number_of(std::string_view option, std::string_view word, std::int64_t least, std::int64_t most) {
  const auto number = whole_number(word);
  if (!number || *number < least || *number > most)
    throw Misuse(fmt::format("{} takes a whole number from {} to {}.", option, least, most));
  return *number;
}

noun::Duration time_of(std::string_view option, std::string_view word) {
  constexpr noun::Duration longest = std::chrono::hours(24 * 366);
  const auto number_end = std::min(word.find_first_not_of(decimal_digits), word.size());
  const auto number = whole_number(word.substr(0, number_end));
  const auto unit = std::find_if(std::begin(units), std::end(units),
                                 [&](const Unit& each) { return each.name == word.substr(number_end); });
  if (!number || unit == std::end(units))
    throw Misuse(fmt::format("{} takes a whole number and its unit (ms, s, m or h), as in 90s or 15m.", option));
  if (*number == 0 || *number > longest / unit->length)
    throw Misuse(fmt::format("{} takes a time from 1ms to 8784h (a year).", option));
  return unit->length * *number;
}

std::string variable_of(std::string_view option, std::string_view word) {
  const bool is_name = !word.empty() && decimal_digits.find(word.front()) == std::string_view::npos &&
                       std::all_of(word.begin(), word.end(), [](char c) { return is_alphanumeric(c) || c == '_'; });
  if (!is_name)
    throw Misuse(
        fmt::format("{} takes the name of an environment variable (letters, digits and _), as in {} API_TOKEN, "
                    "not the secret itself: {}.",
                    option, option, who_sees_it));
  return std::string(word);
}

std::string place_of(std::string_view option, std::string_view from_env, std::string_view word) {
  if (word.empty()) throw Misuse(fmt::format("{} is empty; name a directory or a Redis server.", option));
  if (!is_path(word) && word.find('@') != std::string_view::npos)
    throw Misuse(fmt::format("{} contains a user or password, and {}; put the URL into an environment variable and use "
                             "{} NAME.",
                             option, who_sees_it, from_env));
  if (!is_place(word))
    throw Misuse(fmt::format("{} is neither a directory nor a URL; {}.", option, how_to_name_a_place));
  return std::string(word);
}

std::string field_name_of(std::string_view option, std::string_view word) {
  constexpr std::string_view set_by_noun[] = {"connection", "content-length",    "expect", "host", "keep-alive",
                                              "te",         "transfer-encoding", "upgrade"};
  const bool is_token = !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
    return is_alphanumeric(letter) || std::string_view("!#$%&'*+-.^_`|~").find(letter) != std::string_view::npos;
  });
  if (!is_token)
    throw Misuse(
        fmt::format("{} has no valid name of a header field; use letters, digits and hyphens, as in X-Api-Version.",
                    option));
  if (std::find(std::begin(set_by_noun), std::end(set_by_noun), lowered(word)) != std::end(set_by_noun))
    throw Misuse(fmt::format("{} {} is set by noun-export; remove it.", option, word));
  return std::string(word);
}

std::pair<std::string, std::string> header_of(std::string_view word) {
  const auto colon = word.find(':');
  if (colon == std::string_view::npos)
    throw Misuse("--header has no colon; write a name and a value, as in --header 'X-Api-Version: 2'.");
  auto name = field_name_of("--header", word.substr(0, colon));
  const auto value = trimmed(word.substr(colon + 1));
  const auto scheme = lowered(value.substr(0, 7));
  if (is_secret_header(name) || scheme.starts_with("bearer ") || scheme.starts_with("basic "))
    throw Misuse(
        fmt::format("--header {} is a credential, and {}; put the value into an environment variable and "
                    "use --token-env NAME with --token-header {}.",
                    name, who_sees_it, name));
  if (std::any_of(value.begin(), value.end(), [](char letter) { return is_control(letter) && letter != '\t'; }))
    throw Misuse(
        fmt::format("the value of --header {} contains a line break or another control character; remove it.", name));
  return {std::move(name), std::string(value)};
}

std::string parameter_name_of(std::string_view option, std::string_view word) {
  if (word.empty() || std::any_of(word.begin(), word.end(), is_control))
    throw Misuse(fmt::format("{} takes the name of a query parameter, as in {} page.", option, option));
  return std::string(word);
}

std::pair<std::string, std::string> parameter_of(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw Misuse("--query takes a name and a value, as in --query state=open.");
  const auto name = word.substr(0, equals);
  if (std::any_of(word.begin(), word.end(), is_control))
    throw Misuse("--query contains a line break or another control character; remove it.");
  if (is_secret_parameter(name))
    throw Misuse(
        fmt::format("--query {} is a credential, and {}; if the server accepts it in a header, put it into an "
                    "environment variable and use --token-env NAME with --token-header.",
                    name, who_sees_it));
  return {std::string(name), std::string(word.substr(equals + 1))};
}

std::pair<std::string, std::string> resume_with_of(std::string_view option, std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos)
    throw Misuse(fmt::format("{0} takes a query parameter and a JSON pointer, as in {0} since=/seq.", option));
  return {parameter_name_of(option, word.substr(0, equals)), pointer_of(option, word.substr(equals + 1))};
}

}  // namespace noun_export
