// A type that two sources of a program decode, of which one includes <noun/simdjson.hpp>.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <noun/noun.hpp>

struct Ticket {
  int number = 0;
  std::string title;
};
NOUN_DESCRIBE(Ticket, number, title)

/// Whether `text` is one ticket with the number 7, read by simdjson.
inline bool reads_by_simdjson(std::string_view text) {
  const auto tickets = noun::Codec<std::vector<Ticket>>::decode(text);
  return tickets && tickets->size() == 1 && tickets->front().number == 7 && noun::detail::json_decoder() != nullptr;
}

/// Reads a ticket in the source that does not include <noun/simdjson.hpp>.
bool other_source_reads_by_simdjson(std::string_view text);
