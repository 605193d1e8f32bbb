#include "joining_thread.hpp"
#include "stores/file_store.hpp"

#include <noun/file_ledger.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/directory_watch.hpp"
#include "os/in_child.hpp"
#include "os/temporary_folder.hpp"
#include "stores/quota_store_contract.hpp"

namespace noun_test { namespace file_store_test {

using namespace std::chrono_literals;
using noun::DirectoryWatch;
using noun::Errc;
using noun::FileStore;
using noun::Sent;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

/// Longer than any operation takes on a machine under load.
constexpr auto patient = 10s;
constexpr auto slow_after = 50ms;

// What libc's functions below do besides.
std::atomic<bool> without_inotify = false;
std::atomic<int> looks = 0;
std::function<void()> before_renaming;

struct Folder {
  std::unique_ptr<noun::QuotaStore> user() { return std::make_unique<FileStore>(path(), patient); }
  void lose() {
    for (const auto& entry : fs::directory_iterator(path()))
      if (entry.path().extension() != ".lock") fs::remove(entry);
  }

  std::string path(const std::string& file = "") const {
    return folder.path("quotas") + (file.empty() ? "" : "/" + file);
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path())) names.insert(entry.path().filename());
    return names;
  }

  TemporaryFolder folder;
};
struct FolderWithoutInotify : Folder {
  FolderWithoutInotify() { without_inotify = true; }
  ~FolderWithoutInotify() { without_inotify = false; }
};
INSTANTIATE_TYPED_TEST_SUITE_P(FileStore, QuotaStoreContract, Folder);
INSTANTIATE_TYPED_TEST_SUITE_P(FileStoreWithoutInotify, QuotaStoreContract, FolderWithoutInotify);

struct FileStoreTest : ::testing::Test, Folder {
  void write(const std::string& file, const std::string& bytes) const {
    std::ofstream(path(file), std::ios::binary | std::ios::trunc) << bytes;
  }
  std::string bytes_of(const std::string& file) const { return folder.read("quotas/" + file); }
  std::uint64_t put(const std::string& bytes, const std::string& key = "key") {
    auto stored = store.read(key).value();
    return store.compare_and_swap(key, stored.version, bytes).value().stored.version;
  }

  FileStore store{path(), patient};
};

TEST_F(FileStoreTest, makes_a_directory_and_files_for_this_user_alone) {
  const auto mask = ::umask(0);
  put("one");
  ::umask(mask);
  struct stat facts {};
  ::stat(path().c_str(), &facts);
  EXPECT_EQ(facts.st_mode & 07777U, 0700U);
  EXPECT_EQ(files(), (std::set<std::string>{"key", "key.lock"}));
  for (const auto& file : files()) {
    ::stat(path(file).c_str(), &facts);
    EXPECT_EQ(facts.st_mode & 07777U, 0600U) << file;
  }
  FileStore deep(path("absent/deep"), patient);
  const auto result = deep.read("key");
  ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no)) << "its parents are not made";
  EXPECT_THAT(result.error().message(), HasSubstr("the folder of"));
}

TEST_F(FileStoreTest, refuses_a_directory_of_others) {
  put("one");
  for (const mode_t mode : {0720U, 0702U, 0770U, 0777U, 01777U}) {
    ::chmod(path().c_str(), mode);
    const auto result = store.read("key");
    ASSERT_THAT(result, FailsWith(Errc::invalid_argument, Sent::no)) << mode;
    EXPECT_THAT(
        result.error().message(),
        AllOf(HasSubstr(path()), HasSubstr(mode == 01777U ? "name a directory of this user" : "run chmod go-w")))
        << "a directory like /tmp is for all";
    EXPECT_FALSE(store.compare_and_swap("key", 0, ""));
    EXPECT_FALSE(store.wait_for_change({{"key", 0}}, in_a_minute()));
  }
  ::chmod(path().c_str(), 0755);
  EXPECT_TRUE(store.read("key")) << "others may read";
  constexpr uid_t somebody = 12345;
  const bool given_away = ::chown(path().c_str(), somebody, somebody) == 0;
  FileStore foreign(given_away ? path() : "/usr", patient);
  const auto result = foreign.read("key");
  ASSERT_THAT(result, FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(result.error().message(), HasSubstr("belongs to another user"));
  EXPECT_FALSE(foreign.compare_and_swap("key", 0, ""));
}

TEST_F(FileStoreTest, refuses_what_is_no_directory_or_a_link_to_one) {
  put("one");
  fs::create_directory_symlink(path(), folder.path("link"));
  folder.write("file", "");
  for (const auto* other : {"link", "file"}) {
    FileStore wrong(folder.path(other), patient);
    const auto result = wrong.read("key");
    ASSERT_THAT(result, FailsWith(Errc::invalid_argument, Sent::no)) << other;
    EXPECT_THAT(result.error().message(),
                HasSubstr(other == std::string_view("link") ? "symbolic link" : "Not a directory"));
    EXPECT_FALSE(wrong.compare_and_swap("key", 0, ""));
  }
}

TEST_F(FileStoreTest, refuses_files_that_are_not_of_this_user_alone) {
  put("one");
  constexpr uid_t somebody = 12345;
  const std::pair<const char*, std::function<void(const std::string&)>> changes[] = {
      {"a link",
       [&](const auto& file) { fs::rename(file, folder.path("one")), fs::create_symlink(folder.path("one"), file); }},
      {"a dangling link", [&](const auto& file) { fs::create_symlink(folder.path("absent"), file); }},
      {"a FIFO", [](const auto& file) { ::mkfifo(file.c_str(), 0600); }},
      {"a directory", [](const auto& file) { fs::create_directory(file); }},
      {"writable for the group", [](const auto& file) { std::ofstream{file}, ::chmod(file.c_str(), 0620); }},
      {"writable for others", [](const auto& file) { std::ofstream{file}, ::chmod(file.c_str(), 0602); }},
      {"of another user",
       [](const auto& file) { std::ofstream{file}, (void)!::chown(file.c_str(), somebody, somebody); }}};
  for (const auto* name : {"key", "key.lock"})
    for (const auto& [what, change] : changes) {
      if (std::string(what) == "of another user" && ::geteuid() != 0) continue;
      put("one");
      if (std::string(what) != "a link") fs::remove_all(path(name));
      change(path(name));
      const auto result = std::string(name) == "key"
                              ? store.read("key").transform([](const auto&) {})
                              : store.compare_and_swap("key", 0, "").transform([](const auto&) {});
      EXPECT_THAT(result, FailsWith(Errc::resource, Sent::no)) << what << " " << name;
      EXPECT_FALSE(store.compare_and_swap("key", 0, "")) << what << " " << name;
      if (!result) EXPECT_THAT(result.error().message(), HasSubstr(path(name)));
      EXPECT_FALSE(fs::exists(folder.path("absent")));
      fs::remove_all(path(name));
    }
}

TEST_F(FileStoreTest, forgets_at_a_restart_of_the_machine) {
  FileStore before(path(), patient, std::string(36, 'a'));
  const auto old = before.compare_and_swap("key", 0, "one").value().stored.version;
  EXPECT_EQ(before.read("key").value().bytes, "one");
  const auto stored = store.read("key").value();
  EXPECT_EQ(stored.version, 0U);
  EXPECT_EQ(stored.bytes, "");
  EXPECT_FALSE(store.compare_and_swap("key", old, "two").value().swapped);
  EXPECT_TRUE(store.compare_and_swap("key", 0, "two").value().swapped);
  EXPECT_EQ(store.read("key").value().bytes, "two");
  FileStore without_boot(path(), patient, noun::Error(Errc::resource, "no /proc", ""));
  EXPECT_THAT(without_boot.read("key"), FailsWith(Errc::resource, Sent::no));
}

TEST_F(FileStoreTest, reports_each_damaged_byte) {
  put("the bytes");
  const auto whole = bytes_of("key");
  const auto damaged = AllOf(HasSubstr(path("key")), HasSubstr("remove it"));
  int of_another_start = 0;
  int of_another_format = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 4);
    write("key", bytes);
    const auto result = store.read("key");
    if (result && result->version == 0) {
      ++of_another_start;
      continue;
    }
    ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no)) << i;
    const bool format = result.error().message().find("has format ") != std::string::npos;
    of_another_format += format ? 1 : 0;
    if (!format) EXPECT_THAT(result.error().message(), damaged) << i;
    EXPECT_FALSE(store.compare_and_swap("key", 0, "")) << i;
    EXPECT_FALSE(store.wait_for_change({{"key", 0}}, in_a_minute())) << i;
  }
  EXPECT_EQ(of_another_start, 36) << "the bytes of its id";
  EXPECT_EQ(of_another_format, 4);
  for (const auto& bytes : {whole.substr(0, whole.size() - 1), whole + "x", whole.substr(0, 20), std::string("x")}) {
    write("key", bytes);
    EXPECT_THAT(store.read("key"), FailsWith(Errc::resource, Sent::no)) << bytes.size();
  }
  write("key", whole);
  EXPECT_EQ(store.read("key").value().bytes, "the bytes");
}

TEST_F(FileStoreTest, forgets_what_a_power_failure_left) {
  for (const std::size_t size : {0U, 10U, 5000U}) {
    put("one");
    write("key", std::string(size, '\0'));
    EXPECT_EQ(store.read("key").value().version, 0U);
    EXPECT_TRUE(store.compare_and_swap("key", 0, "two").value().swapped);
  }
}

TEST_F(FileStoreTest, is_unavailable_while_another_process_keeps_the_lock) {
  const auto version = put("one");
  FileStore quick(path(), slow_after);
  const int holder = ::open(path("key.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(holder, LOCK_EX), 0);
  const auto start = std::chrono::steady_clock::now();
  const auto result = quick.compare_and_swap("key", version, "two");
  const auto elapsed = std::chrono::steady_clock::now() - start;
  ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(result.error().message(),
              AllOf(HasSubstr(path("key.lock")), HasSubstr("50 ms"), HasSubstr("SharingOptions::slow_after")));
  EXPECT_GE(elapsed, slow_after);
  EXPECT_LT(elapsed, patient);
  EXPECT_EQ(quick.read("key").value().bytes, "one") << "reading needs no lock";
  EXPECT_TRUE(quick.compare_and_swap("another", 0, "").value().swapped);
  ::close(holder);
  EXPECT_TRUE(quick.compare_and_swap("key", version, "two").value().swapped);
}

TEST_F(FileStoreTest, leaves_its_lock_to_no_child) {
  pid_t child = -1;
  before_renaming = [&] {
    child = ::fork();
    if (child == 0) {
      ::alarm(60);
      for (;;) ::pause();
    }
  };
  const auto version = put("one");
  before_renaming = nullptr;
  const auto result = FileStore(path(), slow_after).compare_and_swap("key", version, "two");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(result.value().swapped);
}

/// Bytes that differ in every part of two versions.
std::string state(int number) {
  std::string bytes;
  while (bytes.size() < 20'000) bytes += std::to_string(number) + " ";
  return bytes;
}

TEST_F(FileStoreTest, is_whole_whenever_a_process_is_killed) {
  std::minstd_rand random(std::random_device{}());
  auto last = put(state(0));
  for (int round = 0; round < 50; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      FileStore mine(path(), patient);
      auto version = last;
      for (int number = 1;; ++number)
        version = mine.compare_and_swap("key", version, state(number)).value().stored.version;
    }
    ASSERT_THAT(store.wait_for_change({{"key", last}}, in_a_minute()).value(), ElementsAre("key"));
    for (auto reads = random() % 50; reads > 0; --reads) ASSERT_TRUE(store.read("key"));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto stored = store.read("key").value();
    ASSERT_GT(stored.version, last);
    ASSERT_TRUE(stored.bytes == state(std::stoi(stored.bytes))) << "round " << round;
    last = FileStore(path(), slow_after).compare_and_swap("key", stored.version, state(0)).value().stored.version;
    ASSERT_EQ(files(), (std::set<std::string>{"key", "key.lock"})) << "round " << round;
  }
}

TEST_F(FileStoreTest, removes_the_abandoned_files_of_a_key) {
  put("one");
  put("one", "key2");
  for (const auto* name : {"key.0123456789abcdef", "key.", "key2.0123456789abcdef"}) write(name, "");
  put("two");
  EXPECT_TRUE(files().contains("key.")) << "once for each user";
  FileStore next(path(), patient);
  EXPECT_TRUE(next.compare_and_swap("key", store.read("key").value().version, "three").value().swapped);
  EXPECT_EQ(files(), (std::set<std::string>{"key", "key.lock", "key2", "key2.lock", "key2.0123456789abcdef"}));
}

TEST_F(FileStoreTest, recovers_when_the_directory_is_removed) {
  const auto version = put("one");
  fs::remove_all(path());
  EXPECT_EQ(store.read("key").value().version, 0U);
  EXPECT_NE(put("two"), version);
  fs::remove_all(path());
  EXPECT_THAT(store.wait_for_change({{"key", version}}, in_a_minute()).value(), ElementsAre("key"));
}

TEST_F(FileStoreTest, reports_the_end_of_the_directory_to_who_waits) {
  for (int i = 0; i < 10; ++i) {
    const auto version = put("one");
    // Moved away and made again, or removed.
    JoiningThread partner([&] {
      if (i % 2 == 0)
        fs::rename(path(), folder.path("moved" + std::to_string(i)));
      else
        fs::remove_all(path());
      FileStore(path(), patient).compare_and_swap("key", 0, "").value();
    });
    EXPECT_THAT(store.wait_for_change({{"key", version}}, in_a_minute()).value(), ElementsAre("key"));
  }
}

TEST_F(FileStoreTest, reads_nothing_upon_the_swaps_of_other_keys) {
  const auto version = put("one");
  if (!DirectoryWatch().watch(path())) GTEST_SKIP() << "with this NOUN_LOOP changes of directories are not reported";
  looks = 0;
  JoiningThread partner([&] {
    looks.wait(0);
    FileStore other(path(), patient);
    for (std::uint64_t i = 0, last = 0; i < 200; ++i)
      last = other.compare_and_swap("other", last, "").value().stored.version;
    other.compare_and_swap("end", 0, "").value();
  });
  EXPECT_THAT(store.wait_for_change({{"key", version}, {"end", 0}}, in_a_minute()).value(), ElementsAre("end"));
  EXPECT_EQ(looks, 2);
}

TEST_F(FileStoreTest, works_in_a_child_of_the_process_that_waits) {
  const auto version = put("one");
  EXPECT_THAT(store.wait_for_change({{"key", 0}}, in_a_minute()).value(), ElementsAre("key"));
  JoiningThread waits([&] {
    EXPECT_THAT(store.wait_for_change({{"key", version}}, in_a_minute()).value(), ElementsAre("key"));
  });
  EXPECT_EQ(in_child([&] {
              store.interrupt();
              if (!store.wait_for_change({{"key", version}}, in_a_minute()).value().empty()) return 1;
              FileStore other(path(), patient);
              const auto next = other.compare_and_swap("own", 0, "").value().stored.version;
              if (store.wait_for_change({{"own", 0}}, in_a_minute()).value().size() != 1) return 2;
              if (store.compare_and_swap("own", next, "two").value().swapped) return 0;
              return 3;
            }),
            0);
  FileStore(path(), patient).compare_and_swap("key", version, "two").value();
}

TEST_F(FileStoreTest, takes_no_events_from_its_parent) {
  auto version = put("one");
  EXPECT_THAT(store.wait_for_change({{"key", 0}}, in_a_minute()).value(), ElementsAre("key"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    (void)store.compare_and_swap("ready", 0, "");
    (void)store.wait_for_change({{"never", 0}}, noun::Instant::max());
    ::_exit(0);
  }
  EXPECT_THAT(store.wait_for_change({{"ready", 0}}, in_a_minute()).value(), ElementsAre("ready"));
  for (int i = 0; i < 20; ++i) {
    JoiningThread partner([&, version] { FileStore(path(), patient).compare_and_swap("key", version, "two").value(); });
    ASSERT_THAT(store.wait_for_change({{"key", version}}, in_a_minute()).value(), ElementsAre("key"));
    version = store.read("key").value().version;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(FileLedger, fails_on_bad_arguments_only) {
  const TemporaryFolder folder;
  EXPECT_TRUE(noun::file_ledger(folder.path("quotas")));
  EXPECT_TRUE(noun::file_ledger("/nowhere/at/all"));
  for (const auto& wrong : {std::string(), std::string("/"), std::string("///"), std::string("a\0b", 3),
                            std::string("redis://h/0")})
    EXPECT_THAT(noun::file_ledger(wrong), FailsWith(Errc::invalid_argument, Sent::no)) << wrong;
  EXPECT_THAT(noun::file_ledger(folder.path("quotas"), {.slow_after = 1ns}),
              FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_FALSE(fs::exists(folder.path("quotas"))) << "nothing is made before it is needed";
}

TEST(FileLedger, is_not_made_of_a_directory_that_can_never_be_used) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("own"));
  ASSERT_TRUE(noun::file_ledger(folder.path("own")));
  fs::create_directory_symlink(folder.path("own"), folder.path("link"));
  folder.write("file", "");
  fs::create_directory(folder.path("shared"));
  ::chmod(folder.path("shared").c_str(), 0777);
  constexpr uid_t somebody = 12345;
  fs::create_directory(folder.path("foreign"));
  const bool given_away = ::chown(folder.path("foreign").c_str(), somebody, somebody) == 0;
  const std::pair<std::string, const char*> cases[] = {
      {folder.path("link"), "symbolic link"},
      {folder.path("link") + "/", "symbolic link"},
      {folder.path("file"), "Not a directory"},
      {folder.path("file/deep"), "Not a directory"},
      {folder.path(std::string(300, 'x')), "File name too long"},
      {folder.path("shared"), "others may write"},
      {given_away ? folder.path("foreign") : "/usr", "belongs to another user"},
  };
  for (const auto& [directory, why] : cases) {
    const auto ledger = noun::file_ledger(directory);
    ASSERT_THAT(ledger, FailsWith(Errc::invalid_argument, Sent::no)) << directory;
    EXPECT_THAT(ledger.error().message(), HasSubstr(why));
    EXPECT_THAT(noun::file_store(directory), FailsWith(Errc::invalid_argument, Sent::no)) << directory;
  }
}

TEST_F(FileStoreTest, lists_keys_without_making_a_directory) {
  const auto result = store.keys("noun:");
  ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(result.error().message(), AllOf(HasSubstr(path()), HasSubstr("No such file or directory")));
  EXPECT_FALSE(fs::exists(path()));
  put("one", "noun:key");
  write("noun:key.0123456789abcdef", "not renamed");
  EXPECT_THAT(store.keys("noun:").value(), ::testing::ElementsAre("noun:key"));
}

}  // namespace file_store_test
}  // namespace noun_test

namespace test = noun_test::file_store_test;

extern "C" int inotify_init1(int flags) noexcept {
  if (!test::without_inotify) return static_cast<int>(::syscall(SYS_inotify_init1, flags));
  // As where the user has used up its instances.
  errno = EMFILE;
  return -1;
}

/// The store calls it before it looks at the files.
extern "C" int inotify_add_watch(int descriptor, const char* path, std::uint32_t mask) noexcept {
  ++test::looks;
  test::looks.notify_all();
  return static_cast<int>(::syscall(SYS_inotify_add_watch, descriptor, path, mask));
}

extern "C" int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  if (test::before_renaming) test::before_renaming();
  return static_cast<int>(::syscall(SYS_renameat, from_folder, from, to_folder, to));
}
