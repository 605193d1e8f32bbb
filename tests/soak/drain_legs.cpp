#include "drain_legs.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

namespace soak {
namespace {

using namespace std::chrono_literals;

constexpr auto everything = std::numeric_limits<std::size_t>::max();
constexpr std::size_t max_consecutive_failures = 100;

}  // namespace

void ClientCounts::note(const noun::Event& event) {
  if (event.kind == noun::EventKind::sent) ++requests;
  if (event.kind != noun::EventKind::attempt_ended) return;
  if (event.status == 429) ++rejected;
  if (event.status == 503) ++unavailable;
  if (event.error == noun::Errc::truncated) ++truncated;
  if (event.error == noun::Errc::send || event.error == noun::Errc::connect) ++no_response;
}

void Drain::run() {
  restart_watchdog();
  std::size_t consecutive = 0;
  for (auto end = LegEnd::interrupted; end != LegEnd::complete && consecutive < max_consecutive_failures;) {
    const auto before = delivered_.present();
    end = leg(length_of_leg());
    consecutive = end == LegEnd::failed && delivered_.present() == before ? consecutive + 1 : 0;
    if (end == LegEnd::interrupted) ++interrupted_;
    if (end == LegEnd::failed) ++failed_;
  }
  for (consecutive = 0; consecutive < max_consecutive_failures && leg(everything) == LegEnd::failed; ++consecutive)
    ++failed_;
}

/// Random, so that the remaining legs share the remaining items; the last one reads all.
std::size_t Drain::length_of_leg() {
  const auto to_come = options_.interruptions - std::min(options_.interruptions, interrupted_);
  const auto left = options_.items - std::min(options_.items, delivered_.present());
  return to_come == 0 ? everything : 1 + below(std::max<std::size_t>(2 * left / (to_come + 1), 1));
}

noun::Client Drain::client() {
  return noun::Client(options_.base_url, {.retry = {.max_attempts = 2, .initial_backoff = 5ms, .max_backoff = 50ms},
                                          .budget = {.capacity = 1e6},
                                          .observer = [this](const noun::Event& event) { counts_.note(event); },
                                          .quota_ledger = noun::make_quota_ledger()});
}

Drain::LegEnd Drain::leg(std::size_t most) {
  const auto api = client();
  auto list = api.collection<Language>("languages")
                  .list({.page_size = options_.page_size,
                         .prefetch = options_.prefetch,
                         .resume = bookmark_,
                         .key = below(3) == 0 ? "/alpha_3" : ""});
  const auto end = take(list, most);
  bookmark_ = list.bookmark();
  pages_ += list.tally().pages;
  tallied_ = list.tally().items;
  return end;
}

Drain::LegEnd Drain::take(noun::Listing<Language>& list, std::size_t most) {
  const auto one_by_one = std::min(most, 1 + below(2 * options_.page_size));
  switch (below(3)) {
    case 0: return take_items(list, most);
    case 1: return take_pages(list, most);
    default:
      const auto end = take_items(list, one_by_one);
      return end == LegEnd::interrupted && one_by_one < most ? take_pages(list, most - one_by_one) : end;
  }
}

Drain::LegEnd Drain::take_items(noun::Listing<Language>& list, std::size_t most) {
  // An item that was compared with end() but not dereferenced is not delivered yet.
  const bool compares_once_more = below(2) == 0;
  for (auto at = list.begin(); at != list.end(); ++at) {
    if (most == 0) return LegEnd::interrupted;
    if (!*at) return fail(at->error());
    count(**at);
    if (--most == 0 && !compares_once_more) return LegEnd::interrupted;
  }
  return LegEnd::complete;
}

Drain::LegEnd Drain::take_pages(noun::Listing<Language>& list, std::size_t most) {
  std::size_t taken = 0;
  for (const auto& page : list.pages()) {
    if (!page) return fail(page.error());
    for (const auto& language : page->items) count(language);
    taken += page->items.size();
    if (taken >= most) return LegEnd::interrupted;
  }
  return LegEnd::complete;
}

Drain::LegEnd Drain::fail(const noun::Error& error) {
  last_error_ = error.message();
  return LegEnd::failed;
}

void Drain::restart_watchdog() {
  // The signal ends the program if it hangs.
  ::alarm(static_cast<unsigned>(options_.patience.count()));
}

void Drain::count(const Language& language) {
  restart_watchdog();
  delivered_.add(language.alpha_3);
}

}  // namespace soak
