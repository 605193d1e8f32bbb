// A recording while it grows: whole at any time.
#include "testing/har_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>
#endif

#include "os/temporary_folder.hpp"
#include "testing/har.hpp"

namespace testing_test { namespace har_file_test {

using namespace noun;
using noun::testing::har_entry;
using noun::testing::HarExchange;
using noun::testing::HarFile;
using noun::testing::read_har;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string entry_of_size(std::size_t size) {
  HarExchange exchange;
  exchange.request.url = "https://a.example/";
  exchange.response = {.status = 200, .body = std::string(size, 'x')};
  return har_entry(exchange);
}

TEST(HarFile, it_has_all_entries_after_each) {
  const noun_test::TemporaryFolder folder;
  folder.write("a.har", "what was there before");
  {
    HarFile file(folder.path("a.har"));
    EXPECT_EQ(folder.read("a.har"), "what was there before");
    for (std::size_t count = 1; count <= 7; ++count) {
      file.append(entry_of_size(count % 3 * 9000));
      const auto read = read_har(folder.path("a.har")).value();
      ASSERT_THAT(read, SizeIs(count));
      EXPECT_EQ(read.back().response.body.size(), count % 3 * 9000);
    }
    EXPECT_FALSE(file.fault());
  }
  const std::filesystem::directory_iterator files(std::filesystem::path(folder.path("a.har")).parent_path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "nothing is left beside it";
}

TEST(HarFile, a_folder_that_is_gone_is_a_fault) {
  const noun_test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("b"));
  HarFile file(folder.path("b/a.har"));
  EXPECT_FALSE(file.fault());
  std::filesystem::remove_all(folder.path("b"));
  file.append("{}");
  ASSERT_TRUE(file.fault());
  EXPECT_EQ(file.fault()->code(), Errc::refused);
  EXPECT_THAT(file.fault()->what(), ::testing::EndsWith("a.har\" cannot be written: No such file or directory"));
}

TEST(HarFile, a_directory_is_a_fault_and_stays) {
  const noun_test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("b"));
  folder.write("b/c", "text");
  const HarFile file(folder.path("b"));
  ASSERT_TRUE(file.fault());
  EXPECT_THAT(file.fault()->what(), ::testing::EndsWith("cannot be written: it is not a regular file"));
  EXPECT_EQ(folder.read("b/c"), "text");
}

TEST(HarFile, files_beside_it_stay) {
  const noun_test::TemporaryFolder folder;
  folder.write("a.har", "what was there before");
  folder.write("a.har.old", "old");
  folder.write("a.har.part", "part");
  std::filesystem::create_hard_link(folder.path("a.har"), folder.path("link"));
  { HarFile(folder.path("a.har")).append(entry_of_size(1)); }
  EXPECT_EQ(folder.read("link"), "what was there before");
  EXPECT_EQ(folder.read("a.har.old"), "old");
  EXPECT_EQ(folder.read("a.har.part"), "part");
}

#if !defined(_WIN32)
TEST(HarFile, a_child_of_fork_leaves_it_alone) {
  const noun_test::TemporaryFolder folder;
  HarFile file(folder.path("a.har"));
  if (const auto child = ::fork(); child == 0) {
    file.append(entry_of_size(10));
    file.~HarFile();
    ::_exit(0);
  } else {
    ::waitpid(child, nullptr, 0);
  }
  EXPECT_THAT(read_har(folder.path("a.har")).value(), IsEmpty());
  file.append(entry_of_size(20));
  EXPECT_FALSE(file.fault());
  EXPECT_THAT(read_har(folder.path("a.har")).value(), SizeIs(1));
}

TEST(HarFile, it_is_whole_after_a_kill_in_the_middle_of_a_write) {
  const noun_test::TemporaryFolder folder;
  const auto path = folder.path("a.har");
  const auto entry = entry_of_size(200'000);
  for (std::uintmax_t least = 1; least <= 8; ++least) {
    { const HarFile fresh(path); }
    const auto child = ::fork();
    if (child == 0) {
      HarFile file(path);
      for (int count = 0; count < 500 && !file.fault(); ++count) file.append(entry);
      ::_exit(0);
    }
    std::error_code ignored;
    bool is_gone = false;
    while (!is_gone && std::filesystem::file_size(path, ignored) < least * 150'000) {
      std::this_thread::yield();
      is_gone = ::waitpid(child, nullptr, WNOHANG) != 0;
    }
    if (!is_gone) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    const auto read = read_har(path);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_THAT(*read, ::testing::Not(IsEmpty()));
  }
}
#endif

}}  // namespace testing_test::har_file_test
