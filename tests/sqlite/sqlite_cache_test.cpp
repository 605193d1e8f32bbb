// The cache in an SQLite database: the file, its bounds, and what opening it says.

#include <noun/sqlite_cache.hpp>

#include <chrono>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "curl/fails_with.hpp"
#include "os/in_child.hpp"
#include "os/temporary_folder.hpp"
#include "sqlite/raw_database.hpp"
#include "stores/cache_contract.hpp"

namespace noun_test { namespace sqlite_cache_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun::Sent;
using noun::sqlite_cache;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

std::string message_of(const noun::Result<std::shared_ptr<noun::Cache>>& opened) {
  return opened ? "it was opened" : opened.error().message();
}

unsigned mode_of(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 0777U : 0;
}

class SqliteCache : public ::testing::Test {
 protected:
  static std::shared_ptr<noun::Cache> open(const std::string& path, std::uint64_t max_bytes = std::uint64_t{1} << 30U) {
    return sqlite_cache(path, {.max_bytes = max_bytes, .busy_timeout = 30s}).value();
  }

  TemporaryFolder folder;
  const std::string path = folder.path("cache.db");
};

TEST_F(SqliteCache, is_kept_and_shared) {
  std::string seed;
  {
    const auto one = open(path);
    const auto other = open(path);
    seed = one->seed();
    EXPECT_EQ(other->seed(), seed);
    EXPECT_TRUE(one->put(key_of(1), "one").value());
    EXPECT_EQ(other->get(key_of(1)).value(), "one");
    EXPECT_TRUE(other->remove_group(key_of(1).group));
    EXPECT_EQ(one->get(key_of(1)).value(), std::nullopt);
    EXPECT_TRUE(other->put(key_of(2), "two").value());
  }
  const auto later = open(path);
  EXPECT_EQ(later->seed(), seed);
  EXPECT_EQ(later->get(key_of(2)).value(), "two");
}

TEST_F(SqliteCache, its_files_are_those_of_the_user_alone) {
  const auto before = ::umask(0);
  const auto cache = open(path);
  EXPECT_TRUE(cache->put(key_of(1), "one").value());
  ::umask(before);
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(mode_of(path + "-wal"), 0600U);
  EXPECT_EQ(mode_of(path + "-shm"), 0600U);
}

TEST_F(SqliteCache, no_key_is_in_it) {
  const noun::CacheKey key{"a group that is secret", "a name that is secret"};
  {
    const auto cache = open(path);
    EXPECT_TRUE(cache->put(key, "the bytes").value());
    EXPECT_EQ(cache->get(key).value(), "the bytes");
  }
  EXPECT_THAT(folder.read("cache.db"), AllOf(HasSubstr("the bytes"), Not(HasSubstr("that is secret"))));
}

TEST_F(SqliteCache, an_empty_file_becomes_one) {
  folder.write("cache.db", "");
  EXPECT_TRUE(open(path)->put(key_of(1), "one").value());
  EXPECT_EQ(open(path)->get(key_of(1)).value(), "one");
}

TEST_F(SqliteCache, a_relative_path_stays_the_same_file) {
  const auto before = fs::current_path();
  fs::current_path(folder.path(""));
  const auto cache = open("here.db");
  fs::current_path(before);
  // Many at once: connections are opened meanwhile.
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { EXPECT_TRUE(cache->put(key_of(i), "bytes").value()); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(open(folder.path("here.db"))->get(key_of(3)).value(), "bytes");
}

TEST_F(SqliteCache, what_is_no_path_of_a_file_is_an_error) {
  for (const std::string& bad : {std::string(), std::string("a\0b", 3), folder.path(""), folder.path(".")})
    EXPECT_THAT(sqlite_cache(bad), FailsWith(Errc::invalid_argument, Sent::no)) << bad;
  const auto nowhere = sqlite_cache(folder.path("nowhere/cache.db"));
  EXPECT_THAT(nowhere, FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(message_of(nowhere), AllOf(HasSubstr("nowhere/cache.db"), HasSubstr("No such file or directory")));
}

TEST_F(SqliteCache, what_is_no_file_is_an_error) {
  fs::create_directory(path);
  EXPECT_THAT(sqlite_cache(path), FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(message_of(sqlite_cache(path)), AllOf(HasSubstr(path), HasSubstr("is a directory")));
  EXPECT_TRUE(fs::is_empty(path));
  folder.write("other", "");
  fs::create_symlink(folder.path("other"), folder.path("link.db"));
  EXPECT_THAT(message_of(sqlite_cache(folder.path("link.db"))),
              AllOf(HasSubstr("link.db"), HasSubstr("symbolic link")));
  EXPECT_EQ(folder.read("other"), "");
  ASSERT_EQ(::mkfifo(folder.path("fifo").c_str(), 0600), 0);
  EXPECT_THAT(message_of(sqlite_cache(folder.path("fifo"))), HasSubstr("not a regular file"));
}

TEST_F(SqliteCache, a_directory_that_is_a_link_is_fine) {
  fs::create_directory(folder.path("real"));
  fs::create_directory_symlink(folder.path("real"), folder.path("link"));
  EXPECT_TRUE(open(folder.path("link/cache.db"))->put(key_of(1), "one").value());
  EXPECT_EQ(open(folder.path("real/cache.db"))->get(key_of(1)).value(), "one");
}

TEST_F(SqliteCache, a_file_that_is_no_database_is_an_error_and_stays) {
  for (const auto& text : {std::string("notes"), std::string(5'000, 'x')}) {
    folder.write("notes.txt", text);
    const auto opened = sqlite_cache(folder.path("notes.txt"));
    EXPECT_THAT(opened, FailsWith(Errc::invalid_argument, Sent::no));
    EXPECT_THAT(message_of(opened), AllOf(HasSubstr("notes.txt"), HasSubstr("is not an SQLite database")));
    EXPECT_EQ(folder.read("notes.txt"), text);
  }
}

TEST_F(SqliteCache, the_database_of_another_program_is_an_error_and_stays) {
  RawDatabase(path).run("CREATE TABLE photos (id); INSERT INTO photos VALUES (7)");
  ::chmod(path.c_str(), 0600);
  const auto before = folder.read("cache.db");
  const auto opened = sqlite_cache(path);
  EXPECT_THAT(opened, FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(message_of(opened),
              AllOf(HasSubstr(path), HasSubstr("of another program"), HasSubstr("name another file")));
  EXPECT_EQ(folder.read("cache.db"), before);
}

TEST_F(SqliteCache, the_database_of_a_later_version_is_an_error_and_stays) {
  open(path).reset();
  RawDatabase(path).run("PRAGMA user_version = 2");
  const auto before = folder.read("cache.db");
  const auto opened = sqlite_cache(path);
  EXPECT_THAT(opened, FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(message_of(opened), AllOf(HasSubstr(path), HasSubstr("format 2"), HasSubstr("update noun")));
  EXPECT_EQ(folder.read("cache.db"), before);
}

TEST_F(SqliteCache, tables_that_are_not_those_of_a_cache_are_an_error) {
  open(path).reset();
  RawDatabase(path).run("DROP TABLE uses");
  const auto opened = sqlite_cache(path);
  EXPECT_THAT(opened, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(message_of(opened), AllOf(HasSubstr(path), HasSubstr("remove it, and the files")));
}

TEST_F(SqliteCache, a_file_to_which_others_may_write_is_an_error) {
  open(path).reset();
  ::chmod(path.c_str(), 0620);
  EXPECT_THAT(sqlite_cache(path), FailsWith(Errc::invalid_argument, Sent::no));
  ::chmod(path.c_str(), 0640);
  EXPECT_TRUE(sqlite_cache(path));
}

TEST_F(SqliteCache, a_file_beside_it_to_which_others_may_write_is_an_error) {
  open(path).reset();
  for (const std::string suffix : {"-wal", "-shm", "-journal"}) {
    folder.write("cache.db" + suffix, "");
    ::chmod((path + suffix).c_str(), 0666);
    const auto opened = sqlite_cache(path);
    EXPECT_THAT(opened, FailsWith(Errc::invalid_argument, Sent::no)) << suffix;
    EXPECT_THAT(message_of(opened), AllOf(HasSubstr(path + suffix), HasSubstr("not a file of this user alone")));
    fs::remove(path + suffix);
    fs::create_symlink(folder.path("other"), path + suffix);
    EXPECT_THAT(sqlite_cache(path), FailsWith(Errc::invalid_argument, Sent::no)) << suffix;
    fs::remove(path + suffix);
    EXPECT_TRUE(sqlite_cache(path));
  }
}

TEST_F(SqliteCache, each_connection_checks_the_files) {
  const auto cache = open(path);
  folder.write("cache.db-wal", "");
  for (const auto& file : {path, path + "-wal"}) {
    ::chmod(file.c_str(), 0622);
    const auto put = cache->put(key_of(1), "one");
    ASSERT_THAT(put, FailsWith(Errc::invalid_argument, Sent::no));
    EXPECT_THAT(put.error().message(), HasSubstr(file));
    ::chmod(file.c_str(), 0600);
  }
  EXPECT_TRUE(cache->put(key_of(1), "one").value());
  // The parent closes its connections before the fork, and so its -wal is gone.
  EXPECT_EQ(in_child([&] {
              folder.write("cache.db-wal", "");
              ::chmod((path + "-wal").c_str(), 0622);
              return cache->get(key_of(1)) ? 1 : 0;
            }),
            0);
}

TEST_F(SqliteCache, a_file_without_permission_is_an_error) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  constexpr uid_t nobody = 65534;
  fs::permissions(folder.path(""), fs::perms::all);
  open(path).reset();
  EXPECT_EQ(in_child([&] {
              if (::setresuid(nobody, nobody, nobody) != 0) return 1;
              if (message_of(sqlite_cache(path)).find("belongs to another user") == std::string::npos) return 2;
              const auto own = folder.path("own.db");
              if (!open(own)->put(key_of(1), "one").value()) return 3;
              ::chmod(own.c_str(), 0400);
              const auto read_only = sqlite_cache(own);
              if (read_only || read_only.error().message().find(own) == std::string::npos) return 4;
              ::chmod(folder.path("own.db").c_str(), 0);
              const auto none = sqlite_cache(own);
              if (none || none.error().message().find("Permission denied") == std::string::npos) return 5;
              open(folder.path("other.db")).reset();
              return 0;
            }),
            0);
  // Where it has no place for its -wal and -shm.
  fs::permissions(folder.path(""), static_cast<fs::perms>(0755));
  EXPECT_EQ(in_child([&] {
              if (::setresuid(nobody, nobody, nobody) != 0) return 1;
              const auto other = sqlite_cache(folder.path("other.db"));
              if (other || other.error().code() != Errc::invalid_argument) return 2;
              return other.error().message().find("Permission denied") == std::string::npos ? 3 : 0;
            }),
            0);
  fs::permissions(folder.path(""), fs::perms::owner_all);
}

TEST_F(SqliteCache, options_out_of_range_are_an_error) {
  EXPECT_THAT(sqlite_cache(path, {.busy_timeout = -1ms}), FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(sqlite_cache(path, {.busy_timeout = 61s}), FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(SqliteCache, the_file_does_not_exceed_its_bound) {
  constexpr std::uint64_t max_bytes = 1'000'000;
  for (const std::size_t size : {50U, 9'000U, 100'000U}) {
    const auto cache = open(path, max_bytes);
    for (unsigned i = 0; i < 3 * max_bytes / (size + 1'000); ++i)
      ASSERT_TRUE(cache->put(key_of(i + static_cast<unsigned>(size) * 1'000), std::string(size, 'x')).value());
    // What the last one left is not in the way.
    EXPECT_LE(std::stoull(RawDatabase(path).run("PRAGMA page_count")) * 8'192, max_bytes) << size;
    EXPECT_GE(std::stoull(RawDatabase(path).run("SELECT sum(length(bytes)) FROM entries")),
              size < 1'000 ? 20'000U : 400'000U)
        << size;
  }
}

TEST_F(SqliteCache, the_largest_bound_is_none) {
  const auto cache = open(path, std::numeric_limits<std::uint64_t>::max());
  for (unsigned i = 0; i < 20; ++i) ASSERT_TRUE(cache->put(key_of(i), "bytes").value());
  EXPECT_TRUE(cache->get(key_of(0)).value());
}

TEST_F(SqliteCache, a_smaller_bound_counts_from_the_next_puts) {
  {
    const auto cache = open(path, 4'000'000);
    for (unsigned i = 0; i < 300; ++i) ASSERT_TRUE(cache->put(key_of(i), std::string(10'000, 'x')).value());
  }
  const auto before = fs::file_size(path);
  const auto cache = open(path, 1'000'000);
  for (unsigned i = 1'000; i < 1'040; ++i) ASSERT_TRUE(cache->put(key_of(i), std::string(10'000, 'y')).value());
  RawDatabase raw(path);
  EXPECT_LE(std::stoull(raw.run("SELECT sum(length(bytes)) FROM entries")), 1'000'000U);
  EXPECT_LE(fs::file_size(path), before);
  for (unsigned i = 1'030; i < 1'040; ++i) EXPECT_TRUE(cache->get(key_of(i)).value()) << i;
}

TEST_F(SqliteCache, a_hit_does_not_write) {
  const auto cache = open(path);
  for (unsigned i = 0; i < 600; ++i) ASSERT_TRUE(cache->put(key_of(i), "bytes").value());
  const auto changes = [&] { return RawDatabase(path).run("SELECT max(used) FROM uses"); };
  const auto before = changes();
  for (unsigned i = 0; i < 500; ++i) ASSERT_TRUE(cache->get(key_of(i % 100)).value());
  EXPECT_EQ(changes(), before);
  // Unless many were used.
  for (unsigned i = 0; i < 600; ++i) ASSERT_TRUE(cache->get(key_of(i)).value());
  EXPECT_NE(changes(), before);
}

TEST_F(SqliteCache, what_another_process_used_stays) {
  constexpr std::uint64_t max_bytes = 2'000'000;
  constexpr std::size_t size = 30'000;
  {
    const auto cache = open(path, max_bytes);
    for (unsigned i = 0; i < 20; ++i) ASSERT_TRUE(cache->put(key_of(i), std::string(size, 'x')).value());
  }
  EXPECT_EQ(in_child([&] { return open(path, max_bytes)->get(key_of(0)).value() ? 0 : 1; }), 0);
  const auto cache = open(path, max_bytes);
  for (unsigned i = 20; i < 70; ++i) ASSERT_TRUE(cache->put(key_of(i), std::string(size, 'x')).value());
  EXPECT_TRUE(cache->get(key_of(0)).value());
  EXPECT_FALSE(cache->get(key_of(1)).value());
}

TEST_F(SqliteCache, another_writer_is_waited_for_as_long_as_the_option_says) {
  const auto cache = sqlite_cache(path, {.busy_timeout = 20ms}).value();
  ASSERT_TRUE(cache->put(key_of(1), "one").value());
  RawDatabase other(path);
  other.run("BEGIN IMMEDIATE");
  const auto put = cache->put(key_of(2), "two");
  EXPECT_THAT(put, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(put.error().message(), AllOf(HasSubstr(path), HasSubstr("SqliteCacheOptions::busy_timeout")));
  EXPECT_THAT(cache->remove(key_of(1)), FailsWith(Errc::resource, Sent::no));
  EXPECT_TRUE(cache->remove(key_of(2))) << "nothing to remove, nothing to write";
  EXPECT_EQ(cache->get(key_of(1)).value(), "one");
  other.run("COMMIT");
  EXPECT_TRUE(cache->put(key_of(2), "two").value());
}

}}  // namespace noun_test::sqlite_cache_test
