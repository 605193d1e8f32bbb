#pragma once
/// @file
/// Events as text: one line for each.
///
///     noun::Client api{base_url, {.observer = noun::log_to(stderr)}};

#include <concepts>
#include <cstdio>
#include <functional>
#include <iosfwd>
#include <string>

#include <noun/event.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// The event as one line without its end: `12:12:15Z #7 GET /tasks?page=2 200 in 132 ms, quota 29 of 30 for 5 s`. The
/// number is Event::call; times of day are UTC. What the server sent is printable.
/// @threadsafety  safe.
NOUN_API std::string to_string(const Event& event);

/// An observer that writes each event to `file` as a line, as to_string() has it. Errors of the file are ignored.
/// @param file  must stay open as long as an event may come; null for no observer. See ClientOptions::observer.
/// @threadsafety  safe; the observer too. Each line is one write, so that lines of several threads do not mix.
NOUN_API std::function<void(const Event&)> log_to(std::FILE* file);

/// How GoogleTest shows an event: as to_string().
template <std::same_as<Event> E>
void PrintTo(const E& event, std::ostream* out) {
  *out << to_string(event);
}

}}  // namespace noun
