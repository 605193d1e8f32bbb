// Files by their paths, and those that this user alone may use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>

#include "curl/fails_with.hpp"
#include "joining_thread.hpp"
#include "os/files.hpp"
#include "os/private_files.hpp"
#include "os/steady_now.hpp"
#include "os/temporary_folder.hpp"

namespace noun_test { namespace files_test {

using namespace noun;
using namespace std::chrono_literals;
using ::testing::IsSupersetOf;
using ::testing::Optional;

/// A name that needs UTF-16 on Windows, and more than one byte everywhere.
const std::string name = "na\xC3\xAFve \xE2\x82\xAC";

struct FilesTest : ::testing::Test {
  File create(const std::string& file) {
    auto made = File::create(folder.path(file), fault);
    EXPECT_FALSE(fault) << fault.message();
    return made;
  }
  std::string content(const std::string& file) {
    const auto opened = File::open(folder.path(file), fault);
    std::string bytes(100, '\0');
    bytes.resize(opened ? opened.read(bytes, fault).value_or(0) : 0);
    return bytes;
  }

  TemporaryFolder folder;
  std::error_code fault;
};

TEST_F(FilesTest, a_new_file_is_written_measured_emptied_and_read) {
  auto file = create(name);
  EXPECT_FALSE(file.write("what is longer"));
  EXPECT_FALSE(file.truncate());
  EXPECT_FALSE(file.write("a\r\nb\n"));
  EXPECT_FALSE(file.close_durably());
  EXPECT_FALSE(file);
  EXPECT_EQ(content(name), "a\r\nb\n");
  EXPECT_THAT(File::open(folder.path(name), fault).size(fault), Optional(5U));
}

TEST_F(FilesTest, a_file_that_exists_is_not_made_again) {
  create("file");
  EXPECT_FALSE(File::create(folder.path("file"), fault));
  EXPECT_EQ(fault, std::errc::file_exists) << fault.message();
}

TEST_F(FilesTest, an_absent_file_is_not_opened) {
  EXPECT_FALSE(File::open(folder.path("file"), fault));
  EXPECT_EQ(fault, std::errc::no_such_file_or_directory) << fault.message();
}

TEST_F(FilesTest, a_directory_is_no_regular_file) {
  const auto opened = File::open(folder.path(""), fault);
  EXPECT_EQ(opened.size(fault), std::nullopt);
  EXPECT_FALSE(fault) << fault.message();
  EXPECT_EQ(kind_of(folder.path("")), PathKind::directory);
  EXPECT_EQ(kind_of(folder.path("none")), PathKind::none);
  create("file");
  EXPECT_EQ(kind_of(folder.path("file")), PathKind::file);
}

TEST_F(FilesTest, a_file_gets_the_place_of_another) {
  EXPECT_FALSE(create("old").write("old"));
  EXPECT_FALSE(create("next").write("next"));
  EXPECT_FALSE(rename_file(folder.path("next"), folder.path("old")));
  EXPECT_EQ(content("old"), "next");
  EXPECT_FALSE(File::open(folder.path("next"), fault));
  remove_file(folder.path("old"));
  EXPECT_FALSE(File::open(folder.path("old"), fault));
}

TEST_F(FilesTest, a_version_tells_a_file_from_its_successor) {
  EXPECT_EQ(file_version(folder.path("file")), FileVersion{});
  EXPECT_FALSE(create("file").write("one"));
  const auto first = file_version(folder.path("file"));
  EXPECT_NE(first, FileVersion{});
  EXPECT_EQ(file_version(folder.path("file")), first);
  std::filesystem::last_write_time(folder.path("file"), std::filesystem::file_time_type() + 1h);
  EXPECT_NE(file_version(folder.path("file")), first) << "changed in its place";
  EXPECT_FALSE(create("next").write("three"));
  EXPECT_FALSE(rename_file(folder.path("next"), folder.path("file")));
  EXPECT_NE(file_version(folder.path("file")), first);
}

struct PrivateFilesTest : FilesTest {
  std::string path() const { return folder.path("own"); }
  PrivateDirectory directory() const { return PrivateDirectory::open(path(), PrivateDirectory::IfAbsent::create).value(); }
};

TEST_F(PrivateFilesTest, a_file_is_replaced_read_named_and_removed) {
  const auto own = directory();
  EXPECT_EQ(own.read("file").value(), std::nullopt);
  EXPECT_TRUE(own.replace("file", {"one, ", "two"}));
  EXPECT_TRUE(own.replace("file", {"three"}));
  EXPECT_THAT(own.read("file").value(), Optional(std::string("three")));
  EXPECT_THAT(own.names().value(), IsSupersetOf({"file"}));
  own.remove("file");
  EXPECT_EQ(own.read("file").value(), std::nullopt);
  EXPECT_THAT(own.names().value(), ::testing::Not(::testing::Contains("file")));
}

TEST_F(PrivateFilesTest, a_file_is_replaced_while_others_read_it) {
  const auto own = directory();
  ASSERT_TRUE(own.replace("file", {"0"}));
  const JoiningThread reader([&] {
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(own.read("file").value());
  });
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(own.replace("file", {std::to_string(i)}));
}

TEST_F(PrivateFilesTest, one_lock_at_a_time) {
  const auto own = directory();
  auto first = own.lock("lock", steady_now()).value();
  EXPECT_TRUE(first);
  EXPECT_FALSE(own.lock("lock", steady_now()).value()) << "of another call";
  EXPECT_TRUE(own.lock("another", steady_now()).value());
  EXPECT_THAT(own.read("lock").value(), Optional(std::string())) << "a locked file can be read";
  first = FileLock();
  EXPECT_TRUE(own.lock("lock", steady_now()).value());
}

TEST_F(PrivateFilesTest, what_is_found_is_told_apart) {
  std::error_code unknown;
  EXPECT_EQ(find_file(path(), unknown), FoundFile::none);
  EXPECT_FALSE(make_private_file(path()));
  EXPECT_FALSE(make_private_file(path())) << "there is one now";
  EXPECT_EQ(find_file(path(), unknown), FoundFile::own);
  EXPECT_EQ(find_file(folder.path(""), unknown), FoundFile::directory);
  EXPECT_FALSE(unknown) << unknown.message();
}

TEST_F(PrivateFilesTest, what_is_no_directory_is_refused) {
  const auto open = [&](const std::string& file, PrivateDirectory::IfAbsent then) {
    return PrivateDirectory::open(folder.path(file), then);
  };
  EXPECT_THAT(open("none", PrivateDirectory::IfAbsent::fail), FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(open("no/folder", PrivateDirectory::IfAbsent::create), FailsWith(Errc::resource, Sent::no));
  create("file");
  EXPECT_THAT(open("file", PrivateDirectory::IfAbsent::create), FailsWith(Errc::invalid_argument, Sent::no));
}

}}  // namespace noun_test::files_test
