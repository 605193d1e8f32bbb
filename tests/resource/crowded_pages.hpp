#pragma once
/// @file
/// Pages that are asked for many at a time: a transport that keeps its answers until so many have been asked for, and
/// then gives the last one first.

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

/// Serves pages by their URL. What is asked for in the background is answered when `together` are asked for at once,
/// but for the URLs in `at_once`.
class CrowdedPages final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const std::stop_token&) override {
    const std::lock_guard lock(mutex_);
    return answer(std::string(attempt.url));
  }
  std::unique_ptr<noun::Multiplexer> multiplexer() override { return std::make_unique<Crowd>(*this); }

  void page(const std::string& url, std::string body, noun::Headers fields = {}) {
    pages[url] = {.status = 200, .headers = std::move(fields), .body = std::move(body)};
  }
  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return urls_;
  }
  std::size_t most_at_once() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }
  /// @{
  /// Waits until so many are kept, have been answered, or cancelled.
  void wait_for(std::size_t kept) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return kept_ >= kept; });
  }
  void wait_for_asked(std::size_t count) {
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
  /// Passes where calls wait for nothing but time.
  std::shared_ptr<kit::ManualClock> clock;
  std::size_t together = 1;

 private:
  class Crowd final : public noun::Multiplexer {
   public:
    explicit Crowd(CrowdedPages& of) : of_(of) {}

    void start(Id id, const noun::Attempt& attempt) override {
      const std::lock_guard lock(of_.mutex_);
      const std::string url(attempt.url);
      const bool now = std::find(of_.at_once.begin(), of_.at_once.end(), url) != of_.at_once.end();
      (now ? ready_ : kept_).emplace_back(id, url);
      if (kept_.size() == of_.together) ready_.insert(ready_.end(), kept_.rbegin(), kept_.rend());
      of_.most_ = std::max(of_.most_, kept_.size());
      if (kept_.size() == of_.together) kept_.clear();
      of_.kept_ = kept_.size();
      of_.changed_.notify_all();
    }
    void cancel(Id id) override {
      const std::lock_guard lock(of_.mutex_);
      for (auto* list : {&kept_, &ready_})
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
      for (const auto& [id, url] : std::exchange(ready_, {})) ended.push_back({id, of_.answer(url)});
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
    CrowdedPages& of_;
    std::vector<std::pair<Id, std::string>> kept_;
    std::vector<std::pair<Id, std::string>> ready_;
    std::vector<Id> cancelled_;
    bool woken_ = false;
  };

  noun::Response answer(const std::string& url) {
    urls_.push_back(url);
    changed_.notify_all();
    const auto found = pages.find(url);
    return found == pages.end() ? noun::Response{.status = 404} : found->second;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> urls_;
  std::size_t most_ = 0;
  std::size_t kept_ = 0;
  std::size_t cancelled_ = 0;
};

inline std::string numbered_page(int page) { return numbers_url + "?page=" + std::to_string(page); }

/// Five pages of two, linked, with the last one named: 1 2, 3 4, ... 9 10. Behind the first, `together` come at once.
struct FiveLinkedPages : Bench {
  std::shared_ptr<CrowdedPages> pages = std::make_shared<CrowdedPages>();
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

}  // namespace resource_test
