// Tests of exports in a folder where another user creates files.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/export_bench.hpp"
#include "export/export_process.hpp"
#include "export/export_refusal.hpp"
#include "export/offset_server.hpp"
#include "export_file.hpp"

namespace export_test { namespace export_shared_folder_test {

using noun_export::Checkpoint;
using noun_export::ExportFile;
using noun_export::JournalSeal;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string job = "\"tasks\"";

/// What another user can put in place of a file, and the words about it.
struct Plant {
  std::string words;
  /// Moves the file `at` to `victim`, and puts something in its place.
  std::function<void(const std::filesystem::path& at, const std::filesystem::path& victim)> put;
};

std::vector<Plant> plants() {
  using Path = std::filesystem::path;
  const auto move = [](const Path& at, const Path& victim) {
    if (exists(at))
      rename(at, victim);
    else
      std::ofstream(victim) << "precious";
  };
  std::vector<Plant> all;
  const auto add = [&](const std::string& words, const auto& put) {
    all.push_back({words, [=](const Path& at, const Path& victim) {
                     move(at, victim);
                     put(at, victim);
                   }});
  };
  add("is a symbolic link", [](const Path& at, const Path& victim) { create_symlink(victim, at); });
  add("is a file with 2 names (hard links)", [](const Path& at, const Path& victim) { create_hard_link(victim, at); });
  add("is a device or a pipe", [](const Path& at, const Path&) { ASSERT_EQ(::mkfifo(at.c_str(), 0666), 0); });
  add("is a folder", [](const Path& at, const Path&) { create_directory(at); });
  // Only the superuser can give a file away.
  if (::geteuid() == 0)
    add("is a file of another user (uid 12345)", [](const Path& at, const Path& victim) {
      copy_file(victim, at);
      ASSERT_EQ(::chown(at.c_str(), 12345, 12345), 0);
    });
  return all;
}

struct ExportSharedFolder : Bench {
  /// Leaves two lines of the collection in l.jsonl.part, and the journal.
  static void leave_a_part(OffsetServer& server, Bench& bench) {
    server.refuse_from(2, "400 Bad Request");
    EXPECT_EQ(bench.run(server.words()), 65) << bench.err;
    server.refuse_nothing();
  }
  void start_again() {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path)) remove_all(entry.path());
  }
};

TEST_F(ExportSharedFolder, a_part_and_a_journal_of_somebody_else_are_not_continued) {
  OffsetServer server({"1", "2", "3"});
  for (const auto& [words, put] : plants())
    for (const std::string ending : {".part", ".journal", ".journal.new"}) {
      SCOPED_TRACE(ending + " " + words);
      start_again();
      leave_a_part(server, *this);
      put(folder / ("l.jsonl" + ending), folder / "victim");
      const auto before = text_of(folder / "victim");
      const auto requests = server.requests();
      EXPECT_EQ(run(server.words({"--resume"})), 64);
      EXPECT_THAT(err, AllOf(HasSubstr("l.jsonl" + ending + ' ' + words),
                             HasSubstr("; move it, or use another name or a folder that only you can write to")));
      EXPECT_EQ(server.requests(), requests);
      EXPECT_EQ(text_of(folder / "victim"), before);
      EXPECT_NE(symlink_status(folder / ("l.jsonl" + ending)).type(), std::filesystem::file_type::not_found);
      EXPECT_FALSE(has("l.jsonl"));
    }
}

TEST_F(ExportSharedFolder, nothing_is_written_to_a_planted_part_or_journal) {
  for (const auto& [words, put] : plants())
    for (const std::string ending : {".part", ".journal", ".journal.new"}) {
      SCOPED_TRACE(ending + " " + words);
      start_again();
      put(folder / ("a" + ending), folder / "victim");
      EXPECT_THAT(refusal_of([&] { ExportFile::begin(folder / "a", job, true); }),
                  AllOf(HasSubstr("usage: "), HasSubstr("a" + ending + ' ' + words)));
      EXPECT_EQ(text_of(folder / "victim"), "precious");
      EXPECT_NE(symlink_status(folder / ("a" + ending)).type(), std::filesystem::file_type::not_found);
    }
}

TEST_F(ExportSharedFolder, a_complete_file_of_another_user_is_not_accepted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only the superuser can give a file away";
  OffsetServer server({"1", "2"});
  put("l.jsonl", "1\n");
  EXPECT_EQ(::chown((folder / "l.jsonl").c_str(), 12345, 12345), 0);
  for (const auto& more : {std::vector<std::string>{"--resume"}, {"--resume", "--verify"}}) {
    EXPECT_EQ(run(server.words(more)), 64);
    EXPECT_THAT(err, HasSubstr("l.jsonl is a file of another user (uid 12345)"));
  }
  EXPECT_EQ(run(server.words({"--force"})), 0) << err;
}

TEST_F(ExportSharedFolder, only_the_owner_can_read_the_journal) {
  const auto mask = ::umask(0);
  const auto file = ExportFile::begin(folder / "a", job, false);
  ::umask(mask);
  EXPECT_EQ(std::filesystem::status(folder / "a.journal").permissions(), std::filesystem::perms(0600));
  EXPECT_EQ(std::filesystem::status(folder / "a.part").permissions(), std::filesystem::perms(0666));
}

TEST_F(ExportSharedFolder, a_replaced_part_does_not_become_the_file) {
  auto file = ExportFile::begin(folder / "a", job, false);
  file.write("1");
  file.flush();
  put("other", "2\n");
  std::filesystem::rename(folder / "other", folder / "a.part");
  EXPECT_THAT(refusal_of([&] { file.finish({.items = 1}); }), HasSubstr("another program replaced "));
  EXPECT_FALSE(has("a"));
}

TEST_F(ExportSharedFolder, a_huge_journal_is_not_read) {
  {
    auto file = ExportFile::begin(folder / "a", job, false);
    file.write("1");
    file.commit({.items = 1, .pages = 1, .bookmark = "b"});
  }
  std::filesystem::resize_file(folder / "a.journal", std::uintmax_t{1} << 40);
  EXPECT_THAT(refusal_of([&] { ExportFile::resume(folder / "a", job, false); }),
              HasSubstr("a.journal is larger than 16 MiB, so another program changed it; remove it to start again"));
}

TEST_F(ExportSharedFolder, the_journal_never_becomes_too_large_to_be_read) {
  const std::string bookmark(6 * 1024 * 1024, 'b');
  {
    auto file = ExportFile::begin(folder / "a", job, false);
    for (std::uint64_t page = 1; page <= 7; ++page) {
      file.write("1");
      file.commit({.items = page, .pages = page, .bookmark = bookmark});
      EXPECT_LE(std::filesystem::file_size(folder / "a.journal"), 16 * 1024 * 1024);
    }
    EXPECT_THAT(refusal_of([&] { file.commit({.items = 8, .bookmark = bookmark + bookmark + bookmark}); }),
                HasSubstr("needs more than 16 MiB; use a smaller --page-size"));
  }
  auto resumed = ExportFile::resume(folder / "a", job, false);
  EXPECT_EQ(resumed.start(), (Checkpoint{14, 7, 7, bookmark}));
  resumed.finish({.items = 7});
  EXPECT_FALSE(has("a.journal"));
}

TEST_F(ExportSharedFolder, a_journal_is_continued_only_with_its_key) {
  OffsetServer server({"1", "2", "3"});
  const auto with_key = [&](const std::string& key, std::vector<std::string> more) {
    more.insert(more.end(), {"--bookmark-key-env", "NOUN_TEST_KEY"});
    return run(server.words(more), {{"NOUN_TEST_KEY", key}});
  };
  const std::string key = "a key of 32 bytes, for this test";
  EXPECT_EQ(with_key("", {}), 64);
  EXPECT_THAT(err, HasSubstr("the environment variable NOUN_TEST_KEY (--bookmark-key-env) is not set"));
  server.refuse_from(2, "400 Bad Request");
  EXPECT_EQ(with_key(key, {}), 65) << err;
  server.refuse_nothing();
  EXPECT_THAT(text_of(folder / "l.jsonl.journal"), AllOf(HasSubstr("\"hmac\":\""), Not(HasSubstr("crc32"))));
  const auto requests = server.requests();
  EXPECT_EQ(run(server.words({"--resume"})), 64);
  EXPECT_THAT(err, HasSubstr("sealed with another key; resume with the same --bookmark-key-env, or remove"));
  EXPECT_EQ(with_key("another key of 32 bytes, for now", {"--resume"}), 64);
  EXPECT_EQ(server.requests(), requests);
  EXPECT_EQ(with_key(key, {"--resume"}), 0) << err;
  EXPECT_THAT(lines_of(folder / "l.jsonl"), ElementsAre("1", "2", "3"));
}

TEST_F(ExportSharedFolder, a_journal_without_a_seal_is_not_accepted_with_a_key) {
  const JournalSeal seal("key");
  {
    auto file = ExportFile::begin(folder / "a", job, false);
    file.write("1");
    file.commit({.items = 1, .bookmark = "planted"});
  }
  EXPECT_THAT(refusal_of([&] { ExportFile::resume(folder / "a", job, false, seal); }),
              HasSubstr("sealed with another key"));
}

TEST_F(ExportSharedFolder, statistics_and_pictures_are_not_written_through_a_link) {
  OffsetServer server({"1", "2"});
  for (const auto& [words, put] : plants())
    for (const std::string option : {"--stats", "--plot", "--report"}) {
      SCOPED_TRACE(option + " " + words);
      start_again();
      put(folder / "run.html", folder / "victim");
      const auto before = text_of(folder / "victim");
      EXPECT_EQ(run(server.words({option, "run.html"})), 64);
      EXPECT_THAT(err, AllOf(HasSubstr("run.html "), HasSubstr(words)));
      const auto status = run(server.words({option, "run.html", "--force"}));
      EXPECT_EQ(text_of(folder / "victim"), before);
      if (status == 0)
        EXPECT_NE(text_of(folder / "run.html"), before);
      else
        EXPECT_EQ(status, 64) << err;
    }
}

TEST_F(ExportSharedFolder, a_picture_that_appears_during_the_run_is_replaced_only_with_force) {
  for (const std::string more : {"--quiet", "--force"}) {
    start_again();
    OffsetServer server({"1", "2", "3"});
    server.hold_from(2);
    Process process(folder.path, server.words({"--plot", "run.svg", more}));
    server.held().wait();
    put("run.svg", "precious");
    server.gate().open();
    EXPECT_EQ(process.wait(), more == "--force" ? 0 : 64) << process.err();
    EXPECT_EQ(text_of(folder / "run.svg") == "precious", more != "--force");
    if (more != "--force")
      EXPECT_THAT(process.err(), HasSubstr("run.svg already exists (--plot); use another name, or replace it with"));
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path)) names.push_back(entry.path().filename());
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("stdout", "stderr", "l.jsonl", "run.svg"));
  }
}

TEST_F(ExportSharedFolder, names_of_files_do_not_control_the_terminal) {
  OffsetServer server({"1", "2", "3"});
  const std::string name = "\x1b[2J\u009b1m\x07";
  const auto controls = [](const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return (c < ' ' && c != '\n') || c == 0x7f; }) ||
           text.find("\u009b") != std::string::npos;
  };
  const std::vector<std::vector<std::string>> cases = {{"--dry-run"},
                                                       {},
                                                       {"--resume"},
                                                       {},
                                                       {"--force", "--stats", name + "/s"},
                                                       {"--token-file", name + "t"},
                                                       {"--dry-run", "--token-file", name}};
  for (const auto& more : cases) {
    auto words = server.words(more);
    std::replace(words.begin(), words.end(), std::string("l.jsonl"), name);
    run(words);
    EXPECT_FALSE(controls(out + err)) << ::testing::PrintToString(out + err);
    EXPECT_NE(out + err, "");
  }
  EXPECT_TRUE(has(name));
}

}  // namespace export_shared_folder_test
}  // namespace export_test
