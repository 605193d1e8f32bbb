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

Records::Records(const Arguments& arguments) : stats_(arguments.stats) {
  const auto add = [&](const char* option, const std::filesystem::path& file,
                       std::optional<recorder::ReportFormat> format) {
    if (file.empty()) return;
    const auto is_ours = [&](const std::string& text) {
      return format ? recorder::is_report(text) : text.starts_with("<svg");
    };
    const bool exists = existing(option, file, arguments, is_ours).is_open();
    pictures_.push_back({option, file, format, exists || arguments.replace});
  };
  add("--plot", arguments.plot, std::nullopt);
  add("--report", arguments.report, recorder::report_format(arguments.report));
  if (!stats_.empty()) {
    lines_ = statistics_of(arguments);
  } else if (!pictures_.empty()) {
    lines_ = DraftFile(pictures_.front().file, only_the_owner).take();
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
                                stats_.empty() ? fmt::format("the temporary file for {}", pictures_.front().option)
                                               : stats_.string()),
                    false);
  for (const auto& picture : pictures_) draw(picture);
}

void Records::draw(const Picture& picture) const {
  DescriptorBuffer buffer(lines_, stats_.empty() ? picture.file : stats_);
  std::istream lines(&buffer);
  lines.exceptions(std::ios::badbit);
  const auto text =
      picture.format ? recorder::report_of(lines, *picture.format) : recorder::draw_run(recorder::read_steps(lines));
  DraftFile draft(picture.file, all_but_the_umask);
  write_all(draft.data(), text, picture.file);
  if (!draft.rename(picture.replaces)) refuse_existing(picture.option, picture.file);
}

}  // namespace noun_export
