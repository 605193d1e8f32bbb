// Tests of an export that is killed, or whose disk fails, at each call that changes a file.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cerrno>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "export_file.hpp"
#include "export_process.hpp"
#include "export_refusal.hpp"
#include "watched_calls.hpp"

namespace export_test { namespace export_crash_test {

using noun_export::Checkpoint;
using noun_export::ExportFile;
using noun_export::FileError;
using noun_export::Found;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t all_items = 5;
const std::string job = R"({"path":"/tasks"})";

std::string line(std::uint64_t item) { return fmt::format(R"({{"id":{}}})", item); }

std::string lines() {
  std::string text;
  for (std::uint64_t item = 1; item <= all_items; ++item) text += line(item) + "\n";
  return text;
}

/// Writes the remaining items, two on a page.
void write_rest(ExportFile file, std::uint64_t& committed) {
  ASSERT_GE(file.start().items, committed);
  Checkpoint at = file.start();
  while (at.items < all_items) {
    file.write(line(++at.items));
    if (at.items % 2 != 0) continue;
    at.bookmark = fmt::format("page {}", ++at.pages);
    file.commit(at);
    committed = at.items;
  }
  file.finish(at);
  committed = all_items;
}

void begin(const std::filesystem::path& file, std::uint64_t& committed) {
  write_rest(ExportFile::begin(file, job, exists(file)), committed);
}

void continue_export(const std::filesystem::path& file, std::uint64_t& committed) {
  const auto found = ExportFile::look(file);
  if (found == Found::nothing) begin(file, committed);
  if (found == Found::part) write_rest(ExportFile::resume(file, job, exists(file)), committed);
}

/// Whether `work` ended before the call `watch.end_at`.
template <class Work>
bool ends_before_watch(const Watch& watch, Work work) {
  const WatchedCalls watched(watch);
  try {
    work();
  } catch (const FileError& error) {
    EXPECT_TRUE(WatchedCalls::has_ended()) << error.what();
  }
  return !WatchedCalls::has_ended();
}

/// The file before the run, and how the run ends.
struct Crash {
  std::string name;
  std::optional<std::string> file;
  Watch watch;
};

class ExportCrash : public ::testing::TestWithParam<Crash> {
 protected:
  /// Runs an export in a new folder that ends at its `call`-th call; returns whether it ended before.
  bool begin_until(std::size_t call) {
    folder_.emplace();
    committed_ = 0;
    if (GetParam().file) std::ofstream(file()) << *GetParam().file;
    return ends_before_watch(watch(call), [&] { begin(file(), committed_); });
  }
  Watch watch(std::size_t call) const {
    auto watch = GetParam().watch;
    watch.end_at = call;
    return watch;
  }
  std::filesystem::path file() const { return *folder_ / "big.jsonl"; }
  void expect_correct_end() {
    const WatchedCalls no_waiting({});
    // Killed before its first change, it leaves only the old file.
    if (committed_ == 0 && ExportFile::look(file()) == Found::whole && text_of(file()) != lines())
      begin(file(), committed_);
    ASSERT_NO_THROW(continue_export(file(), committed_));
    EXPECT_EQ(text_of(file()), lines());
    EXPECT_EQ(ExportFile::look(file()), Found::whole);
    EXPECT_FALSE(exists(*folder_ / "big.jsonl.part"));
    EXPECT_FALSE(exists(*folder_ / "big.jsonl.journal.new"));
  }

  std::optional<Folder> folder_;
  std::uint64_t committed_ = 0;
};

TEST_P(ExportCrash, at_any_call_leaves_a_file_that_is_resumable_or_complete) {
  std::size_t call = 1;
  for (bool ended = false; !ended; ++call) {
    SCOPED_TRACE(call);
    ended = begin_until(call);
    // FILE is always complete: the old one or the new one.
    const auto text = text_of(file());
    EXPECT_TRUE(text == GetParam().file.value_or("") || text == lines()) << text;
    expect_correct_end();
    if (HasFailure()) return;
  }
  EXPECT_GT(call, 20);
}

TEST_P(ExportCrash, at_any_call_of_the_resumed_export) {
  std::size_t pairs = 0;
  for (std::size_t call = 1; !begin_until(call); ++call) {
    bool ended = false;
    for (std::size_t second = 1; !ended; ++second, ++pairs) {
      SCOPED_TRACE(fmt::format("{}, {}", call, second));
      if (second != 1) begin_until(call);
      ended = ends_before_watch(watch(second), [&] { continue_export(file(), committed_); });
      expect_correct_end();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(pairs, 100);
}

// A crash may leave the journal of a complete export. The next export starts from there.
TEST_P(ExportCrash, at_any_call_of_the_next_export) {
  for (std::size_t call = 1; !begin_until(call); ++call) {
    if (text_of(file()) != lines()) continue;
    bool ended = false;
    for (std::size_t second = 1; !ended; ++second) {
      SCOPED_TRACE(fmt::format("{}, {}", call, second));
      if (second != 1) begin_until(call);
      committed_ = 0;
      ended = ends_before_watch(watch(second), [&] { begin(file(), committed_); });
      expect_correct_end();
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, ExportCrash,
                         ::testing::Values(Crash{"new", {}, {}}, Crash{"replaced", "old\n", {}},
                                         Crash{"torn", "old\n", {.half = true}},
                                         Crash{"power_lost", {}, {.half = true, .power_lost = true}}),
                         [](const auto& crash) { return crash.param.name; });

class ExportFailure : public ::testing::TestWithParam<int> {};

TEST_P(ExportFailure, at_any_call_is_reported_and_the_export_is_resumable) {
  const auto words = std::generic_category().message(GetParam());
  bool ended = false;
  for (std::size_t call = 1; !ended; ++call) {
    SCOPED_TRACE(call);
    const Folder folder;
    std::uint64_t committed = 0;
    std::string refusal;
    {
      const WatchedCalls watched({.fail_at = call, .error = GetParam(), .most = 9});
      refusal = refusal_of([&] { begin(folder / "big.jsonl", committed); });
    }
    ended = refusal == "none";
    if (!ended) {
      EXPECT_THAT(refusal, AllOf(HasSubstr(folder.path.string()), HasSubstr(words)));
    }
    const WatchedCalls no_waiting({});
    ASSERT_NO_THROW(continue_export(folder / "big.jsonl", committed));
    EXPECT_EQ(text_of(folder / "big.jsonl"), lines());
  }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, ExportFailure, ::testing::Values(ENOSPC, EIO, EDQUOT, EROFS));

TEST(ExportFailure, is_thrown_again_until_the_end) {
  const Folder folder;
  auto file = ExportFile::begin(folder / "big.jsonl", job, false);
  file.write(line(1));
  std::string refusal;
  {
    const WatchedCalls watched({.fail_at = 2, .error = EIO});
    refusal = refusal_of([&] { file.commit({.items = 1}); });
    EXPECT_THAT(WatchedCalls::calls(), ElementsAre("write big.jsonl.part", "fdatasync big.jsonl.part"));
  }
  EXPECT_EQ(refusal_of([&] { file.commit({.items = 1}); }), refusal);
  EXPECT_EQ(refusal_of([&] { file.finish({.items = 1}); }), refusal);
  EXPECT_EQ(ExportFile::look(folder / "big.jsonl"), Found::part);
}

TEST(ExportFailure, reports_a_file_size_limit) {
  const Folder folder;
  std::uint64_t committed = 0;
  const auto child = ::fork();
  if (child == 0) {
    const rlimit limit = {500, 500};
    ::signal(SIGXFSZ, SIG_IGN);
    auto file = ExportFile::begin(folder / "b", "1", false);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    file.write(std::string(600, ' '));
    const auto refusal = refusal_of([&] { file.commit({.items = 1}); });
    ::_exit(refusal.ends_with("b.part: File too large; committed items are safe; raise the file size limit (ulimit "
                              "-f) and continue with --resume")
                ? 0
                : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  write_rest(ExportFile::resume(folder / "b", "1", false), committed);
  EXPECT_EQ(text_of(folder / "b"), lines());
}

TEST(ExportFailure, accepts_interrupted_and_short_writes) {
  const Folder folder;
  std::uint64_t committed = 0;
  const WatchedCalls watched({.most = 7, .interrupts = true});
  begin(folder / "big.jsonl", committed);
  EXPECT_EQ(text_of(folder / "big.jsonl"), lines());
}

}  // namespace export_crash_test
}  // namespace export_test
