#include "makespan_service.hpp"

#include <algorithm>
#include <cstdlib>

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
      server_("127.0.0.1", 0, clock_) {
  server_.serve([this](const auto& request) { return atlas::Reply{.response = respond(request.target), .delay = latency}; });
}

std::string CountingService::base_url() const { return fmt::format("http://127.0.0.1:{}", server_.port()); }

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

atlas::Response CountingService::respond(const std::string& target) {
  const std::lock_guard lock(mutex_);
  const Moment now = clock_.now();
  const auto verdict = count(now);
  atlas::Response response;
  if (verdict.admitted) {
    counts_.last = std::chrono::steady_clock::now() + latency;
    response = thing(target);
  } else {
    response.status = 429;
    const auto opens_in = std::max(ceil<seconds>(verdict.opens_in), seconds(1));
    if (conventions_.retry_after) response.fields.emplace_back("Retry-After", fmt::to_string(opens_in.count()));
  }
  response.fields.emplace_back("X-RateLimit-Limit", fmt::to_string(limit));
  response.fields.emplace_back("X-RateLimit-Remaining", fmt::to_string(verdict.remaining));
  response.fields.emplace_back("X-RateLimit-Reset", reset_text(now, verdict.resets_in));
  return response;
}

atlas::Response CountingService::thing(const std::string& target) const {
  const auto id = number_behind("/things/", target);
  if (id != 0) return {.body = fmt::format(R"({{"id":{}}})", id)};
  const auto page = std::max<std::size_t>(number_behind("?page=", target), 1);
  atlas::Response response{.body = fmt::format(R"([{{"id":{}}}])", page)};
  if (page < conventions_.things)
    response.fields.emplace_back("Link", fmt::format(R"(<{}{}?page={}>; rel="next")", base_url(), path, page + 1));
  return response;
}

}  // namespace makespan
