#pragma once
/// @file
/// A transport that collects a number of concurrent requests, and responds to the last one first.

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <noun/transport.hpp>

#include "resource/listing_bench.hpp"

namespace resource_test {

/// Serves pages by their URL. A background request gets its response when `together` requests are in flight, except for
/// the URLs in `at_once`.
class ConcurrentPages final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    const std::lock_guard lock(mutex_);
    return respond(std::string(attempt.url));
  }
  std::unique_ptr<noun::Multiplexer> multiplexer() override { return std::make_unique<Batch>(*this); }

  void page(const std::string& url, std::string body, noun::Headers fields = {}) {
    pages[url] = {.status = 200, .headers = std::move(fields), .body = std::move(body)};
  }
  std::vector<std::string> requested() const {
    const std::lock_guard lock(mutex_);
    return urls_;
  }
  std::size_t max_in_flight() const {
    const std::lock_guard lock(mutex_);
    return max_in_flight_;
  }
  /// @{
  /// Waits until this many requests are in flight, have a response, or are cancelled.
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= count; });
  }
  void wait_for_requests(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return urls_.size() >= count; });
  }
  void wait_for_cancelled(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return cancelled_ >= count; });
  }
  /// @}

  std::map<std::string, noun::Response> pages;
  std::vector<std::string> at_once;
  /// Advanced where calls only wait for time to pass.
  std::shared_ptr<kit::ManualClock> clock;
  std::size_t together = 1;

 private:
  class Batch final : public noun::Multiplexer {
   public:
    explicit Batch(ConcurrentPages& of) : of_(of) {}

    void start(Id id, const noun::Attempt& attempt) override {
      const std::lock_guard lock(of_.mutex_);
      const std::string url(attempt.url);
      const bool now = std::find(of_.at_once.begin(), of_.at_once.end(), url) != of_.at_once.end();
      (now ? ready_ : waiting_).emplace_back(id, url);
      if (waiting_.size() == of_.together) ready_.insert(ready_.end(), waiting_.rbegin(), waiting_.rend());
      of_.max_in_flight_ = std::max(of_.max_in_flight_, waiting_.size());
      if (waiting_.size() == of_.together) waiting_.clear();
      of_.waiting_ = waiting_.size();
      of_.changed_.notify_all();
    }
    void cancel(Id id) override {
      const std::lock_guard lock(of_.mutex_);
      for (auto* list : {&waiting_, &ready_})
        if (std::erase_if(*list, [&](const auto& one) { return one.first == id; }) > 0) cancelled_.push_back(id);
      of_.cancelled_ += cancelled_.size();
      of_.changed_.notify_all();
    }
    std::vector<Ended> wait(noun::Duration at_most) override {
      std::unique_lock lock(of_.mutex_);
      const auto has_news = [&] { return woken_ || !ready_.empty() || !cancelled_.empty(); };
      if (at_most == noun::Duration::max()) of_.changed_.wait(lock, has_news);
      if (!has_news() && at_most > noun::Duration::zero()) of_.clock->advance(at_most);
      woken_ = false;
      std::vector<Ended> ended;
      for (const auto& [id, url] : std::exchange(ready_, {})) ended.push_back({id, of_.respond(url)});
      for (const auto id : std::exchange(cancelled_, {}))
        ended.push_back({id, noun::Error(Errc::cancelled, "cancelled", Sent::maybe)});
      return ended;
    }
    void wake() noexcept override {
      const std::lock_guard lock(of_.mutex_);
      woken_ = true;
      of_.changed_.notify_all();
    }

   private:
    ConcurrentPages& of_;
    std::vector<std::pair<Id, std::string>> waiting_;
    std::vector<std::pair<Id, std::string>> ready_;
    std::vector<Id> cancelled_;
    bool woken_ = false;
  };

  noun::Response respond(const std::string& url) {
    urls_.push_back(url);
    changed_.notify_all();
    const auto found = pages.find(url);
    return found == pages.end() ? noun::Response{.status = 404} : found->second;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> urls_;
  std::size_t max_in_flight_ = 0;
  std::size_t waiting_ = 0;
  std::size_t cancelled_ = 0;
};

inline std::string numbered_page(int page) { return numbers_url + "?page=" + std::to_string(page); }

/// Five linked pages of two, with rel=last: 1 2, 3 4, ... 9 10. After the first, `together` are served at a time.
struct FiveLinkedPages : Bench {
  std::shared_ptr<ConcurrentPages> pages = std::make_shared<ConcurrentPages>();
  noun::ClientOptions options = {.retry = {.max_attempts = 1}, .transport = pages};
  noun::Client api = client(options);
  noun::Collection<int> numbers = api.collection<int>("numbers");

  FiveLinkedPages() {
    pages->clock = clock;
    pages->at_once = {numbers_url};
    pages->together = 4;
    for (int page = 1; page <= 5; ++page) serve(page);
  }
  void serve(int page) {
    const auto link = [](int to, const char* relation) {
      return "<" + numbered_page(to) + ">; rel=\"" + relation + "\"";
    };
    auto links = link(5, "last");
    if (page < 5) links = link(page + 1, "next") + ", " + links;
    pages->page(page == 1 ? numbers_url : numbered_page(page), page_of({2 * page - 1, 2 * page}), {{"Link", links}});
  }
};

/// Members 1 to 6, each its own number, served in batches with the last one first.
struct SixMembers : Bench {
  std::shared_ptr<ConcurrentPages> service = std::make_shared<ConcurrentPages>();
  noun::Client api = client({.retry = {.max_attempts = 1}, .transport = service});
  noun::Collection<int> numbers = api.collection<int>("numbers");

  SixMembers() {
    service->clock = clock;
    for (int id = 1; id <= 6; ++id) service->page(member(id), std::to_string(id));
  }
  static std::string member(int id) { return numbers_url + "/" + std::to_string(id); }
};

}  // namespace resource_test
