#include "drain_legs.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

namespace soak {
namespace {

using namespace std::chrono_literals;

constexpr auto everything = std::numeric_limits<std::size_t>::max();
constexpr std::size_t most_failures_in_a_row = 100;

}  // namespace

void Encounters::note(const noun::Event& event) {
  if (event.kind == noun::EventKind::sent) ++requests;
  if (event.kind != noun::EventKind::attempt_ended) return;
  if (event.status == 429) ++rejected;
  if (event.status == 503) ++unavailable;
  if (event.error == noun::Errc::truncated) ++truncated;
  if (event.error == noun::Errc::send || event.error == noun::Errc::connect) ++unanswered;
}

void Drain::run() {
  restart_watchdog();
  std::size_t in_a_row = 0;
  for (auto end = LegEnd::broken_off; end != LegEnd::through && in_a_row < most_failures_in_a_row;) {
    const auto before = roll_.present();
    end = leg(length_of_leg());
    in_a_row = end == LegEnd::failed && roll_.present() == before ? in_a_row + 1 : 0;
    if (end == LegEnd::broken_off) ++broken_off_;
    if (end == LegEnd::failed) ++failed_;
  }
  for (in_a_row = 0; in_a_row < most_failures_in_a_row && leg(everything) == LegEnd::failed; ++in_a_row) ++failed_;
}

/// So that those to come share what is left; the last one takes it all.
std::size_t Drain::length_of_leg() {
  const auto to_come = options_.interruptions - std::min(options_.interruptions, broken_off_);
  const auto left = options_.items - std::min(options_.items, roll_.present());
  return to_come == 0 ? everything : 1 + below(std::max<std::size_t>(2 * left / (to_come + 1), 1));
}

noun::Client Drain::client() {
  return noun::Client(options_.base_url, {.retry = {.max_attempts = 2, .initial_backoff = 5ms, .max_backoff = 50ms},
                                          .budget = {.capacity = 1e6},
                                          .observer = [this](const noun::Event& event) { encounters_.note(event); },
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
      return end == LegEnd::broken_off && one_by_one < most ? take_pages(list, most - one_by_one) : end;
  }
}

Drain::LegEnd Drain::take_items(noun::Listing<Language>& list, std::size_t most) {
  // What was looked at and not taken is still to come.
  const bool looks_at_one_more = below(2) == 0;
  for (auto at = list.begin(); at != list.end(); ++at) {
    if (most == 0) return LegEnd::broken_off;
    if (!*at) return fail(at->error());
    arrived(**at);
    if (--most == 0 && !looks_at_one_more) return LegEnd::broken_off;
  }
  return LegEnd::through;
}

Drain::LegEnd Drain::take_pages(noun::Listing<Language>& list, std::size_t most) {
  std::size_t taken = 0;
  for (const auto& page : list.pages()) {
    if (!page) return fail(page.error());
    for (const auto& language : page->items) arrived(language);
    taken += page->items.size();
    if (taken >= most) return LegEnd::broken_off;
  }
  return LegEnd::through;
}

Drain::LegEnd Drain::fail(const noun::Error& error) {
  last_error_ = error.message();
  return LegEnd::failed;
}

void Drain::restart_watchdog() {
  // The signal ends a program that hangs.
  ::alarm(static_cast<unsigned>(options_.patience.count()));
}

void Drain::arrived(const Language& language) {
  restart_watchdog();
  roll_.call(language.alpha_3);
}

}  // namespace soak
