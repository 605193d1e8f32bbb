// A file that appears under its name when it is complete: what it replaces, and when its content is durable.
#include "os/partial_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "curl/fails_with.hpp"
#include "os/temporary_folder.hpp"

namespace noun_test { namespace partial_file_test {

using namespace noun;
using std::filesystem::perms;
using ::testing::HasSubstr;

/// What the next calls of fsync() and close() on this thread fail with, the last first.
struct Faults {
  std::vector<int> of_fsync = {};
  std::vector<int> of_close = {};

  Faults(std::vector<int> synchronizing, std::vector<int> closing)
      : of_fsync(std::move(synchronizing)), of_close(std::move(closing)) {
    current = this;
  }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;
  ~Faults() { current = nullptr; }

  static thread_local Faults* current;
};
thread_local Faults* Faults::current = nullptr;

/// Calls the function of the C library, unless a fault is due.
int call_on(int number, int (*real)(int), std::vector<int> Faults::*faults) {
  if (Faults::current != nullptr && !(Faults::current->*faults).empty()) {
    errno = (Faults::current->*faults).back();
    (Faults::current->*faults).pop_back();
    return -1;
  }
  return real(number);
}

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { ::umask(before_); }

 private:
  const mode_t before_;
};

struct PartialFileTest : ::testing::Test {
  /// Writes a file to its end, or until a fault.
  Result<void> save(const std::string& name) const {
    PartialFile file(folder.path(name));
    auto done = file.open();
    if (done) done = file.write("new");
    return done ? file.commit() : done;
  }
  Result<void> save_with(std::vector<int> synchronizing, std::vector<int> closing = {}) const {
    const Faults faults(std::move(synchronizing), std::move(closing));
    return save("f");
  }
  perms permissions(const std::string& name) const {
    return std::filesystem::status(folder.path(name)).permissions();
  }

  const Umask usual{022};
  TemporaryFolder folder;
};

TEST_F(PartialFileTest, takes_the_place_of_no_pipe_and_of_no_link_to_one) {
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder.path("link"));
  for (const auto* name : {"pipe", "link"}) {
    const auto saved = save(name);
    EXPECT_TRUE(std::filesystem::is_fifo(folder.path(name))) << name;
    ASSERT_THAT(saved, FailsWith(Errc::invalid_argument, Sent::no)) << name;
    EXPECT_THAT(saved.error().what(), HasSubstr("is not a regular file"));
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
}

TEST_F(PartialFileTest, has_the_permissions_of_the_file_it_replaces_from_its_first_byte) {
  for (const auto mode : {0600U, 0640U, 0666U, 0444U, 0755U}) {
    const auto expected = static_cast<perms>(mode);
    folder.write("f", "old");
    std::filesystem::permissions(folder.path("f"), expected);
    {
      PartialFile file(folder.path("f"));
      ASSERT_TRUE(file.open());
      for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
        EXPECT_EQ(entry.status().permissions(), expected) << entry.path();
    }
    EXPECT_TRUE(save("f"));
    EXPECT_EQ(permissions("f"), expected);
    EXPECT_EQ(folder.read("f"), "new");
    std::filesystem::remove(folder.path("f"));
  }
}

TEST_F(PartialFileTest, has_no_right_of_its_owner_to_others_who_run_it) {
  folder.write("f", "old");
  std::filesystem::permissions(folder.path("f"), static_cast<perms>(04755));
  EXPECT_TRUE(save("f"));
  EXPECT_EQ(permissions("f"), static_cast<perms>(0755));
}

TEST_F(PartialFileTest, has_the_permissions_of_the_file_behind_a_link_that_it_replaces) {
  folder.write("target", "old");
  std::filesystem::permissions(folder.path("target"), static_cast<perms>(0600));
  std::filesystem::create_symlink("target", folder.path("f"));
  EXPECT_TRUE(save("f"));
  EXPECT_EQ(folder.read("target"), "old");
  EXPECT_EQ(permissions("f"), static_cast<perms>(0600));
}

TEST_F(PartialFileTest, gives_no_more_than_usual_if_the_file_was_of_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  for (const auto& [mode, expected] : {std::pair(0666U, 0644U), std::pair(0600U, 0600U)}) {
    folder.write("f", "old");
    std::filesystem::permissions(folder.path("f"), static_cast<perms>(mode));
    ASSERT_EQ(::chown(folder.path("f").c_str(), 1, 1), 0);
    EXPECT_TRUE(save("f"));
    EXPECT_EQ(permissions("f"), static_cast<perms>(expected));
  }
}

TEST_F(PartialFileTest, has_the_usual_permissions_where_there_was_no_file) {
  EXPECT_TRUE(save("f"));
  EXPECT_EQ(permissions("f"), static_cast<perms>(0644));
}

TEST_F(PartialFileTest, is_complete_also_if_a_signal_interrupts_its_end) {
  EXPECT_TRUE(save_with({EINTR, EINTR}));
  EXPECT_TRUE(save_with({}, {EINTR}));
  EXPECT_EQ(folder.read("f"), "new");
}

TEST_F(PartialFileTest, is_complete_on_a_file_system_that_cannot_be_told_to_make_it_durable) {
  for (const int fault : {EINVAL, ENOTSUP}) EXPECT_TRUE(save_with({fault})) << fault;
  EXPECT_EQ(folder.read("f"), "new");
}

TEST_F(PartialFileTest, that_did_not_get_to_the_disk_does_not_appear) {
  folder.write("f", "old");
  for (const int fault : {EIO, ENOSPC})
    for (const bool closing : {false, true}) {
      const std::vector<int> one = {fault};
      EXPECT_THAT(closing ? save_with({}, one) : save_with(one), FailsWith(Errc::resource, Sent::maybe)) << fault;
    }
  EXPECT_EQ(folder.read("f"), "old");
}

}}  // namespace noun_test::partial_file_test

// In front of the functions of the C library.
extern "C" int fsync(int number) {
  static auto* const real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fsync"));
  return noun_test::partial_file_test::call_on(number, real, &noun_test::partial_file_test::Faults::of_fsync);
}
extern "C" int close(int number) {
  static auto* const real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "close"));
  return noun_test::partial_file_test::call_on(number, real, &noun_test::partial_file_test::Faults::of_close);
}
