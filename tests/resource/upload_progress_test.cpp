// The progress of a streamed body that is sent.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <noun/future.hpp>

#include "os/temporary_folder.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace upload_progress_test {

using noun_test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Reads a body in pieces of 4 bytes, each of which takes `pause`.
class SlowTransport final : public noun::Transport {
 public:
  SlowTransport(std::shared_ptr<kit::ManualClock> clock, noun::Duration pause)
      : clock_(std::move(clock)), pause_(pause) {}

  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    auto reader = attempt.source->open().value();
    char bytes[4];
    while (reader->read(bytes, sizeof bytes).value() > 0) clock_->advance(pause_);
    return noun::Response{.status = ++attempts_ <= failures ? 503 : 200};
  }

  int failures = 0;

 private:
  std::shared_ptr<kit::ManualClock> clock_;
  noun::Duration pause_;
  int attempts_ = 0;
};

struct Uploads : Bench {
  explicit Uploads(noun::Duration pause) : transport(std::make_shared<SlowTransport>(clock, pause)) {
    folder.write("f", "0123456789");
  }
  noun::Client api() {
    return client({.observer = [this](const noun::Event& event) { observe(event); }, .transport = transport});
  }
  noun::Request request(noun::Body body) const { return {.method = Method::put, .path = "x", .body = std::move(body)}; }
  noun::Request file() const { return request(noun::body::file(folder.path("f"))); }
  void observe(const noun::Event& event) {
    if (event.kind != noun::EventKind::progress) return;
    EXPECT_EQ(event.bytes, 0U);
    EXPECT_FALSE(event.total_bytes);
    seen.push_back(fmt::format("#{} {}/{}", event.attempt, event.sent_bytes, event.body_size.value_or(0)));
  }

  const TemporaryFolder folder;
  std::shared_ptr<SlowTransport> transport;
  std::vector<std::string> seen;
};

TEST(UploadProgress, is_reported_with_the_first_bytes_and_with_the_last) {
  Uploads bench(0ms);
  EXPECT_TRUE(bench.api().send(bench.file()));
  EXPECT_THAT(bench.seen, ElementsAre("#1 4/10", "#1 10/10"));
}

TEST(UploadProgress, is_reported_ten_times_a_second_at_most) {
  Uploads bench(60ms);
  bench.folder.write("f", std::string(40, 'x'));
  EXPECT_TRUE(bench.api().send(bench.file()));
  EXPECT_THAT(bench.seen, ElementsAre("#1 4/40", "#1 12/40", "#1 20/40", "#1 28/40", "#1 36/40", "#1 40/40"));
}

TEST(UploadProgress, starts_again_with_each_attempt) {
  Uploads bench(100ms);
  bench.transport->failures = 1;
  EXPECT_TRUE(bench.api().send(bench.file()));
  EXPECT_THAT(bench.seen, ElementsAre("#1 4/10", "#1 8/10", "#1 10/10", "#2 4/10", "#2 8/10", "#2 10/10"));
}

TEST(UploadProgress, is_reported_for_calls_in_the_background_and_for_forms_with_files) {
  Uploads bench(0ms);
  EXPECT_TRUE(noun::future(noun::op::send(bench.api(), bench.file())).get());
  EXPECT_THAT(bench.seen, ElementsAre("#1 4/10", "#1 10/10"));
  bench.seen.clear();
  EXPECT_TRUE(
      bench.api().send(bench.request(noun::body::multipart({{"a", noun::body::file(bench.folder.path("f"))}}))));
  ASSERT_EQ(bench.seen.size(), 2U);
  EXPECT_EQ(bench.seen.front().substr(0, 5), "#1 4/");
}

TEST(UploadProgress, of_an_empty_file_is_reported_once_by_each_attempt) {
  Uploads bench(0ms);
  bench.folder.write("f", "");
  bench.transport->failures = 1;
  EXPECT_TRUE(bench.api().send(bench.file()));
  EXPECT_THAT(bench.seen, ElementsAre("#1 0/0", "#2 0/0"));
}

TEST(UploadProgress, of_a_body_in_memory_is_not_reported) {
  Uploads bench(0ms);
  bench.script->expect(Method::put, "/v1/x").reply(200);
  const auto in_memory = bench.client({.observer = [&](const noun::Event& event) { bench.observe(event); }});
  EXPECT_TRUE(in_memory.send(bench.request("text")));
  EXPECT_THAT(bench.seen, IsEmpty());
}

}}  // namespace resource_test::upload_progress_test
