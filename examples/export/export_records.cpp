#include "export_records.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <run_log.hpp>
#include <run_picture.hpp>

#include "export_file.hpp"

namespace noun_export {
namespace {

std::string reason() { return std::generic_category().message(errno); }

/// Creates an empty temporary file next to `plot`.
std::filesystem::path file_beside(const std::filesystem::path& plot) {
  auto name = plot.string() + ".XXXXXX";
  const int made = ::mkstemp(name.data());
  if (made < 0)
    throw FileError(fmt::format("cannot write next to {}: {}; use another file for --plot", plot.string(), reason()),
                    false);
  ::close(made);
  return name;
}

std::string first_line_of(const std::filesystem::path& file) {
  constexpr std::size_t longest = 4096;
  std::string text(longest, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(longest));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text.substr(0, text.find('\n'));
}

/// Existing files are replaced only with --force, or with --resume if they are from such a run.
void check_free(const Arguments& arguments) {
  const auto refuse = [](const char* option, const std::filesystem::path& file) {
    throw FileError(
        fmt::format("{} already exists ({}); use another name, or replace it with --force", file.string(), option),
        true);
  };
  const auto is_taken = [&](const std::filesystem::path& file) {
    std::error_code ignored;
    return !file.empty() && !arguments.replace && std::filesystem::is_regular_file(file, ignored) &&
           std::filesystem::file_size(file, ignored) > 0;
  };
  if (is_taken(arguments.stats) && !(arguments.resume && recorder::start_of(first_line_of(arguments.stats))))
    refuse("--stats", arguments.stats);
  if (is_taken(arguments.plot) && !(arguments.resume && first_line_of(arguments.plot).starts_with("<svg")))
    refuse("--plot", arguments.plot);
}

}  // namespace

Records::Records(const Arguments& arguments) : plot_(arguments.plot), lines_(arguments.stats) {
  using Existing = recorder::RunRecorder::Existing;
  check_free(arguments);
  own_lines_ = lines_.empty() && !plot_.empty();
  if (own_lines_) lines_ = file_beside(plot_);
  if (lines_.empty()) return;
  try {
    recorder_.emplace(lines_, arguments.resume ? Existing::continued : Existing::replaced);
  } catch (const std::exception& failure) {
    throw FileError(fmt::format("{}; use another file for --stats", failure.what()), false);
  }
}

Records::~Records() {
  std::error_code ignored;
  if (own_lines_) std::filesystem::remove(lines_, ignored);
}

void Records::record(const noun::Event& event) {
  if (recorder_) recorder_->record(event);
}

void Records::finish() {
  if (recorder_ && !recorder_->complete())
    throw FileError(fmt::format("{} is incomplete; check whether the disk is full", lines_.string()), false);
  if (plot_.empty()) return;
  std::ifstream lines(lines_, std::ios::binary);
  std::ofstream picture(plot_, std::ios::binary);
  picture << recorder::draw_run(recorder::read_steps(lines)) << std::flush;
  if (!picture) throw FileError(fmt::format("cannot write {}: {}", plot_.string(), reason()), false);
}

}  // namespace noun_export
