// What signatures cover: the first line of the input is a component, the second a URL without its origin, the others are
// fields. What is signed has one line for each component or field, whatever the request has.
#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz/invariant.hpp"
#include "wire/message_signature.hpp"
#include "wire/sigv4.hpp"

namespace {

using namespace noun::wire;
using noun_fuzz::require;

std::ptrdiff_t lines_in(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lines = noun_fuzz::lines_of(noun_fuzz::text_of(data, size));
  if (lines.size() < 2) return 0;
  const auto url = "https://h/" + std::string(lines[1]);
  noun::Headers headers;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const auto colon = std::min(lines[i].find(':'), lines[i].size());
    headers.add(lines[i].substr(0, colon), lines[i].substr(std::min(colon + 1, lines[i].size())));
  }
  if (const auto component = parse_component(lines[0])) {
    const auto input = signature_input({*component}, {.created = 1});
    const auto dictionary = parse_structured_dictionary({"sig1=" + input});
    require(dictionary && to_text(dictionary->front().second) == input, "Signature-Input is a dictionary");
    const auto base = signature_base({*component}, input, {"GET", url, headers});
    require(base.missing.empty() != base.text.empty(), "there is a text, or something is missing");
    require(base.text.empty() || lines_in(base.text) == 1, "a component is one line");
  }
  for (const auto path : {Sigv4Path::normalized, Sigv4Path::of_key}) {
    const auto text = sigv4_canonical_request(
        {.method = "GET", .url = url, .headers = headers, .payload_hash = "hash", .path = path});
    require(text.starts_with("GET\n/") && text.ends_with("\nhash"), "the path is absolute");
    require(lines_in(text) >= 6, "there are six parts, and a host");
  }
  return 0;
}
