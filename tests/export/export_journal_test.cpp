// Tests of reading intact and damaged journals.
#include "export_journal.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace export_test { namespace export_journal_test {

using noun_export::Checkpoint;
using noun_export::first_line;
using noun_export::JournalSeal;
using noun_export::line_of;
using noun_export::read_journal;

const std::string job = "{\"path\":\"/tasks\",\n\"é\":1}";
const std::vector<Checkpoint> checkpoints = {
    {100, 10, 1, "noun1.eyJ2IjoxfQ", false},
    {250, 20, 2, "", false},
    {std::numeric_limits<std::uint64_t>::max(), 30, 3, "\"\\\n", true, 30},
};

/// A journal with the first `count` checkpoints.
std::string text_of_first(std::size_t count) {
  std::string text = first_line(job);
  for (std::size_t i = 0; i < count; ++i) text += line_of(checkpoints[i]);
  return text;
}

/// Expects the complete lines before offset `at`.
void expect_complete_lines(const std::string& text, std::size_t at) {
  const auto journal = read_journal(text);
  std::size_t whole = 0;
  while (whole <= checkpoints.size() && text_of_first(whole).size() <= at) ++whole;
  EXPECT_EQ(journal.job, whole == 0 ? "" : job);
  EXPECT_EQ(journal.last, whole < 2 ? Checkpoint() : checkpoints[whole - 2]);
}

TEST(ExportJournal, is_read_back) {
  EXPECT_EQ(read_journal("").job, "");
  for (std::size_t count = 0; count <= checkpoints.size(); ++count) {
    const auto text = text_of_first(count);
    expect_complete_lines(text, text.size());
  }
}

TEST(ExportJournal, is_lines_of_json) {
  const auto text = text_of_first(1);
  ASSERT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  ASSERT_EQ(text.back(), '\n');
  const auto first = nlohmann::json::parse(text.substr(0, text.find('\n')));
  EXPECT_EQ(first["noun_export"], 1);
  EXPECT_EQ(first["job"], job);
  // The checksum is the CRC-32 of gzip.
  EXPECT_EQ(line_of({}),
            "{\"bytes\":0,\"items\":0,\"pages\":0,\"bookmark\":\"\",\"complete\":false,\"crc32\":\"a7c2bb33\"}\n");
}

TEST(ExportJournal, ends_where_it_was_truncated) {
  const auto text = text_of_first(checkpoints.size());
  for (std::size_t size = 0; size <= text.size(); ++size) {
    SCOPED_TRACE(size);
    expect_complete_lines(text.substr(0, size), size);
    expect_complete_lines(text.substr(0, size) + std::string(100, '\0'), size);
  }
}

TEST(ExportJournal, ends_where_a_byte_is_damaged) {
  const auto text = text_of_first(checkpoints.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    SCOPED_TRACE(at);
    for (int other = 0; other < 256; ++other) {
      auto damaged = text;
      damaged[at] = static_cast<char>(other);
      if (damaged != text) expect_complete_lines(damaged, at);
    }
  }
}

TEST(ExportJournal, ends_where_a_byte_is_missing_or_added) {
  const auto text = text_of_first(checkpoints.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    SCOPED_TRACE(at);
    auto damaged = text;
    expect_complete_lines(damaged.erase(at, 1), at);
    damaged = text;
    expect_complete_lines(damaged.insert(at, 1, 'x'), at);
  }
}

TEST(ExportJournal, with_a_key_is_valid_only_as_a_whole_journal_of_this_key_and_job) {
  const JournalSeal seal("key");
  const auto text = first_line(job, seal) + line_of(checkpoints[0], job, seal);
  EXPECT_EQ(read_journal(text, seal).job, job);
  EXPECT_EQ(read_journal(text, seal).last, checkpoints[0]);
  EXPECT_EQ(read_journal(text, JournalSeal("another")).job, "");
  EXPECT_EQ(read_journal(text).job, "");
  EXPECT_EQ(read_journal(text_of_first(1), seal).job, "");
  // Neither a checkpoint without a seal nor one of another job.
  EXPECT_EQ(read_journal(text + line_of(checkpoints[1]), seal).last, checkpoints[0]);
  EXPECT_EQ(read_journal(text + line_of(checkpoints[1], "another job", seal), seal).last, checkpoints[0]);
  EXPECT_EQ(read_journal(text + line_of(checkpoints[1], job, seal), seal).last, checkpoints[1]);
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto damaged = text;
    damaged[at] = damaged[at] == 'x' ? 'y' : 'x';
    EXPECT_EQ(read_journal(damaged, seal).last, Checkpoint()) << at;
  }
}

// The expected code is from `openssl dgst -sha256 -hmac key`.
TEST(ExportJournal, the_seal_is_an_hmac) {
  EXPECT_EQ(JournalSeal("key").sealed("{\"a\":1", "job"),
            "{\"a\":1,\"hmac\":\"8bed92b0ab984076d04620f601124d79eb2a155059b7e43addc4591cf7897085\"}\n");
}

TEST(ExportJournal, has_the_job_first_and_once) {
  EXPECT_EQ(read_journal(line_of(checkpoints[0])).job, "");
  EXPECT_EQ(read_journal(line_of(checkpoints[0]) + first_line(job)).job, "");
  EXPECT_EQ(read_journal(first_line(job) + first_line("2") + line_of(checkpoints[0])).last, Checkpoint());
}

}  // namespace export_journal_test
}  // namespace export_test
