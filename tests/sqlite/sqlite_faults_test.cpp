// The cache in an SQLite database under faults: killed processes, a full disk, many processes, a damaged file, fork().

#include <noun/sqlite_cache.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "curl/fails_with.hpp"
#include "os/in_child.hpp"
#include "os/temporary_folder.hpp"
#include "sanitized.hpp"
#include "sqlite/raw_database.hpp"
#include "stores/cache_contract.hpp"

namespace noun_test { namespace sqlite_faults_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun::sqlite_cache;
namespace fs = std::filesystem;

constexpr std::uint64_t some_bytes = 4'000'000;

class SqliteFaults : public ::testing::Test {
 protected:
  static noun::Result<std::shared_ptr<noun::Cache>> opened(const std::string& path) {
    return sqlite_cache(path, {.max_bytes = some_bytes, .busy_timeout = 30s});
  }
  /// How many of the first entries are there; fails if one is wrong.
  static unsigned whole_entries(noun::Cache& cache, unsigned entries) {
    unsigned whole = 0;
    for (unsigned i = 0; i < entries; ++i) {
      const auto got = cache.get(key_of(i));
      if (!got || !*got) continue;
      EXPECT_TRUE(are_whole(**got, i)) << i;
      ++whole;
    }
    return whole;
  }
  void fill(unsigned entries, std::size_t size) const {
    const auto cache = opened(path).value();
    for (unsigned i = 0; i < entries; ++i)
      ASSERT_TRUE(cache->put(key_of(i), bytes_of(i, 0, size * (1 + i % 3))).value());
  }

  TemporaryFolder folder;
  const std::string path = folder.path("cache.db");
};

TEST_F(SqliteFaults, killed_twenty_times_during_puts) {
  constexpr unsigned entries = 40;
  unsigned whole = 0;
  for (unsigned round = 0; round < 20; ++round) {
    int progress[2];
    ASSERT_EQ(::pipe(progress), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      const auto cache = opened(path).value();
      for (unsigned i = 2 * round;; ++i) {
        if (!cache->put(key_of(i % entries), bytes_of(i % entries, i, (i * 7919) % 60'000))) ::_exit(1);
        if (::write(progress[1], "+", 1) != 1) ::_exit(2);
      }
    }
    ::close(progress[1]);
    // In the first rounds while the database is made, then after some puts.
    char put = 0;
    for (unsigned i = 3; i < round; ++i) ASSERT_EQ(::read(progress[0], &put, 1), 1);
    std::this_thread::sleep_for(round < 3 ? 3ms * round : 137us * round);
    ::kill(child, SIGKILL);
    ::close(progress[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << round;
    const auto cache = opened(path);
    ASSERT_TRUE(cache) << cache.error().message();
    whole = whole_entries(**cache, entries);
  }
  EXPECT_GT(whole, 20U);
  EXPECT_EQ(RawDatabase(path).run("PRAGMA integrity_check"), "ok");
}

TEST_F(SqliteFaults, eight_processes_at_once) {
  constexpr unsigned entries = 30;
  std::vector<pid_t> children;
  for (unsigned process = 0; process < 8; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(120);
      const auto cache = opened(path);
      if (!cache) ::_exit(2);
      for (unsigned i = 0; i < 100; ++i) {
        const unsigned number = (i * 7 + process * 5) % entries;
        const noun::CacheKey key{digest_of(number % 5), digest_of(number)};
        const auto got = (*cache)->get(key);
        if (!got) ::_exit(3);
        if (*got && !are_whole(**got, number)) ::_exit(4);
        if (i % 3 == 0 && !(*cache)->put(key, bytes_of(number, i, (i * 613) % 30'000))) ::_exit(5);
        if (i % 29 == 0 && !(*cache)->remove(key)) ::_exit(6);
        if (i % 41 == 0 && !(*cache)->remove_group(key.group)) ::_exit(7);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const auto child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "exit " << WEXITSTATUS(status);
  }
  EXPECT_EQ(RawDatabase(path).run("PRAGMA integrity_check"), "ok");
}

TEST_F(SqliteFaults, eight_processes_make_it_at_once) {
  for (unsigned round = 0; round < 6; ++round) {
    const auto fresh = folder.path("fresh" + std::to_string(round));
    int start[2];
    ASSERT_EQ(::pipe(start), 0);
    std::vector<pid_t> children;
    for (unsigned process = 0; process < 8; ++process) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(120);
        ::close(start[1]);
        char end = 0;
        static_cast<void>(::read(start[0], &end, 1));
        const auto cache = opened(fresh);
        if (!cache) std::fprintf(stderr, "%s\n", cache.error().message().c_str());
        ::_exit(cache && (*cache)->put(key_of(process), "bytes") ? 0 : 2);
      }
      children.push_back(child);
    }
    ::close(start[0]);
    ::close(start[1]);
    for (const auto child : children) {
      int status = -1;
      ::waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(RawDatabase(fresh).run("SELECT count(*) FROM entries"), "8");
    EXPECT_EQ(RawDatabase(fresh).run("SELECT count(*) FROM secrets"), "1");
  }
}

TEST_F(SqliteFaults, a_full_disk_means_no_new_entries) {
  fill(10, 5'000);
  EXPECT_EQ(in_child([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              const auto cache = opened(path).value();
              const rlimit limit{.rlim_cur = 400'000, .rlim_max = RLIM_INFINITY};
              if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
              unsigned refused = 0;
              for (unsigned i = 100; i < 150; ++i) {
                const auto put = cache->put(key_of(i), bytes_of(i, 0, 20'000));
                if (!put && put.error().code() != Errc::resource) return 2;
                if (!put) ++refused;
                const auto got = cache->get(key_of(i));
                if (!got || (put.has_value() && *put) != got->has_value()) return 3;
              }
              if (refused == 0) return 4;
              // What was there before is.
              for (unsigned i = 0; i < 10; ++i)
                if (cache->get(key_of(i)).value() != bytes_of(i, 0, 5'000 * (1 + i % 3))) return 5;
              const rlimit none{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
              if (::setrlimit(RLIMIT_FSIZE, &none) != 0) return 6;
              return cache->put(key_of(99), "space again").value() ? 0 : 7;
            }),
            0);
  EXPECT_EQ(RawDatabase(path).run("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(opened(path).value()->get(key_of(99)).value(), "space again");
}

/// Changes `count` bytes of a file from `offset` on.
void damage(const std::string& path, std::size_t offset, std::size_t count) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes(count, '\0');
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  file.clear();
  for (auto& byte : bytes) byte = static_cast<char>(byte ^ 0x5a);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(bytes.data(), static_cast<std::streamsize>(count));
}

TEST_F(SqliteFaults, an_entry_that_does_not_match_its_digest_is_removed) {
  fill(1, 30'000);
  // Within its first overflow page.
  const auto text = folder.read("cache.db");
  const auto at = text.find(bytes_of(0, 0, 30'000).substr(9'000, 100));
  ASSERT_NE(at, std::string::npos);
  damage(path, at, 1);
  const auto cache = opened(path).value();
  EXPECT_EQ(RawDatabase(path).run("SELECT count(*) FROM entries"), "1");
  EXPECT_EQ(cache->get(key_of(0)).value(), std::nullopt);
  EXPECT_EQ(RawDatabase(path).run("SELECT count(*) FROM entries"), "0");
  EXPECT_TRUE(cache->put(key_of(0), "again").value());
  EXPECT_EQ(cache->get(key_of(0)).value(), "again");
}

TEST_F(SqliteFaults, an_entry_that_lost_its_use_is_removed) {
  fill(1, 100);
  RawDatabase(path).run("DELETE FROM uses");
  const auto cache = opened(path).value();
  ASSERT_TRUE(cache->get(key_of(0)).value());
  EXPECT_TRUE(cache->remove(key_of(0)));
  EXPECT_EQ(cache->get(key_of(0)).value(), std::nullopt);
}

TEST_F(SqliteFaults, a_damaged_number_of_a_use_does_not_change_the_order) {
  fill(2, 100);
  RawDatabase(path).run("UPDATE uses SET used = 9223372036854775807 WHERE used = 1");
  const auto cache = opened(path).value();
  EXPECT_TRUE(cache->put(key_of(1), bytes_of(1, 0, 100)).value());
  EXPECT_EQ(RawDatabase(path).run("SELECT min(used) FROM uses"), "3");
}

TEST_F(SqliteFaults, an_entry_under_the_key_of_another_is_not_its) {
  // Those that have a part in common too.
  const std::vector<noun::CacheKey> keys{{digest_of(1), digest_of(2)},
                                         {digest_of(1), digest_of(3)},
                                         {digest_of(4), digest_of(2)},
                                         {digest_of(2), digest_of(1)}};
  for (std::size_t right = 0; right < keys.size(); ++right) {
    const auto cache = opened(path).value();
    for (const auto& key : keys) ASSERT_TRUE(cache->put(key, "the bytes of another").value());
    ASSERT_TRUE(cache->put(keys[right], "the bytes").value());
    RawDatabase(path).run(
        "UPDATE entries SET (digest, bytes) ="
        " (SELECT digest, bytes FROM entries WHERE bytes = CAST('the bytes' AS BLOB))");
    for (std::size_t i = 0; i < keys.size(); ++i)
      EXPECT_EQ(cache->get(keys[i]).value().has_value(), i == right) << right << " " << i;
  }
}

TEST_F(SqliteFaults, an_entry_of_another_type_or_size_is_a_miss) {
  fill(1, 100);
  for (const auto* value : {"17", "'text'", "zeroblob(100)", "2.5", "x''"})
    for (const std::string column : {"bytes", "digest"}) {
      const auto cache = opened(path).value();
      ASSERT_TRUE(cache->put(key_of(0), "bytes").value());
      RawDatabase(path).run("UPDATE entries SET " + column + " = " + value);
      EXPECT_EQ(cache->get(key_of(0)).value(), std::nullopt) << column << " = " << value;
    }
}

TEST_F(SqliteFaults, a_page_damaged_anywhere_is_no_wrong_body) {
  constexpr unsigned entries = 40;
  fill(entries, 2'500);
  const auto size = fs::file_size(path);
  const auto copy = folder.path("copy.db");
  unsigned hits = 0;
  unsigned lost = 0;
  unsigned refused = 0;
  // The heads of pages are where trees and lists are.
  const std::vector<std::pair<std::size_t, std::size_t>> places{{0, 12}, {100, 40}, {4'000, 300}};
  for (std::size_t page = 0; page * 8'192 < size; ++page)
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (page > 8 && page % places.size() != i) continue;
      fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
      damage(copy, page * 8'192 + places[i].first, places[i].second);
      const auto cache = opened(copy);
      if (!cache) {
        EXPECT_NE(cache.error().message().find(copy), std::string::npos) << cache.error().message();
        ++refused;
        continue;
      }
      const auto whole = whole_entries(**cache, entries);
      hits += whole;
      lost += entries - whole;
      const auto put = (*cache)->put(key_of(1), bytes_of(1, 1, 20'000));
      EXPECT_TRUE(put || put.error().code() == Errc::resource);
      const auto got = (*cache)->get(key_of(1));
      EXPECT_TRUE(!got || !*got || are_whole(**got, 1));
      static_cast<void>((*cache)->remove_group(key_of(2).group));
      static_cast<void>((*cache)->remove(key_of(3)));
    }
  EXPECT_GT(hits, 100U);
  EXPECT_GT(lost, 20U);
  EXPECT_GT(refused, 1U);
}

TEST_F(SqliteFaults, a_truncated_file_is_no_wrong_body) {
  constexpr unsigned entries = 40;
  fill(entries, 2'500);
  const auto size = fs::file_size(path);
  const auto copy = folder.path("copy.db");
  unsigned hits = 0;
  for (const std::uintmax_t left : {std::uintmax_t{1}, std::uintmax_t{99}, std::uintmax_t{512}, std::uintmax_t{8'192},
                                    std::uintmax_t{20'000}, size / 2, size - 8'192, size - 1}) {
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    fs::resize_file(copy, left);
    const auto cache = opened(copy);
    if (!cache) {
      EXPECT_NE(cache.error().message().find(copy), std::string::npos) << cache.error().message();
      continue;
    }
    hits += whole_entries(**cache, entries);
    static_cast<void>((*cache)->put(key_of(1), "bytes"));
  }
  EXPECT_GT(hits, 10U);
}

TEST_F(SqliteFaults, damage_to_an_open_file_is_an_error_of_a_function) {
  constexpr unsigned entries = 40;
  fill(entries, 2'500);
  const auto cache = opened(path).value();
  EXPECT_EQ(whole_entries(*cache, 3), 3U);
  const auto size = fs::file_size(path);
  for (std::size_t page = 1; page * 8'192 < size; ++page) damage(path, page * 8'192, 8'000);
  whole_entries(*cache, entries);
  const auto put = cache->put(key_of(50), bytes_of(50, 0, 20'000));
  EXPECT_TRUE(put || put.error().code() == Errc::resource);
  fs::resize_file(path, 5'000);
  whole_entries(*cache, entries);
  const auto after = cache->put(key_of(51), bytes_of(51, 0, 20'000));
  EXPECT_FALSE(after);
  EXPECT_EQ(after.error().code(), Errc::resource);
  EXPECT_NE(after.error().message().find(path), std::string::npos) << after.error().message();
}

TEST_F(SqliteFaults, a_damaged_log_is_no_wrong_body) {
  constexpr unsigned entries = 30;
  const auto cache = opened(path).value();
  for (unsigned i = 0; i < entries; ++i) ASSERT_TRUE(cache->put(key_of(i), bytes_of(i, 0, 5'000)).value());
  const auto size = static_cast<std::size_t>(fs::file_size(path + "-wal"));
  unsigned hits = 0;
  for (std::size_t offset = 0; offset < size; offset += size / 25) {
    const auto copy = folder.path("copy.db");
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    fs::copy_file(path + "-wal", copy + "-wal", fs::copy_options::overwrite_existing);
    fs::remove(copy + "-shm");
    damage(copy + "-wal", offset, 30);
    if (const auto opened_copy = opened(copy)) hits += whole_entries(**opened_copy, entries);
  }
  EXPECT_GT(hits, 20U);
}

bool has_open(const std::string& path) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd"))
    if (fs::read_symlink(entry.path(), ignored).string().starts_with(path)) return true;
  return false;
}

TEST_F(SqliteFaults, a_child_of_fork_opens_the_database_again) {
  const auto cache = opened(path).value();
  ASSERT_TRUE(cache->put(key_of(1), "parent").value());
  ASSERT_TRUE(has_open(path));
  EXPECT_EQ(in_child([&] {
              if (has_open(path)) return 1;
              if (cache->get(key_of(1)).value() != "parent") return 2;
              if (!has_open(path)) return 3;
              return cache->put(key_of(2), "child").value() ? 0 : 4;
            }),
            0);
  EXPECT_EQ(cache->get(key_of(2)).value(), "child");
  EXPECT_TRUE(cache->put(key_of(3), "parent").value());
  EXPECT_EQ(RawDatabase(path).run("PRAGMA integrity_check"), "ok");
}

TEST_F(SqliteFaults, forks_while_threads_use_it) {
  if (sanitized) GTEST_SKIP() << "a sanitizer's allocator may be locked in the child";
  constexpr unsigned entries = 20;
  const auto cache = opened(path).value();
  std::atomic<bool> ended = false;
  std::atomic<unsigned> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 3; ++thread)
    threads.emplace_back([&, thread] {
      for (unsigned i = thread; !ended; ++i) {
        const unsigned number = i % entries;
        if (i % 5 == 0 && !cache->put(key_of(number), bytes_of(number, i, 3'000))) ++wrong;
        const auto got = cache->get(key_of(number));
        if (!got || (*got && !are_whole(**got, number))) ++wrong;
      }
    });
  for (unsigned round = 0; round < 10; ++round)
    EXPECT_EQ(in_child([&] {
                const unsigned number = round % entries;
                if (!cache->put(key_of(number), bytes_of(number, 1'000 + round, 5'000))) return 1;
                const auto got = cache->get(key_of(number));
                return got && *got && are_whole(**got, number) ? 0 : 2;
              }),
              0)
        << round;
  ended = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(RawDatabase(path).run("PRAGMA integrity_check"), "ok");
}

TEST_F(SqliteFaults, forks_while_threads_open_and_close_it) {
  if (sanitized) GTEST_SKIP() << "a sanitizer's allocator may be locked in the child";
  std::atomic<bool> ended = false;
  std::atomic<unsigned> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 2; ++thread)
    threads.emplace_back([&, thread] {
      while (!ended) {
        const auto cache = opened(path);
        if (!cache || !(*cache)->put(key_of(thread), "parent")) ++wrong;
      }
    });
  for (unsigned round = 0; round < 10; ++round)
    EXPECT_EQ(in_child([&] {
                const auto cache = opened(path);
                if (!cache || !(*cache)->put(key_of(9), "child")) return 1;
                return (*cache)->get(key_of(9)).value() == "child" ? 0 : 2;
              }),
              0)
        << round;
  ended = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(RawDatabase(path).run("PRAGMA integrity_check"), "ok");
}

}}  // namespace noun_test::sqlite_faults_test
