// Tests of commits between pages.
#include "export_committer.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "export_refusal.hpp"

namespace export_test { namespace export_committer_test {

using namespace std::chrono_literals;
using noun_export::Checkpoint;
using noun_export::Committer;
using noun_export::FileError;
using ::testing::ElementsAre;

/// Records commits, or fails.
class NotedOutput final : public noun_export::Output {
 public:
  void write(std::string_view) override { ++lines_; }
  void commit(const Checkpoint& checkpoint) override {
    const std::lock_guard lock(mutex_);
    committed_.push_back(checkpoint.items);
    half_pages += lines_ % 2;
    changed_.notify_one();
    if (checkpoint.items == fails_at) throw FileError("the disk is full", false);
  }
  void finish(const Checkpoint&) override {}
  std::string place() const override { return ""; }
  std::string kept() const override { return ""; }

  /// Waits until there are at least `count` commits.
  std::vector<std::uint64_t> committed(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 30s, [&] { return committed_.size() >= count; });
    return committed_;
  }

  std::uint64_t fails_at = 0;
  std::uint64_t half_pages = 0;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> committed_;
  std::uint64_t lines_ = 0;  // not locked: the committer does not commit while a page is written
};

void write(Committer& committer, std::uint64_t items) {
  committer.write_page([&] { return Checkpoint{.items = items}; });
}

TEST(ExportCommitter, commits_received_items_without_a_further_page) {
  NotedOutput output;
  Committer committer(output, 1ms, [] {});
  write(committer, 1);
  EXPECT_THAT(output.committed(1), ElementsAre(1));
  write(committer, 2);
  EXPECT_THAT(output.committed(2), ElementsAre(1, 2));
  committer.stop();
  EXPECT_THAT(output.committed(2), ElementsAre(1, 2));
}

TEST(ExportCommitter, waits_its_interval_and_stops_at_once) {
  NotedOutput output;
  Committer committer(output, 24h, [] {});
  write(committer, 1);
  EXPECT_THAT(output.committed(1), ElementsAre(1));
  for (std::uint64_t page = 2; page <= 10'000; ++page) {
    write(committer, page);
    std::this_thread::yield();
  }
  committer.stop();
  EXPECT_THAT(output.committed(0), ElementsAre(1));
}

TEST(ExportCommitter, ends_without_work) {
  NotedOutput output;
  {
    const Committer committer(output, 24h, [] {});
  }
  Committer stopped(output, 0s, [] {});
  stopped.stop();
  stopped.stop();
  EXPECT_THAT(output.committed(0), ElementsAre());
}

TEST(ExportCommitter, commits_nothing_while_a_page_is_written) {
  NotedOutput output;
  Committer committer(output, 0s, [] {});
  for (std::uint64_t page = 1; page <= 10'000; ++page)
    committer.write_page([&] {
      output.write("");
      std::this_thread::yield();
      output.write("");
      return Checkpoint{.items = page};
    });
  committer.stop();
  EXPECT_EQ(output.half_pages, 0U);
}

TEST(ExportCommitter, reports_a_failure_at_once_and_throws_it) {
  NotedOutput output;
  output.fails_at = 1;
  std::promise<void> bell;
  Committer committer(output, 1ms, [&] { bell.set_value(); });
  write(committer, 1);
  EXPECT_EQ(bell.get_future().wait_for(30s), std::future_status::ready);
  EXPECT_EQ(refusal_of([&] { write(committer, 2); }), "the disk is full");
  EXPECT_EQ(refusal_of([&] { committer.stop(); }), "the disk is full");
  EXPECT_THAT(output.committed(0), ElementsAre(1));
}

}  // namespace export_committer_test
}  // namespace export_test
