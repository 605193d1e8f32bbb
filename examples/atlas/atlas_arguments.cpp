// The table of options, and the parsers of their values.
#include "atlas_arguments.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <locale>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

namespace atlas {
namespace {

template <typename Number>
std::optional<Number> read_number(std::string_view text) {
  Number value{};
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

/// libc++ 19 has no std::from_chars() of a double.
template <>
std::optional<double> read_number<double>(std::string_view text) {
  if (text.find_first_not_of("0123456789.eE-") != std::string_view::npos) return std::nullopt;
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  double value = 0;
  if (!(in >> value) || !in.eof()) return std::nullopt;
  return value;
}

template <typename Number>
void set_number(Number& member, std::string_view text) {
  const auto value = read_number<Number>(text);
  if (!value) throw std::runtime_error(fmt::format("'{}' is not a number in range", text));
  member = *value;
}

void set_switch(bool& member, std::string_view text) {
  if (text != "on" && text != "off") {
    throw std::runtime_error(fmt::format("'{}' is neither on nor off", text));
  }
  member = text == "on";
}

void set_reset(ResetForm& member, std::string_view text) {
  if (text == "epoch") return void(member = ResetForm::epoch);
  if (text == "delta") return void(member = ResetForm::delta);
  if (text == "fractional") return void(member = ResetForm::fractional);
  if (text == "none") return void(member = ResetForm::none);
  throw std::runtime_error(fmt::format("'{}' is not one of epoch, delta, fractional, none", text));
}

/// One option with a value.
struct Entry {
  std::string_view name;
  std::string_view value;
  std::string_view help;
  void (*set)(Options&, std::string_view);
};

using Text = std::string_view;

constexpr std::array entries{
    Entry{"--port", "N", "port to listen on; 0 takes any free one (0)",
          [](Options& o, Text t) { set_number(o.port, t); }},
    Entry{"--address", "IP", "address to listen on (127.0.0.1)", [](Options& o, Text t) { o.address = t; }},
    Entry{"--data", "DIR", "folder of the iso-codes files (/usr/share/iso-codes/json)",
          [](Options& o, Text t) { o.data = t; }},
    Entry{"--prefix", "PATH", "path in front of every collection, such as /v1 (none)",
          [](Options& o, Text t) { o.prefix = t; }},
    Entry{"--limit", "N", "requests in one window; 0 for no limit (0)",
          [](Options& o, Text t) { set_number(o.limit, t); }},
    Entry{"--period", "TIME", "length of a window (10s)", [](Options& o, Text t) { o.period = parse_duration(t); }},
    Entry{"--window-phase", "TIME", "delay of each window reset (0)",
          [](Options& o, Text t) { o.window_phase = parse_duration(t); }},
    Entry{"--rate-headers", "on|off", "send X-RateLimit-Limit, -Remaining, -Reset (on)",
          [](Options& o, Text t) { set_switch(o.rate_headers, t); }},
    Entry{"--reset", "FORM", "epoch, delta, fractional or none (epoch)",
          [](Options& o, Text t) { set_reset(o.reset, t); }},
    Entry{"--retry-after", "on|off", "send Retry-After with a 429 (on)",
          [](Options& o, Text t) { set_switch(o.retry_after, t); }},
    Entry{"--latency", "TIME", "wait before every response (0)",
          [](Options& o, Text t) { o.latency = parse_duration(t); }},
    Entry{"--drop", "SHARE", "connections reset before the request is applied, 0 to 1 (0)",
          [](Options& o, Text t) { set_number(o.drop, t); }},
    Entry{"--drop-after", "SHARE", "connections closed after it, without a response, 0 to 1 (0)",
          [](Options& o, Text t) { set_number(o.drop_after, t); }},
    Entry{"--unavailable", "SHARE", "requests rejected with 503, 0 to 1 (0)",
          [](Options& o, Text t) { set_number(o.unavailable, t); }},
    Entry{"--truncate", "SHARE", "responses cut in the middle of the body, 0 to 1 (0)",
          [](Options& o, Text t) { set_number(o.truncate, t); }},
    Entry{"--seed", "N", "seed of the random faults (1)", [](Options& o, Text t) { set_number(o.seed, t); }},
    Entry{"--clock-offset", "TIME", "how far the server's clock is ahead (0)",
          [](Options& o, Text t) { o.clock_offset = parse_duration(t); }},
};

const Entry& entry_named(std::string_view name) {
  for (const auto& entry : entries) {
    if (entry.name == name) return entry;
  }
  throw std::runtime_error(fmt::format("unknown option '{}'; see --help", name));
}

void set(Options& options, const Entry& entry, std::string_view value) {
  try {
    entry.set(options, value);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", entry.name, error.what()));
  }
}

double milliseconds_in(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1e3;
  if (unit == "m") return 60e3;
  if (unit == "h") return 3600e3;
  return 0;
}

}  // namespace

std::chrono::milliseconds parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::milliseconds{0};
  const auto unit = text.find_first_not_of("-.0123456789");
  const auto number = read_number<double>(text.substr(0, unit));
  const auto scale = unit == std::string_view::npos ? 0 : milliseconds_in(text.substr(unit));
  constexpr double most = 1e12;
  if (!number || scale == 0 || std::abs(*number * scale) > most) {
    throw std::runtime_error(fmt::format("'{}' is not a duration such as 300ms, 10s, 5m or 1h", text));
  }
  return std::chrono::milliseconds{std::llround(*number * scale)};
}

Arguments parse_arguments(const std::vector<std::string_view>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const auto name = words[i].substr(0, equals);
    if (words[i] == "--help" || words[i] == "-h") {
      arguments.help = true;
    } else if (words[i] == "--until-stdin-closes") {
      arguments.until_stdin_closes = true;
    } else if (const auto& entry = entry_named(name); equals != std::string_view::npos) {
      set(arguments.options, entry, words[i].substr(equals + 1));
    } else if (++i < words.size()) {
      set(arguments.options, entry, words[i]);
    } else {
      throw std::runtime_error(fmt::format("{} needs a value: {}", name, entry.help));
    }
  }
  check(arguments.options);
  return arguments;
}

std::string help_text() {
  std::string text =
      "noun-atlas serves the ISO code lists of the iso-codes package over HTTP.\n\n"
      "usage: noun-atlas [--name value]...\n\n";
  for (const auto& entry : entries) {
    text += fmt::format("  {:<24}{}\n", fmt::format("{} {}", entry.name, entry.value), entry.help);
  }
  text += fmt::format("  {:<24}{}\n", "--until-stdin-closes", "exit when standard input is closed");
  text += fmt::format("  {:<24}{}\n", "--help", "print this help");
  return text +
         "\nTIME has a unit: ms, s, m or h. The first line of output is the address. On SIGINT or SIGTERM\n"
         "noun-atlas prints its totals as one line of JSON and exits.\n";
}

}  // namespace atlas
