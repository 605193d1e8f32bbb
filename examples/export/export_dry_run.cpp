#include "export_dry_run.hpp"
#include "printable_text.hpp"
#include "progress_view.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace noun_export {
namespace {

using progress::clock_text;
using progress::grouped;
using progress::in_words;
using progress::printable;

constexpr std::string_view hidden = "***";

/// A text with control characters is written as the output of printf: a terminal would obey them.
std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  if (printable(text) != text) {
    quoted = "\"$(printf '";
    for (const char letter : text) quoted += fmt::format("\\{:03o}", static_cast<unsigned char>(letter));
    return quoted += "')\"";
  }
  for (const char letter : text) {
    if (letter == '\'')
      quoted += "'\\''";
    else
      quoted += letter;
  }
  return quoted += '\'';
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char letter : text) {
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9') ||
                          std::string_view("-._~").find(letter) != std::string_view::npos;
    if (is_plain)
      encoded += letter;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return encoded;
}

/// The client redacts every value that is not known to be harmless. Those of the command line are not secret.
class KnownValues {
 public:
  explicit KnownValues(const Arguments& arguments) {
    for (const auto& [name, value] : arguments.query) all_.push_back({percent_encoded(name), percent_encoded(value)});
    const auto paging = dialect_of(arguments).paging;
    if (arguments.page_size)
      all_.push_back({percent_encoded(paging.size_parameter), std::to_string(*arguments.page_size)});
    if (const auto* numbers = std::get_if<noun::paging::PageNumber>(&paging.style))
      all_.push_back({percent_encoded(numbers->parameter), std::to_string(numbers->first)});
  }

  /// Removes and returns the first value of this name: names may repeat.
  std::optional<std::string> take(std::string_view name) {
    const auto known = std::find_if(all_.begin(), all_.end(), [&](const auto& pair) { return pair.first == name; });
    if (known == all_.end()) return std::nullopt;
    auto value = std::move(known->second);
    all_.erase(known);
    return value;
  }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

std::string with_known_values(std::string_view url, const Arguments& arguments) {
  const auto query_begin = url.find('?');
  std::string whole(url.substr(0, query_begin));
  if (query_begin == std::string_view::npos) return whole;
  KnownValues known(arguments);
  char separator = '?';
  for (auto rest = url.substr(query_begin + 1); !rest.empty();) {
    const auto pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const auto name = pair.substr(0, pair.find('='));
    const auto value = known.take(name);
    whole += separator;
    separator = '&';
    if (value && pair.substr(name.size()) == fmt::format("={}", hidden))
      whole += fmt::format("{}={}", name, *value);
    else
      whole += pair;
  }
  return whole;
}

/// A pipe that writes the field with the token. printf is a shell builtin, so that no process list shows the token.
std::string token_pipe(const Arguments& arguments) {
  const auto before = arguments.token_header.empty() ? "Authorization: Bearer " : arguments.token_header + ": ";
  const auto token = arguments.token_env.empty()
                         ? fmt::format("$(head -n 1 -- {})", shell_quoted(arguments.token_file.string()))
                         : '$' + arguments.token_env;
  return fmt::format("printf '%s%s\\n' {} \"{}\" |\n  ", shell_quoted(before), token);
}

bool is_accept(std::string_view name) {
  constexpr std::string_view accept = "accept";
  return std::equal(name.begin(), name.end(), accept.begin(), accept.end(),
                    [](char left, char right) { return (left | 0x20) == right; });
}

std::string pages_line(const noun::ListingPlan& plan) {
  if (!plan.pages) return "unknown; the server reports only the next page";
  if (*plan.pages == 0) return "the first page is the only one";
  return fmt::format("{} more", grouped(*plan.pages));
}

std::string quota_line(const noun::ListingPlan& plan) {
  if (!plan.windows) return "unknown";
  if (*plan.windows == 0) return "the remaining requests suffice";
  return fmt::format("must reset {}", *plan.windows == 1 ? "once" : grouped(*plan.windows) + " times");
}

std::string day_text(noun::WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  const auto instant = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  if (localtime_r(&instant, &parts) == nullptr) return "";
  return fmt::format("{:04}-{:02}-{:02} ", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::string time_line(const noun::ListingPlan& plan, const Arguments& arguments) {
  if (!plan.estimate) return "unknown";
  auto line = fmt::format("about {}", in_words(*plan.estimate));
  if (plan.finish)
    line += fmt::format(", until {}{}", *plan.estimate < std::chrono::hours(24) ? "" : day_text(*plan.finish),
                        clock_text(*plan.finish));
  if (arguments.deadline && *plan.estimate > *arguments.deadline)
    line += fmt::format("; longer than --deadline allows ({})", in_words(*arguments.deadline));
  return line;
}

std::string items_line(const noun::ListingTally& tally, const Arguments& arguments) {
  const auto first = fmt::format("{} on the first page", grouped(tally.items));
  if (tally.total && *tally.total >= tally.items) {
    const auto count = fmt::format("{} according to the server", grouped(*tally.total));
    if (!arguments.max_items || *arguments.max_items >= *tally.total) return fmt::format("{}, {}", count, first);
    return fmt::format("{}, of {}, {}", grouped(*arguments.max_items), count, first);
  }
  if (arguments.max_items) return fmt::format("at most {}, {}", grouped(*arguments.max_items), first);
  return fmt::format("{}; the total is unknown", first);
}

}  // namespace

std::string curl_command(const Arguments& arguments, const std::string& url) {
  constexpr std::string_view next = " \\\n  --header ";
  const bool has_token = !arguments.token_env.empty() || !arguments.token_file.empty();
  auto command = has_token ? token_pipe(arguments) : std::string();
  // Without --globoff, curl expands brackets and braces.
  command.append("curl --globoff ").append(shell_quoted(with_known_values(url, arguments)));
  if (std::none_of(arguments.headers.begin(), arguments.headers.end(),
                   [](const auto& field) { return is_accept(field.first); }))
    command.append(next).append(shell_quoted("Accept: " + dialect_of(arguments).accept));
  if (has_token) command.append(next).append("@-");
  for (const auto& [name, value] : arguments.headers)
    // curl removes a field that is written as a name and a colon without a value.
    command.append(next).append(
        shell_quoted(value.empty() ? name + ';' : std::string(name).append(": ").append(value)));
  return command;
}

std::string plan_text(const noun::ListingPlan& plan, const noun::ListingTally& tally, const Arguments& arguments) {
  return fmt::format("items  {}\npages  {}\nquota  {}\ntime   {}\nfile   {}\n", items_line(tally, arguments),
                     pages_line(plan), quota_line(plan), time_line(plan, arguments),
                     arguments.out.empty() ? "standard output" : printable(arguments.out.string()));
}

}  // namespace noun_export
