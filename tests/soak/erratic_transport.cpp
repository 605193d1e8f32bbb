#include "erratic_transport.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace soak {
namespace {

using namespace std::chrono_literals;
using noun::Errc;

std::string_view after(std::string_view url, std::string_view name) {
  const auto at = url.find(name);
  return at == std::string_view::npos ? std::string_view() : url.substr(at + name.size());
}

int number_at(std::string_view text, int otherwise) {
  int number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view name_in(std::string_view url) {
  const auto item = after(url, "/numbers/");
  return item.empty() ? after(url, "of=") : item;
}

noun::Response success(std::string_view url) {
  const auto name = name_in(url);
  const int number = number_at(name.substr(1), 0);
  if (url.find("/reports?") != std::string_view::npos)
    return {.status = 202,
            .headers = {{"Location", fmt::format("/monitor?of={}", name)}, {"Retry-After", "0.25"}},
            .url = std::string(url)};
  if (url.find("/monitor?") != std::string_view::npos)
    return {.status = 303, .headers = {{"Location", fmt::format("/numbers/{}", name)}}, .url = std::string(url)};
  if (url.find("/numbers/") != std::string_view::npos)
    return {.status = 200, .body = std::to_string(number), .url = std::string(url)};
  const int page = number_at(after(url, "page="), 1);
  const int first = number + 2 * (page - 1);
  noun::Response response{.status = 200, .body = fmt::format("[{}, {}]", first, first + 1), .url = std::string(url)};
  if (page < 3)
    response.headers = {{"Link", fmt::format("<?of={}&page={}>; rel=\"next\", <?of={}&page=3>; rel=\"last\"",
                                             name.substr(0, name.find('&')), page + 1,
                                             name.substr(0, name.find('&')))}};
  return response;
}

noun::Response rejection(std::string_view url) {
  return {.status = 429, .headers = {{"Retry-After", "0.002"}}, .url = std::string(url)};
}

/// Whether the time passed without a stop request.
bool passes(noun::Duration time, const noun::StopToken& stop) {
  std::binary_semaphore stopped(0);
  const auto end = [&] { stopped.release(); };
  const noun::StopCallback<decltype(end)&> on_stop(stop, end);
  return !stopped.try_acquire_for(std::min<noun::Duration>(time, 1h));
}

class Erratic final : public noun::Multiplexer {
 public:
  explicit Erratic(std::uint64_t seed) : random_(seed) {}

  void start(Id id, const noun::Attempt& attempt) override {
    const auto fate = static_cast<Fate>(name_in(attempt.url).front());
    if (fate == Fate::fault && below(64) == 0) throw std::bad_alloc();
    auto after = 0us;
    if (fate == Fate::late) after = std::chrono::microseconds(below(3000));
    if (fate == Fate::never) after = std::chrono::ceil<std::chrono::microseconds>(attempt.timeout);
    attempts_.emplace(id, Pending{fate, attempt.url});
    due_.emplace(std::chrono::steady_clock::now() + after, id);
  }

  void cancel(Id id) override {
    if (attempts_.contains(id)) cancelled_.push_back(id);
  }

  std::vector<Ended> wait(noun::Duration at_most) override {
    sleep(at_most);
    std::vector<Ended> ended;
    for (const auto id : std::exchange(cancelled_, {}))
      if (attempts_.erase(id) > 0)
        ended.push_back({id, noun::Error(Errc::cancelled, "cancelled", noun::Sent::maybe)});
    const auto now = std::chrono::steady_clock::now();
    while (!due_.empty() && due_.begin()->first <= now) {
      const auto id = due_.begin()->second;
      due_.erase(due_.begin());
      // The attempt's views are still valid, if it was not cancelled.
      if (const auto found = attempts_.find(id); found != attempts_.end()) {
        ended.push_back({id, response_to(found->second.fate, found->second.url)});
        attempts_.erase(found);
      }
    }
    return ended;
  }

  void wake() noexcept override {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }

 private:
  struct Pending {
    Fate fate;
    std::string_view url;
  };

  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  void sleep(noun::Duration at_most) {
    auto until = std::chrono::steady_clock::now() + std::min<noun::Duration>(at_most, 1h);
    if (!due_.empty()) until = std::min(until, due_.begin()->first);
    std::unique_lock lock(mutex_);
    if (cancelled_.empty()) changed_.wait_until(lock, until, [this] { return woken_; });
    woken_ = false;
  }

  noun::Result<noun::Response> response_to(Fate fate, std::string_view url) {
    if (fate == Fate::never) return noun::Error(Errc::timeout, "no response", noun::Sent::maybe);
    if (fate == Fate::rejected && std::exchange(rejects_, !rejects_)) return rejection(url);
    if (fate != Fate::fault) return success(url);
    switch (below(5)) {
      case 0: return noun::Error(Errc::send, "the connection broke", noun::Sent::maybe);
      case 1: return noun::Response{.status = 500, .url = std::string(url)};
      case 2: return noun::Response{.status = 404, .url = std::string(url)};
      case 3: return noun::Response{.status = 200, .body = "<html>", .url = std::string(url)};
      default: return success(url);
    }
  }

  std::mt19937_64 random_;
  bool rejects_ = true;
  std::map<Id, Pending> attempts_;
  std::multimap<std::chrono::steady_clock::time_point, Id> due_;
  std::vector<Id> cancelled_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

}  // namespace

noun::Result<noun::Response> ErraticTransport::stream(const noun::Attempt& attempt, const noun::StopToken& stop) {
  std::mt19937_64 random(++seed_);
  const auto below = [&](std::uint64_t end) { return random() % end; };
  const auto name = name_in(attempt.url);
  const auto fate = static_cast<Fate>(name.front());
  if (fate == Fate::rejected && rejects_.exchange(!rejects_)) return rejection(attempt.url);
  // Where it breaks: 6 for not at all.
  const auto breaks_at = fate == Fate::fault ? below(7) : fate == Fate::never ? below(6) : 6;
  if (fate == Fate::fault && breaks_at == 0) return noun::Response{.status = 500, .url = std::string(attempt.url)};
  const noun::Response head{
      .status = 200, .headers = {{"Content-Type", "text/event-stream"}}, .url = std::string(attempt.url)};
  if (auto takes = attempt.sink->begin(head); !takes || !*takes)
    return takes ? noun::Result<noun::Response>(head) : std::move(takes).error();
  for (std::uint64_t event = 0; event < 6; ++event) {
    if (fate == Fate::late && !passes(std::chrono::microseconds(below(1000)), stop)) break;
    if (event == breaks_at && fate == Fate::never && passes(attempt.timeout, stop))
      return noun::Error(Errc::timeout, "no event", noun::Sent::answered);
    if (stop.stop_requested()) break;
    if (event == breaks_at && below(2) == 0) return noun::Error(Errc::send, "the connection broke", noun::Sent::maybe);
    const int number = number_at(name.substr(1), 0) + static_cast<int>(event);
    const auto text = fmt::format("data: {}\n\n", event == breaks_at ? "<html>" : std::to_string(number));
    if (auto written = attempt.sink->write(text); !written) return std::move(written).error();
  }
  if (stop.stop_requested()) return noun::Error(Errc::cancelled, "cancelled", noun::Sent::answered);
  return head;
}

noun::Result<noun::Response> ErraticTransport::send(const noun::Attempt& attempt, const noun::StopToken& stop) {
  if (attempt.url.find("/events?") != std::string_view::npos) return stream(attempt, stop);
  auto response = success(attempt.url);
  if (attempt.sink == nullptr) return response;
  auto takes = attempt.sink->begin(response);
  if (!takes) return std::move(takes).error();
  if (*takes)
    if (auto written = attempt.sink->write(std::exchange(response.body, {})); !written)
      return std::move(written).error();
  return response;
}

std::unique_ptr<noun::Multiplexer> ErraticTransport::multiplexer() { return std::make_unique<Erratic>(++seed_); }

}  // namespace soak
