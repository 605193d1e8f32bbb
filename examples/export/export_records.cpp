#include "export_records.hpp"

#include <array>
#include <cstdint>
#include <istream>
#include <stdexcept>
#include <streambuf>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <run_log.hpp>
#include <run_picture.hpp>

#include "draft_file.hpp"
#include "export_file.hpp"

namespace noun_export {
namespace {

[[noreturn]] void refuse_existing(const char* option, const std::filesystem::path& file) {
  throw FileError(
      fmt::format("{} already exists ({}); use another name, or replace it with --force", file.string(), option), true);
}

/// The first bytes of a file, which may have no line break.
std::string start_of_file(const Descriptor& from, const std::filesystem::path& file) {
  constexpr std::size_t longest = 4096;
  std::string text(longest, '\0');
  text.resize(read_some(from, 0, text.data(), longest, file));
  return text;
}

/// Opens an existing file that may be continued or replaced. Not open if there is none, or if --force replaces it.
/// @param is_ours  whether the file is from an earlier run, which --resume continues.
/// @throws FileError  if it must not.
template <class IsOurs>
Descriptor existing(const char* option, const std::filesystem::path& file, const Arguments& arguments, IsOurs is_ours) {
  const auto status = status_of(file);
  if (!status) return {};
  if (const auto kind = kind_of(*status); !kind.empty())
    throw FileError(fmt::format("{} is {} ({}); name a regular file", file.string(), kind, option), true);
  if (arguments.replace && !arguments.resume) return {};
  auto opened = open_own(file, O_RDWR | O_APPEND);
  if (!opened.is_open()) return {};
  const auto text = start_of_file(opened, file);
  if (text.empty() || (arguments.resume && is_ours(text))) return opened;
  if (!arguments.replace) refuse_existing(option, file);
  return {};
}

Descriptor statistics_of(const Arguments& arguments) {
  auto found = existing("--stats", arguments.stats, arguments, [](const std::string& text) {
    return recorder::start_of(text.substr(0, text.find('\n'))).has_value();
  });
  if (found.is_open()) return found;
  DraftFile draft(arguments.stats, all_but_the_umask);
  if (!draft.rename(arguments.replace)) refuse_existing("--stats", arguments.stats);
  return draft.take();
}

/// Reads an open file from its start.
class DescriptorBuffer final : public std::streambuf {
 public:
  DescriptorBuffer(const Descriptor& from, const std::filesystem::path& file) : from_(from), file_(file) {}

 private:
  int_type underflow() override {
    const auto size = read_some(from_, at_, buffer_.data(), buffer_.size(), file_);
    at_ += size;
    setg(buffer_.data(), buffer_.data(), buffer_.data() + size);
    return size == 0 ? traits_type::eof() : traits_type::to_int_type(buffer_.front());
  }

  const Descriptor& from_;
  const std::filesystem::path& file_;
  std::uint64_t at_ = 0;
  std::array<char, 64 * 1024> buffer_;
};

}  // namespace

Records::Records(const Arguments& arguments) : plot_(arguments.plot), stats_(arguments.stats) {
  if (!plot_.empty()) {
    const auto is_picture = [](const std::string& text) { return text.starts_with("<svg"); };
    replaces_plot_ = existing("--plot", plot_, arguments, is_picture).is_open() || arguments.replace;
  }
  if (!stats_.empty()) {
    lines_ = statistics_of(arguments);
  } else if (!plot_.empty()) {
    lines_ = DraftFile(plot_, only_the_owner).take();
  }
  try {
    if (lines_.is_open()) recorder_.emplace(lines_.number());
  } catch (const std::runtime_error& failure) {
    throw FileError(fmt::format("{}; use another file for --stats", failure.what()), false);
  }
}

void Records::record(const noun::Event& event) {
  if (recorder_) recorder_->record(event);
}

void Records::finish() {
  if (recorder_ && !recorder_->complete())
    throw FileError(fmt::format("{} is incomplete; check whether the disk is full",
                                stats_.empty() ? "the temporary file for --plot" : stats_.string()),
                    false);
  if (plot_.empty()) return;
  DescriptorBuffer buffer(lines_, stats_.empty() ? plot_ : stats_);
  std::istream lines(&buffer);
  lines.exceptions(std::ios::badbit);
  DraftFile draft(plot_, all_but_the_umask);
  write_all(draft.data(), recorder::draw_run(recorder::read_steps(lines)), plot_);
  if (!draft.rename(replaces_plot_)) refuse_existing("--plot", plot_);
}

}  // namespace noun_export
