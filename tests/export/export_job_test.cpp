// Tests of a run that fails by something else than the server or a file.
#include "export_job.hpp"

#include <pthread.h>

#include <cstddef>
#include <filesystem>
#include <system_error>

#include <gtest/gtest.h>

#include "export/export_process.hpp"

namespace export_test { namespace export_job_test {

/// During its lifetime no thread can be started: its stack would be larger than the address space.
class NoThreads {
 public:
  NoThreads() {
    ::pthread_getattr_default_np(&before_);
    pthread_attr_t too_large;
    ::pthread_attr_init(&too_large);
    ::pthread_attr_setstacksize(&too_large, static_cast<std::size_t>(-1) / 16 * 15);
    ::pthread_setattr_default_np(&too_large);
    ::pthread_attr_destroy(&too_large);
  }
  ~NoThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

TEST(ExportJob, leaves_nothing_if_it_cannot_start_a_thread) {
  for (const bool stream : {false, true}) {
    const Folder folder;
    const noun_export::Arguments arguments{
        .base_url = "http://127.0.0.1:1", .path = "/items", .stream = stream, .out = folder / "i.jsonl"};
    progress::Screen screen(progress::Screen::Style::silent);
    const NoThreads none;
    EXPECT_THROW(noun_export::run_export(arguments, screen, {}), std::system_error);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path));
  }
}

}}  // namespace export_test::export_job_test
