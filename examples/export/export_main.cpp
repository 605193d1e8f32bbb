// noun-export: a paginated collection as a file of JSON Lines. `noun-export --help` says it all.
#include <csignal>
#include <cstdio>

#include <fmt/format.h>

#include "export_arguments.hpp"
#include "export_file.hpp"
#include "export_job.hpp"
#include "export_signals.hpp"

namespace {

using noun_export::Ending;

Ending run(const noun_export::Arguments& arguments) {
  const noun_export::Signals signals;
  noun_export::Screen screen(noun_export::Screen::style_of(arguments.quiet));
  try {
    const auto ending = noun_export::run_export(arguments, screen, signals.stop());
    return ending == Ending::interrupted && signals.caught() == SIGTERM ? Ending::terminated : ending;
  } catch (const noun_export::FileError& error) {
    screen.stop();
    screen.complain(error.what());
    return error.is_usage() ? Ending::usage : Ending::file;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const auto parsed = noun_export::parse_arguments({argv + 1, argv + argc});
  if (parsed.status) {
    fmt::print(*parsed.status == 0 ? stdout : stderr, "{}", parsed.words);
    return *parsed.status;
  }
  return static_cast<int>(run(parsed.arguments));
} catch (const std::exception& failure) {
  fmt::print(stderr, "noun-export: {}\n", failure.what());
  return static_cast<int>(Ending::file);
}
