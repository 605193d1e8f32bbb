// Decodes with simdjson in all sources of a program, of which this one alone includes the header.
#include <cstdio>

#include <noun/simdjson.hpp>

#include "decoders.hpp"

int main() {
  const char* text = R"([{"number": 7, "title": "it works"}])";
  if (reads_by_simdjson(text) && other_source_reads_by_simdjson(text)) return 0;
  std::puts("not read by simdjson");
  return 1;
}
