// Structured fields: each line of the input is a line of the field. What was read is written as RFC 9651, section 4.1,
// and read again.
#include <string>

#include <fmt/format.h>

#include "fuzz/invariant.hpp"
#include "wire/structured_field.hpp"

namespace {

using namespace noun::wire;
using noun_fuzz::require;

std::string written(const StructuredList& list) {
  std::string out;
  for (const auto& member : list) out += (out.empty() ? "" : ", ") + to_text(member);
  return out;
}

std::string written(const StructuredDictionary& dictionary) {
  std::string out;
  for (const auto& [key, member] : dictionary)
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", key, to_text(member));
  return out;
}

template <class Parsed, class Parse>
void check(const Parsed& parsed, Parse parse) {
  if (!parsed) return;
  const auto line = written(*parsed);
  const auto again = parse({line});
  require(again && written(*again) == line, "a written field reads the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lines = noun_fuzz::lines_of(noun_fuzz::text_of(data, size));
  check(parse_structured_list(lines), parse_structured_list);
  check(parse_structured_dictionary(lines), parse_structured_dictionary);
  return 0;
}
