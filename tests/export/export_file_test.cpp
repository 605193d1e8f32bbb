// Tests of the file of an export: complete or absent, and what is refused.
#include "export_file.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "export_process.hpp"
#include "export_refusal.hpp"
#include "watched_calls.hpp"

namespace export_test { namespace export_file_test {

using noun_export::Checkpoint;
using noun_export::ExportFile;
using noun_export::Found;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string job = "\"tasks\"";
constexpr auto already_exists =
    "usage: @/a.jsonl already exists, and @/a.jsonl.part is kept; move @/a.jsonl, or replace it with --force, and "
    "continue with --resume";

class ExportFileTest : public ::testing::Test {
 protected:
  /// Leaves two committed lines, and one that is not committed.
  void leave_a_part() {
    auto file = ExportFile::begin(file_, job, true);
    file.write("1");
    file.write("22");
    file.commit({.items = 2, .pages = 1, .bookmark = "b"});
    file.write("333");
    file.flush();
  }
  /// Leaves the journal as a crash between the last steps does.
  void leave_the_journal(const Checkpoint& last) {
    put(journal_, noun_export::first_line("\"of the previous export\"") + line_of(last));
  }
  static void put(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  }
  /// The message of the error, with @ in place of the folder.
  template <class Work>
  std::string refusal(Work work) const {
    auto text = refusal_of(work);
    const auto path = folder_.path.string();
    for (auto at = text.find(path); at != std::string::npos; at = text.find(path)) text.replace(at, path.size(), "@");
    return text;
  }
  std::string refusal_to_begin(bool replace = false) const {
    return refusal([&] { ExportFile::begin(file_, job, replace); });
  }
  std::string refusal_to_resume(const std::string& with = job) const {
    return refusal([&] { ExportFile::resume(file_, with, false); });
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  Folder folder_;
  std::filesystem::path file_ = folder_ / "a.jsonl";
  std::filesystem::path part_ = folder_ / "a.jsonl.part";
  std::filesystem::path journal_ = folder_ / "a.jsonl.journal";
};

TEST_F(ExportFileTest, appears_when_it_is_finished) {
  EXPECT_EQ(ExportFile::look(file_), Found::nothing);
  {
    auto file = ExportFile::begin(file_, job, false);
    EXPECT_EQ(file.start(), Checkpoint());
    file.write("1");
    file.write("22");
    EXPECT_EQ(file.bytes(), 5);
    EXPECT_EQ(text_of(part_), "");
    EXPECT_EQ(file.flush(), part_);
    EXPECT_EQ(text_of(part_), "1\n22\n");
    EXPECT_EQ(ExportFile::look(file_), Found::part);
    EXPECT_THAT(names(), ElementsAre("a.jsonl.journal", "a.jsonl.part"));
    file.write("3");
    file.finish({.items = 3});
  }
  EXPECT_EQ(text_of(file_), "1\n22\n3\n");
  EXPECT_THAT(names(), ElementsAre("a.jsonl"));
  EXPECT_EQ(ExportFile::look(file_), Found::whole);
}

TEST_F(ExportFileTest, resumes_after_the_last_checkpoint) {
  leave_a_part();
  {
    auto resumed = ExportFile::resume(file_, job, true);
    EXPECT_EQ(resumed.start(), (Checkpoint{5, 2, 1, "b", false}));
    EXPECT_EQ(text_of(part_), "1\n22\n");
    EXPECT_EQ(text_of(journal_), noun_export::first_line(job) + line_of(resumed.start()));
    resumed.write("4");
    EXPECT_EQ(resumed.bytes(), 7);
  }
  auto again = ExportFile::resume(file_, job, true);
  again.write("5");
  again.finish({.items = 3});
  EXPECT_EQ(text_of(file_), "1\n22\n5\n");
}

TEST_F(ExportFileTest, resumes_from_the_start_without_a_checkpoint) {
  { ExportFile::begin(file_, job, false).write("1"); }
  EXPECT_EQ(ExportFile::resume(file_, job, true).start(), Checkpoint());
  std::filesystem::remove(part_);
  EXPECT_EQ(ExportFile::look(file_), Found::part);
  EXPECT_EQ(ExportFile::resume(file_, job, true).start(), Checkpoint());
  std::filesystem::remove(part_);
  EXPECT_EQ(ExportFile::begin(file_, job, false).start(), Checkpoint());
}

TEST_F(ExportFileTest, makes_the_data_durable_before_the_journal) {
  const WatchedCalls watched({});
  auto file = ExportFile::begin(file_, job, false);
  const std::string folder = folder_.path.filename().string();
  const auto calls_since = [&](std::size_t from) {
    const auto& calls = WatchedCalls::calls();
    return std::vector(calls.begin() + static_cast<std::ptrdiff_t>(from), calls.end());
  };
  EXPECT_THAT(calls_since(0), ElementsAre("open a.jsonl.part", "ftruncate a.jsonl.part", "open a.jsonl.journal.new",
                                          "write a.jsonl.journal.new", "fdatasync a.jsonl.journal.new",
                                          "rename a.jsonl.journal", "fsync " + folder));
  auto from = WatchedCalls::calls().size();
  file.write("1");
  file.commit({.items = 1});
  EXPECT_THAT(calls_since(from), ElementsAre("write a.jsonl.part", "fdatasync a.jsonl.part", "write a.jsonl.journal",
                                             "fdatasync a.jsonl.journal"));
  from = WatchedCalls::calls().size();
  file.commit({.items = 1});
  EXPECT_THAT(calls_since(from), IsEmpty());
  file.finish({.items = 1});
  EXPECT_THAT(calls_since(from),
              ElementsAre("fdatasync a.jsonl.part", "write a.jsonl.journal", "fdatasync a.jsonl.journal",
                          "renameat2 a.jsonl", "fsync " + folder, "unlink a.jsonl.journal", "fsync " + folder));
}

TEST_F(ExportFileTest, uses_little_memory) {
  const WatchedCalls watched({});
  auto file = ExportFile::begin(file_, job, false);
  const auto before = WatchedCalls::calls().size();
  for (int i = 0; i < 1024; ++i) file.write(std::string(1023, 'x'));
  EXPECT_EQ(std::filesystem::file_size(part_), 1024 * 1024);
  EXPECT_EQ(WatchedCalls::calls().size(), before + 4);
}

TEST_F(ExportFileTest, may_be_empty_and_has_the_permissions_of_the_umask) {
  const auto mask = ::umask(027);
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path);
  ExportFile::begin("b.jsonl", job, false).finish({});
  std::filesystem::current_path(here);
  ::umask(mask);
  EXPECT_THAT(names(), ElementsAre("b.jsonl"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "b.jsonl"), 0U);
  EXPECT_EQ(std::filesystem::status(folder_ / "b.jsonl").permissions(), std::filesystem::perms(0640));
}

TEST_F(ExportFileTest, is_replaced_only_with_force_and_at_the_end) {
  put(file_, "old\n");
  EXPECT_EQ(refusal_to_begin(), "usage: @/a.jsonl already exists; use another name, or replace it with --force");
  EXPECT_THAT(names(), ElementsAre("a.jsonl"));
  leave_a_part();
  EXPECT_EQ(text_of(file_), "old\n");
  EXPECT_EQ(ExportFile::look(file_), Found::part);
  EXPECT_EQ(refusal_to_resume(), already_exists);
  ExportFile::resume(file_, job, true).finish({.items = 2});
  EXPECT_EQ(text_of(file_), "1\n22\n");
}

TEST_F(ExportFileTest, does_not_replace_a_file_created_meanwhile) {
  // EINVAL is the error of a file system without this kind of rename.
  for (const int error : {0, EINVAL}) {
    {
      auto file = ExportFile::begin(file_, job, false);
      file.write("1");
      file.commit({.items = 1});
      put(file_, "new\n");
      const WatchedCalls watched({.fail_at = error == 0 ? 0U : 4U, .error = error});
      EXPECT_EQ(refusal([&] { file.finish({.items = 1}); }), already_exists);
      EXPECT_THAT(WatchedCalls::calls(), Contains("renameat2 a.jsonl"));
      EXPECT_THAT(WatchedCalls::calls(), Not(Contains("rename a.jsonl")));
    }
    EXPECT_EQ(text_of(file_), "new\n");
    std::filesystem::remove(file_);
    { EXPECT_EQ(ExportFile::resume(file_, job, false).start(), (Checkpoint{2, 1, 0, "", true})); }
    const WatchedCalls watched({.fail_at = error == 0 ? 0U : 8U, .error = error});
    ExportFile::resume(file_, job, false).finish({.items = 1});
    EXPECT_THAT(WatchedCalls::calls(), Contains("rename a.jsonl").Times(error == 0 ? 0 : 1));
    EXPECT_EQ(text_of(file_), "1\n");
    EXPECT_THAT(names(), ElementsAre("a.jsonl"));
    std::filesystem::remove(file_);
  }
}

TEST_F(ExportFileTest, removes_only_its_own_journal) {
  auto file = ExportFile::begin(file_, job, false);
  // Another process started after FILE.part was renamed to FILE.
  put(folder_ / "other", "of another");
  std::filesystem::rename(folder_ / "other", journal_);
  file.finish({});
  EXPECT_EQ(text_of(journal_), "of another");
}

TEST_F(ExportFileTest, is_discarded_with_its_part_and_journal) {
  ExportFile::begin(file_, job, false).discard();
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(ExportFileTest, is_not_started_over_a_part_and_resumed_only_by_the_same_job) {
  leave_a_part();
  EXPECT_EQ(refusal_to_begin(true),
            "usage: @/a.jsonl.part is an incomplete export; continue with --resume, or remove it and "
            "@/a.jsonl.journal to start again");
  EXPECT_EQ(refusal_to_resume("\"users\""),
            "usage: @/a.jsonl.part belongs to another export; resume with the arguments in @/a.jsonl.journal, or "
            "remove both to start again");
  EXPECT_EQ(text_of(part_), "1\n22\n333\n");
  EXPECT_EQ(refusal_to_resume(), "none");
}

TEST_F(ExportFileTest, is_not_resumed_without_a_part) {
  EXPECT_EQ(refusal_to_resume(), "usage: there is nothing to resume: @/a.jsonl.part does not exist");
  put(file_, "old\n");
  EXPECT_EQ(refusal_to_resume(), "usage: there is nothing to resume: @/a.jsonl.part does not exist");
  EXPECT_THAT(names(), ElementsAre("a.jsonl"));
}

TEST_F(ExportFileTest, reports_missing_data) {
  leave_a_part();
  put(part_, "1\n");
  const auto* shorter =
      "usage: data is lost: @/a.jsonl.journal has a checkpoint at 5 bytes of @/a.jsonl.part, which has 2; remove both "
      "to start again";
  EXPECT_EQ(refusal_to_resume(), shorter);
  EXPECT_EQ(refusal_to_begin(), shorter);
  std::filesystem::remove(part_);
  put(file_, "12345");
  const auto* missing =
      "usage: data is lost: @/a.jsonl.journal has a checkpoint at 5 bytes of @/a.jsonl.part, which does not exist; "
      "remove @/a.jsonl.journal to start again";
  EXPECT_EQ(ExportFile::look(file_), Found::part);
  EXPECT_EQ(refusal_to_resume(), missing);
  EXPECT_EQ(refusal_to_begin(true), missing);
  EXPECT_THAT(names(), ElementsAre("a.jsonl", "a.jsonl.journal"));
}

TEST_F(ExportFileTest, reports_a_missing_journal) {
  leave_a_part();
  const auto* gone =
      "usage: @/a.jsonl.part has data, but its checkpoints in @/a.jsonl.journal are missing, damaged or sealed with "
      "another key; resume with the same --bookmark-key-env, or remove @/a.jsonl.part to start again";
  for (const bool is_there : {true, false}) {
    if (is_there) put(journal_, "{}\n");
    if (!is_there) std::filesystem::remove(journal_);
    EXPECT_EQ(ExportFile::look(file_), Found::part);
    EXPECT_EQ(refusal_to_resume(), gone);
    EXPECT_EQ(refusal_to_begin(), gone);
    EXPECT_EQ(text_of(part_), "1\n22\n333\n");
  }
}

TEST_F(ExportFileTest, is_complete_next_to_its_journal) {
  put(file_, "12345");
  leave_the_journal({.bytes = 5, .items = 1, .complete = true});
  EXPECT_EQ(ExportFile::look(file_), Found::whole);
  EXPECT_THAT(refusal_to_resume(), HasSubstr("nothing to resume"));
  EXPECT_THAT(refusal_to_begin(), HasSubstr("already exists"));
  EXPECT_EQ(text_of(file_), "12345");
  // The next export was killed before it wrote its journal.
  put(part_, "");
  EXPECT_EQ(ExportFile::look(file_), Found::part);
  { EXPECT_EQ(ExportFile::resume(file_, job, true).start(), Checkpoint()); }
  leave_the_journal({.bytes = 5, .items = 1, .complete = true});
  auto next = ExportFile::begin(file_, job, true);
  next.write("6");
  next.finish({.items = 1});
  EXPECT_EQ(text_of(file_), "6\n");
  EXPECT_THAT(names(), ElementsAre("a.jsonl"));
}

TEST_F(ExportFileTest, is_not_complete_next_to_the_journal_of_another_export) {
  put(file_, "1234");
  leave_the_journal({.bytes = 5, .items = 1, .complete = true});
  EXPECT_EQ(ExportFile::look(file_), Found::part);
  EXPECT_THAT(refusal_to_begin(true), HasSubstr("data is lost"));
}

TEST_F(ExportFileTest, is_written_by_one_process) {
  int ready[2] = {};
  ASSERT_EQ(::pipe(ready), 0);
  const auto child = ::fork();
  if (child == 0) {
    auto file = ExportFile::begin(file_, job, false);
    file.write("1");
    file.commit({.items = 1});
    file.write("2");
    file.flush();
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  for (const auto& expected : {refusal_to_begin(true), refusal_to_resume()})
    EXPECT_EQ(expected, "usage: another process is writing @/a.jsonl.part; wait for it, or stop it");
  EXPECT_EQ(text_of(part_), "1\n2\n");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(refusal_to_resume(), "none");
  EXPECT_EQ(text_of(part_), "1\n");
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(ExportFileTest, is_a_regular_file) {
  std::filesystem::create_directory(folder_ / "folder");
  std::filesystem::create_symlink(file_, folder_ / "link");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const std::string instead = "; name a regular file, or omit --out for standard output";
  const std::pair<std::filesystem::path, std::string> cases[] = {
      {folder_ / "folder", "usage: @/folder is a folder; name a file in it"},
      {folder_ / "new/", "usage: @/new/ is a folder; name a file in it"},
      {folder_ / ".", "usage: @/. is a folder; name a file in it"},
      {folder_ / "link", "usage: @/link is a symbolic link" + instead},
      {folder_ / "pipe", "usage: @/pipe is a device or a pipe" + instead},
      {"/dev/null", "usage: /dev/null is a device or a pipe" + instead},
      {"/dev/stdout", "usage: /dev/stdout is a symbolic link" + instead},
  };
  for (const auto& [file, expected] : cases) {
    EXPECT_EQ(refusal([&] { ExportFile::begin(file, job, true); }), expected);
    EXPECT_EQ(refusal([&] { ExportFile::look(file); }), expected);
    EXPECT_EQ(refusal([&] { ExportFile::resume(file, job, true); }), expected);
  }
}

TEST_F(ExportFileTest, needs_a_writable_folder) {
  put(folder_ / "file", "");
  const auto begin = [&](const std::string& name) {
    return refusal([&] { ExportFile::begin(folder_ / name, job, false); });
  };
  const std::string elsewhere = "create the folder, or use another one";
  EXPECT_EQ(begin("none/a"), "cannot write @/none/a.part: No such file or directory; " + elsewhere);
  EXPECT_EQ(begin("file/a"), "cannot look at @/file/a: Not a directory; " + elsewhere);
  EXPECT_THAT(begin(std::string(252, 'x')), HasSubstr(".part: File name too long; use a shorter name"));
  const WatchedCalls watched({.fail_at = 1, .error = EACCES});
  EXPECT_EQ(begin("a.jsonl"),
            "cannot write @/a.jsonl.part: Permission denied; fix the permissions, or use another folder");
}

TEST_F(ExportFileTest, leaves_nothing_if_it_cannot_start) {
  {
    const WatchedCalls watched({.fail_at = 4, .error = ENOSPC});
    EXPECT_EQ(refusal_to_begin(),
              "cannot write @/a.jsonl.journal.new: No space left on device; committed items are safe; free some space "
              "and continue with --resume");
    EXPECT_THAT(names(), IsEmpty());
  }
  const WatchedCalls watched({.fail_at = 7, .error = ENOSPC});
  EXPECT_THAT(refusal_to_begin(), HasSubstr("cannot write the folder"));
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace export_file_test
}  // namespace export_test
