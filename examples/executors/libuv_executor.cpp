// Completions on libuv's loop: several calls at once.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <uv.h>

struct Country {
  std::string alpha_2;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Country, alpha_2, name)

// A queue whose functions the loop runs. The loop runs until close(), which no call may outlast.
class LoopQueue {
 public:
  explicit LoopQueue(uv_loop_t* loop) {
    wake_.data = this;
    uv_async_init(loop, &wake_, [](uv_async_t* wake) { static_cast<LoopQueue*>(wake->data)->run_posted(); });
  }
  // From any thread.
  void post(std::function<void()> run) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(run));
    uv_async_send(&wake_);
  }
  void close() { uv_close(reinterpret_cast<uv_handle_t*>(&wake_), nullptr); }

 private:
  void run_posted() {
    std::vector<std::function<void()>> taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(posted_);
    }
    for (const auto& run : taken) run();
  }

  uv_async_t wake_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
};

int main() {
  noun::Client api{std::getenv("NOUN_EXAMPLE_URL")};
  uv_loop_t* const loop = uv_default_loop();
  LoopQueue queue(loop);
  const noun::Executor executor = [&queue](std::function<void()> run) { queue.post(std::move(run)); };

  int running = 0, failed = 0;
  for (const auto* code : {"IS", "IT", "IE"}) {
    ++running;
    noun::start(noun::op::get(api.collection<Country>("countries")[code]), executor,
                [&](const noun::Result<Country>& country) {
                  if (country) fmt::print("{} is {}\n", country->alpha_2, country->name);
                  else ++failed, fmt::print(stderr, "{}\n", country.error().message());
                  if (--running == 0) queue.close();
                });
  }
  uv_run(loop, UV_RUN_DEFAULT);
  uv_loop_close(loop);
  return failed;
}
