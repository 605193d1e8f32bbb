#include "export_output.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include "export_environment.hpp"
#include "progress_view.hpp"

namespace noun_export {
namespace {

using progress::grouped;

class FileOutput final : public Output {
 public:
  FileOutput(const std::filesystem::path& file, ExportFile written) : file_(file), written_(std::move(written)) {}

  Checkpoint start() const override { return written_.start(); }
  void write(std::string_view line) override { written_.write(line); }
  void commit(const Checkpoint& checkpoint) override { written_.commit(checkpoint); }
  void finish(const Checkpoint& checkpoint) override { written_.finish(checkpoint); }
  void discard() override { written_.discard(); }
  std::optional<std::filesystem::path> readable() override { return written_.flush(); }
  std::string place() const override { return "in " + file_.string(); }
  std::string kept() const override { return fmt::format("in {}.part; continue with --resume", file_.string()); }
  std::string kept_to_no_end() const override {
    return fmt::format("in {}.part, but --resume cannot continue after them; {}", file_.string(), way_to_begin_anew());
  }
  std::string kept_to_look_at() const override {
    return fmt::format("in {}.part; check it: --resume without --verify accepts it, and {}", file_.string(),
                       way_to_begin_anew());
  }

 private:
  std::string way_to_begin_anew() const {
    return fmt::format("to export again, remove {0}.part and {0}.journal", file_.string());
  }

  std::filesystem::path file_;
  ExportFile written_;
};

/// A closed pipe ends the program with SIGPIPE, as usual, without a message.
void check_standard_output(bool written) {
  if (written) return;
  if (errno == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  throw FileError(fmt::format("cannot write to standard output: {}", std::generic_category().message(errno)), false);
}

class StandardOutput final : public Output {
 public:
  void write(std::string_view line) override {
    check_standard_output(std::fwrite(line.data(), 1, line.size(), stdout) == line.size() &&
                          std::fputc('\n', stdout) != EOF);
  }
  void commit(const Checkpoint&) override { check_standard_output(std::fflush(stdout) == 0); }
  bool is_terminal() const override { return is_terminal_; }
  void finish(const Checkpoint& checkpoint) override { commit(checkpoint); }
  std::string place() const override { return "on standard output"; }
  std::string kept() const override { return "on standard output, which cannot be resumed; --out FILE can"; }

 private:
  const bool is_terminal_ = ::isatty(STDOUT_FILENO) == 1;
};

}  // namespace

void print_out(std::string_view text) {
  check_standard_output(std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0);
}

std::unique_ptr<Output> open_output(const Arguments& arguments) {
  const auto& file = arguments.out;
  if (file.empty()) return std::make_unique<StandardOutput>();
  const JournalSeal seal(bookmark_key_of(arguments));
  const auto found = arguments.resume ? ExportFile::look(file, seal) : Found::nothing;
  if (found == Found::whole && !arguments.replace) return nullptr;
  const auto job = job_of(arguments);
  auto written = found == Found::part ? ExportFile::resume(file, job, arguments.replace, seal)
                                      : ExportFile::begin(file, job, arguments.replace, seal);
  if (const auto items = written.start().items; arguments.max_items && *arguments.max_items < items)
    throw FileError(fmt::format("{0}.part already has {1} items, more than --max-items {2}; raise --max-items to at "
                                "least {1}, or omit it",
                                file.string(), grouped(items), grouped(*arguments.max_items)),
                    true);
  return std::make_unique<FileOutput>(file, std::move(written));
}

}  // namespace noun_export
