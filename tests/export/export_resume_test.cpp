// Tests of --resume: changed collections, existing files, and ends that cannot be resumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "export/export_bench.hpp"
#include "export/export_process.hpp"
#include "export/offset_server.hpp"
#include "export_journal.hpp"

namespace export_test { namespace export_resume_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

std::string item(const std::string& id) { return fmt::format(R"({{"id":"{}"}})", id); }

Words items(const Words& ids) {
  Words all;
  for (const auto& id : ids) all.push_back(item(id));
  return all;
}

struct ExportResume : Bench {
  OffsetServer service{items({"a", "b", "c", "d", "e", "f", "g"})};

  /// Runs with additional arguments.
  int run(const std::string& more = "") { return Bench::run(service.words(words_of(more))); }
  /// Leaves a part: the server fails after four items.
  void leave_a_part(const std::string& more = "") {
    service.refuse_from(4, "400 Bad Request");
    EXPECT_EQ(run(more), 65);
    EXPECT_THAT(err, HasSubstr("4 items are in l.jsonl.part; continue with --resume"));
    service.refuse_nothing();
  }
  /// Runs `meanwhile` while the server delays its response; returns the exit status.
  template <class Act>
  int run_and(Act meanwhile, const std::string& more = "") {
    Process process(folder.path, service.words(words_of(more)));
    service.held().wait();
    meanwhile(process);
    service.gate().open();
    const auto status = process.wait();
    err = process.err();
    return status;
  }
  std::string ids(const std::string& name = "l.jsonl") const {
    std::string all;
    for (const auto& line : lines_of(folder / name)) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      all += json.is_object() ? json.value("id", "-") : "?";
    }
    return all;
  }
};

TEST_F(ExportResume, leaves_out_items_that_moved) {
  leave_a_part("--key id");
  service.insert_in_front(items({"x", "y", "z"}));
  EXPECT_EQ(run("--key id --resume --verify"), 0) << err;
  EXPECT_EQ(ids(), "abcdzefg");
  EXPECT_THAT(err, HasSubstr("8 items in l.jsonl"));
  EXPECT_THAT(err, HasSubstr(", 4 of them from the previous run, 4 duplicates omitted; the lines are valid"));
}

TEST_F(ExportResume, is_not_verified_if_the_count_changed) {
  service.count_items();
  leave_a_part();
  service.insert_in_front(items({"x"}));
  EXPECT_EQ(run("--resume --verify"), 65);
  EXPECT_THAT(err, AllOf(HasSubstr("not verified: the server's count changed during the export"),
                         HasSubstr("or duplicated: set --key"), HasSubstr("the items received are in l.jsonl.part")));
}

TEST_F(ExportResume, is_verified_by_max_items_only_if_it_has_so_many) {
  EXPECT_EQ(run("--verify --max-items 1000"), 0) << err;
  EXPECT_THAT(err, HasSubstr("7 items in l.jsonl"));
  EXPECT_THAT(err, HasSubstr("not verified: the server does not report how many items there are"));
  EXPECT_EQ(run("--force --verify --max-items 5"), 0) << err;
  EXPECT_THAT(err, HasSubstr("; verified\n"));
  service.count_items();
  service.insert_in_front(items({"a"}));
  EXPECT_EQ(run("--force --verify --key id --max-items 5"), 0) << err;
  EXPECT_THAT(err, HasSubstr("; verified\n"));
  EXPECT_EQ(run("--force --verify --key id --max-items 1000"), 65) << err;
  EXPECT_THAT(err, HasSubstr("not verified: the server counts 8 items, but 7 were written, 1 too few"));
}

TEST_F(ExportResume, reports_the_items_of_the_previous_run_at_once) {
  leave_a_part();
  service.hold_from(4);
  const auto look = [](const Process& process) {
    EXPECT_THAT(process.err(), HasSubstr("4 items from the previous run"));
  };
  EXPECT_EQ(run_and(look, "--resume"), 0);
}

TEST_F(ExportResume, refuses_a_journal_of_another_program) {
  put("l.jsonl.journal", "my diary\n");
  EXPECT_EQ(run(), 64);
  EXPECT_EQ(err,
            "l.jsonl.journal already exists and is not the journal of an export; move it, or use another name\n");
  EXPECT_EQ(text_of(folder / "l.jsonl.journal"), "my diary\n");
  EXPECT_FALSE(has("l.jsonl.part"));
}

TEST_F(ExportResume, refuses_a_part_that_another_program_changed) {
  service.hold_from(4);
  const auto change = [&](const Process&) {
    wait_for_bytes(folder / "l.jsonl.part", 1);
    std::filesystem::resize_file(folder / "l.jsonl.part", 1);
  };
  EXPECT_EQ(run_and(change), 74);
  EXPECT_THAT(err, HasSubstr("another program changed l.jsonl.part: it has "));
  EXPECT_FALSE(has("l.jsonl"));
}

TEST_F(ExportResume, writes_max_items_without_the_duplicates) {
  leave_a_part("--key id");
  service.insert_in_front(items({"x", "y", "z"}));
  EXPECT_EQ(run("--key id --resume --max-items 7"), 0) << err;
  EXPECT_EQ(ids(), "abcdzef");
}

TEST_F(ExportResume, refuses_a_file_that_is_not_complete) {
  put("l.jsonl", "not an export");
  EXPECT_EQ(run("--resume"), 64);
  EXPECT_EQ(err, "l.jsonl already exists, but its last line has no line break: it is no complete export; move it, or "
                 "replace it with --force\n");
  EXPECT_EQ(text_of(folder / "l.jsonl"), "not an export");
  EXPECT_EQ(run("--force --max-items 4"), 0) << err;
  const auto before = service.requests();
  for (const auto* more : {"--resume --max-items 7", "--resume --max-items 7 --verify"}) {
    EXPECT_EQ(run(more), 64);
    EXPECT_EQ(err, "l.jsonl already exists with fewer lines (4) than --max-items 7, and the collection may have more; "
                   "replace it with --force, or omit --max-items to keep it\n");
  }
  EXPECT_EQ(run("--resume --max-items 4"), 0) << err;
  EXPECT_EQ(service.requests(), before);
  EXPECT_EQ(ids(), "abcd");
}

TEST_F(ExportResume, leaves_an_existing_file_unchanged) {
  put("l.jsonl", item("p") + "\n" + item("p") + "\n");
  EXPECT_EQ(run("--resume"), 0);
  EXPECT_EQ(err,
            "l.jsonl already exists with 2 lines; nothing was done; --force replaces it\n");
  EXPECT_EQ(run("--resume --verify"), 0);
  EXPECT_EQ(err,
            "l.jsonl already exists; 2 lines, not compared with the server: verified; 1 line is identical to another; "
            "--force replaces it\n");
  EXPECT_EQ(run("--resume --verify --key id"), 65);
  EXPECT_EQ(err,
            "l.jsonl already exists but is not verified: 1 of 2 items has a duplicate key; the collection changed "
            "during the export, or the key is not unique: use another --key; --force replaces it\n");
  put("l.jsonl", "{\n");
  EXPECT_EQ(run("--resume --verify"), 65);
  EXPECT_THAT(err, HasSubstr("line 1 is damaged"));
  EXPECT_EQ(service.requests(), 0U);
  EXPECT_EQ(run("--resume --force"), 0) << err;
  EXPECT_EQ(ids(), "abcdefg");
}

TEST_F(ExportResume, does_not_overwrite_a_file_created_before_it) {
  leave_a_part();
  put("l.jsonl", "precious\n");
  const auto before = service.requests();
  EXPECT_EQ(run("--resume"), 64);
  EXPECT_EQ(err,
            "l.jsonl already exists, and l.jsonl.part is kept; move l.jsonl, or replace it with --force, and continue "
            "with --resume\n");
  EXPECT_EQ(service.requests(), before);
  EXPECT_EQ(text_of(folder / "l.jsonl"), "precious\n");
  EXPECT_EQ(run("--resume --force"), 0) << err;
  EXPECT_EQ(ids(), "abcdefg");
}

TEST_F(ExportResume, does_not_overwrite_a_file_created_meanwhile_and_finishes_without_requests) {
  service.hold_from(4);
  EXPECT_EQ(run_and([&](const Process&) { put("l.jsonl", "precious\n"); }), 64);
  EXPECT_THAT(err, HasSubstr("l.jsonl already exists, and l.jsonl.part is kept; move l.jsonl"));
  EXPECT_EQ(text_of(folder / "l.jsonl"), "precious\n");
  std::filesystem::remove(folder / "l.jsonl");
  const auto before = service.requests();
  EXPECT_EQ(run("--resume --verify"), 0) << err;
  EXPECT_EQ(service.requests(), before);
  EXPECT_EQ(ids(), "abcdefg");
  EXPECT_THAT(err, HasSubstr("7 of them from the previous run; the lines are valid"));
  EXPECT_FALSE(has("l.jsonl.journal"));
}

TEST_F(ExportResume, without_max_items_continues_to_the_end) {
  service.hold_from(2);
  EXPECT_EQ(run_and([&](const Process&) { put("l.jsonl", "precious\n"); }, "--max-items 3"), 64);
  EXPECT_EQ(run("--resume --force"), 0) << err;
  EXPECT_EQ(ids(), "abcdefg");
}

TEST_F(ExportResume, refuses_max_items_below_the_items_of_the_part) {
  leave_a_part();
  EXPECT_EQ(run("--resume --max-items 3"), 64);
  EXPECT_EQ(err,
            "l.jsonl.part already has 4 items, more than --max-items 3; raise --max-items to at least 4, or omit it\n");
  EXPECT_EQ(run("--resume --max-items 4"), 0) << err;
  EXPECT_EQ(ids(), "abcd");
}

TEST_F(ExportResume, requires_the_same_header_values) {
  leave_a_part("--header X-Tenant:canary-1");
  EXPECT_EQ(run("--header X-Tenant:canary-2 --resume"), 64);
  EXPECT_THAT(err, HasSubstr("l.jsonl.part belongs to another export"));
  EXPECT_THAT(text_of(folder / "l.jsonl.journal"), AllOf(HasSubstr("X-Tenant"), Not(HasSubstr("canary"))));
  EXPECT_EQ(run("--header X-Tenant:canary-1 --resume"), 0) << err;
}

TEST_F(ExportResume, is_not_advised_without_items) {
  service.refuse_from(0, "404 Not Found");
  EXPECT_EQ(run(), 66);
  EXPECT_THAT(err, AllOf(HasSubstr("404"), Not(HasSubstr("items are")), Not(HasSubstr("--resume"))));
  EXPECT_FALSE(has("l.jsonl.part") || has("l.jsonl.journal"));
  service.refuse_nothing();
  EXPECT_EQ(run(), 0) << err;
}

TEST_F(ExportResume, an_interrupted_export_without_items_leaves_nothing) {
  service.hold_from(0);
  Process process(folder.path, service.words());
  service.held().wait();
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_EQ(process.err(), "interrupted: no items received\n");
  EXPECT_FALSE(has("l.jsonl.part") || has("l.jsonl.journal"));
}

TEST_F(ExportResume, is_not_advised_after_an_expired_cursor) {
  service.refuse_from(4, "410 Gone");
  EXPECT_EQ(run(), 65);
  EXPECT_THAT(err, HasSubstr("4 items are in l.jsonl.part, but --resume cannot continue after them; to export again, "
                             "remove l.jsonl.part and l.jsonl.journal\n"));
  EXPECT_TRUE(has("l.jsonl.part"));
}

TEST_F(ExportResume, an_interrupted_or_failed_export_has_a_report_and_its_resume_replaces_it) {
  service.hold_from(4);
  Process process(folder.path, service.words({"--report", "run.html"}));
  service.held().wait();
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_THAT(process.err(), HasSubstr("run.html shows the run"));
  const auto interrupted = text_of(folder / "run.html");
  EXPECT_THAT(interrupted, HasSubstr("attempt_ended"));
  service.gate().open();
  service.refuse_from(4, "400 Bad Request");
  EXPECT_EQ(run("--report run.html --resume"), 65);
  EXPECT_NE(text_of(folder / "run.html"), interrupted);
  put("run.html", "<!doctype html><title>precious</title>");
  service.refuse_nothing();
  EXPECT_EQ(run("--report run.html --resume"), 64);
  EXPECT_THAT(err, HasSubstr("run.html already exists (--report)"));
  EXPECT_EQ(text_of(folder / "run.html"), "<!doctype html><title>precious</title>");
}

TEST_F(ExportResume, an_export_that_cannot_be_written_has_a_report) {
  auto words = service.words();
  words.back() = "-";
  words.insert(words.end(), {"--report", "run.json"});
  Process process(folder.path, words, {}, "/dev/full");
  EXPECT_EQ(process.wait(), 74);
  EXPECT_THAT(process.err(), HasSubstr("No space left on device"));
  EXPECT_THAT(text_of(folder / "run.json"), HasSubstr("\"traceEvents\""));
}

TEST_F(ExportResume, is_not_advised_after_a_refused_bookmark) {
  leave_a_part();
  auto journal = noun_export::read_journal(text_of(folder / "l.jsonl.journal"));
  journal.last.bookmark = "nonsense";
  put("l.jsonl.journal", noun_export::first_line(journal.job) + line_of(journal.last));
  EXPECT_EQ(run("--resume"), 64);
  EXPECT_THAT(err, HasSubstr("4 items are in l.jsonl.part, but --resume cannot continue after them; to export again, "
                             "remove l.jsonl.part and l.jsonl.journal\n"));
}

TEST_F(ExportResume, without_verify_accepts_unverified_items) {
  service.insert_in_front({"{}"});
  EXPECT_EQ(run("--verify --key id"), 65);
  EXPECT_EQ(err,
            "not verified: line 1 has no value at the key; use a --key that all items have; the items received are in "
            "l.jsonl.part; check it: --resume without --verify accepts it, and to export again, remove "
            "l.jsonl.part and l.jsonl.journal\n");
  EXPECT_FALSE(has("l.jsonl"));
  EXPECT_EQ(run("--resume --key id"), 0) << err;
  EXPECT_EQ(ids(), "-abcdefg");
}

TEST_F(ExportResume, identical_items_are_reported_after_verification) {
  service.insert_in_front(items({"a", "g"}));
  EXPECT_EQ(run("--verify"), 0) << err;
  EXPECT_EQ(ids(), "agabcdefg");
  EXPECT_THAT(
      err,
      AllOf(HasSubstr("; the lines are valid, but not verified: the server does not report how many items there are"),
            HasSubstr("; 2 lines are identical to others\n")));
}

TEST_F(ExportResume, finds_the_items_received_before_a_long_hold) {
  service.hold_from(4);
  Process process(folder.path, service.words());
  wait_for_bytes(folder / "l.jsonl.part", 4 * (item("a").size() + 1));
  process.send(SIGKILL);
  EXPECT_EQ(process.wait(), 128 + SIGKILL);
  EXPECT_EQ(ids("l.jsonl.part"), "abcd");
}

TEST_F(ExportResume, a_full_disk_ends_the_export_at_once) {
  service.hold_from(4);
  auto words = service.words();
  words.back() = "-";
  Process process(folder.path, words, {}, "/dev/full");
  EXPECT_EQ(process.wait(), 74);
  EXPECT_EQ(process.err(), "cannot write to standard output: No space left on device\n");
}

}  // namespace export_resume_test
}  // namespace export_test
