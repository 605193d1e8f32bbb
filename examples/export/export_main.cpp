// noun-export: exports a paginated collection to a file of JSON Lines. See `noun-export --help`.
#include <csignal>

#include <fmt/format.h>

#include "argument_values.hpp"
#include "export_arguments.hpp"
#include "export_environment.hpp"
#include "export_file.hpp"
#include "export_job.hpp"
#include "export_output.hpp"
#include "export_signals.hpp"
#include "printable_text.hpp"
#include "standard_streams.hpp"

namespace {

using noun_export::Ending;

Ending run(const noun_export::Arguments& arguments) {
  // A full disk or a closed pipe is then an error that can be reported.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const noun_export::Signals signals;
  progress::Screen screen(progress::Screen::style_of(arguments.quiet));
  try {
    const auto ending = noun_export::run_export(arguments, screen, signals.stop());
    return ending == Ending::interrupted && signals.caught() == SIGTERM ? Ending::terminated : ending;
  } catch (const noun_export::Misuse& misuse) {
    screen.complain(misuse.what());
    return Ending::usage;
  } catch (const noun_export::FileError& error) {
    screen.stop();
    screen.complain(error.what());
    return error.is_usage() ? Ending::usage : Ending::file;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  progress::open_closed_streams();
  const auto parsed = noun_export::parse_arguments({argv + 1, argv + argc});
  if (parsed.status) {
    if (*parsed.status != 0) return progress::print_error(parsed.text), *parsed.status;
    noun_export::print_out(parsed.text);
    return 0;
  }
  noun_export::forget_environment(parsed.arguments);
  return static_cast<int>(run(parsed.arguments));
} catch (const std::exception& failure) {
  progress::print_error(fmt::format("noun-export: {}\n", progress::printable(failure.what())));
  return static_cast<int>(Ending::file);
}
