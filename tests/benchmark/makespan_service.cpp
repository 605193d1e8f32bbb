#include "makespan_service.hpp"

#include <algorithm>
#include <cstdlib>
#include <future>

#include <fmt/format.h>

namespace makespan {
namespace {

using std::chrono::ceil;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view path = "/things";

/// What follows `mark` in the target, as a number; 0 if nothing does.
std::size_t number_behind(std::string_view mark, const std::string& target) {
  const auto at = target.find(mark);
  return at == std::string::npos ? 0 : std::strtoull(target.c_str() + at + mark.size(), nullptr, 10);
}

}  // namespace

CountingService::CountingService(Conventions conventions)
    : conventions_(conventions),
      clock_(conventions.offset),
      limiter_(conventions.mode),
      server_([this](const auto& request, auto& response, auto&) { answer(request, response); }, clock_),
      port_(server_.bind("127.0.0.1", 0)) {
  std::promise<void> ready;
  thread_ = std::thread([&, this] { server_.serve([&] { ready.set_value(); }); });
  ready.get_future().wait();
}

CountingService::~CountingService() {
  server_.halt();
  thread_.join();
}

std::string CountingService::base_url() const { return fmt::format("http://127.0.0.1:{}", port_); }

Counts CountingService::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

Moment CountingService::now() const { return clock_.now(); }

Verdict CountingService::count(Moment now) {
  if (counts_.requests++ == 0) {
    counts_.first = std::chrono::steady_clock::now();
    counts_.to_turn = window - now.time_since_epoch() % window;
  }
  const auto verdict = limiter_.admit(now);
  counts_.rejected += verdict.admitted ? 0 : 1;
  return verdict;
}

std::string CountingService::reset_text(Moment now, Span resets_in) const {
  switch (conventions_.reset) {
    case ResetSpelling::epoch: return fmt::to_string(ceil<seconds>((now + resets_in).time_since_epoch()).count());
    case ResetSpelling::delta: return fmt::to_string(ceil<seconds>(resets_in).count());
    case ResetSpelling::fractional: break;
  }
  const auto thousandths = ceil<milliseconds>(resets_in).count();
  return fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
}

void CountingService::answer(const httplib::Request& request, httplib::Response& response) {
  const auto [now, verdict] = [this] {
    const std::lock_guard lock(mutex_);
    const Moment at = clock_.now();
    return std::pair(at, count(at));
  }();
  std::this_thread::sleep_for(latency);
  response.set_header("X-RateLimit-Limit", fmt::to_string(limit));
  response.set_header("X-RateLimit-Remaining", fmt::to_string(verdict.remaining));
  response.set_header("X-RateLimit-Reset", reset_text(now, verdict.resets_in));
  if (verdict.admitted) {
    const std::lock_guard lock(mutex_);
    counts_.last = std::chrono::steady_clock::now();
  }
  if (verdict.admitted) return write_thing(request, response);
  response.status = 429;
  if (conventions_.retry_after)
    response.set_header("Retry-After", fmt::to_string(std::max(ceil<seconds>(verdict.opens_in), seconds(1)).count()));
}

void CountingService::write_thing(const httplib::Request& request, httplib::Response& response) const {
  const auto id = number_behind("/things/", request.target);
  if (id != 0) return response.set_content(fmt::format(R"({{"id":{}}})", id), "application/json");
  const auto page = std::max<std::size_t>(number_behind("?page=", request.target), 1);
  if (page < conventions_.things)
    response.set_header("Link", fmt::format(R"(<{}{}?page={}>; rel="next")", base_url(), path, page + 1));
  response.set_content(fmt::format(R"([{{"id":{}}}])", page), "application/json");
}

}  // namespace makespan
