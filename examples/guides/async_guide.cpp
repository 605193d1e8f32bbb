// The program of async_guide.md.
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <noun/coroutine.hpp>
#include <noun/future.hpp>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

struct Task {
  int id;
  std::string title;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Task, id, title)

/// The event loop of this program: a queue of functions.
class Loop {
 public:
  void post(std::function<void()> run) {
    const std::lock_guard lock(mutex_);
    posted_.push(std::move(run));
    changed_.notify_one();
  }
  void run_until(const bool& done) {
    while (!done) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !posted_.empty(); });
      const auto run = std::move(posted_.front());
      posted_.pop();
      lock.unlock();
      run();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::function<void()>> posted_;
};

/// A coroutine that starts at once, and whose frame is destroyed when it ends. noun works with any other type.
struct Job {
  struct promise_type {
    Job get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

Job close_all(noun::Collection<Task> tasks, noun::Executor executor, bool& done) {
  auto listing = tasks.list({.page_size = 2});
  for (;;) {
    auto page = co_await noun::async(noun::op::next_page(listing), executor);
    if (!page) fmt::print("{}\n", page.error().message());
    if (!page || !*page) break;  // an error, or the end
    for (const auto& task : (*page)->items) {
      const auto close = noun::op::update(tasks[task.id], {{"state", "closed"}});
      auto closed = co_await noun::async(close, executor);
      fmt::print("{}: {}\n", task.title, closed ? "closed" : closed.error().message());
    }
  }
  done = true;
}

int main() {
  using noun::Method;
  const auto script = std::make_shared<noun::testing::ScriptedTransport>();
  script->expect(Method::get, "/tasks/7").reply(200, R"({"id": 7, "title": "water the plants"})");
  script->expect(Method::get, "/tasks")
      .reply(200, R"([{"id": 1, "title": "feed the cat"}, {"id": 2, "title": "pay the rent"}])",
             {{"Link", R"(</tasks?page=2>; rel="next")"}});
  script->expect(Method::patch, "/tasks/1").reply(200, R"({"id": 1, "title": "feed the cat"})");
  script->expect(Method::patch, "/tasks/2").reply(403);
  script->expect(Method::get, "/tasks?page=2").reply(200, "[]");
  script->expect(Method::get, "/tasks/9").reply(200, R"({"id": 9, "title": "wash the car"})");
  script->expect(Method::get, "/tasks/8").reply(503, "", {{"Retry-After", "60"}});

  noun::Client api{"https://api.example.com", {.transport = script}};
  auto tasks = api.collection<Task>("tasks");

  Loop loop;
  const noun::Executor executor = [&loop](std::function<void()> run) { loop.post(std::move(run)); };

  bool done = false;
  noun::start(noun::op::get(tasks[7]), executor, [&done](const noun::Result<Task>& task) {
    if (task) fmt::print("{}\n", task->title);
    else fmt::print("{}\n", task.error().message());
    done = true;
  });
  fmt::print("started\n");
  loop.run_until(done);

  done = false;
  close_all(tasks, executor, done);
  loop.run_until(done);

  auto later = noun::future(noun::op::get(tasks[9]));
  fmt::print("{}\n", later.get().value().title);

  done = false;
  const auto call = noun::start(noun::op::get(tasks[8]), executor, [&done](const noun::Result<Task>& task) {
    fmt::print("{}\n", task.error().code());
    done = true;
  });
  call.stop();
  loop.run_until(done);
}
