// The heads of a response: the first two bytes of the input choose the method and the limits, each line of the rest is
// one that libcurl delivers.
#include <algorithm>
#include <string>

#include "curl/curl_head.hpp"
#include "fuzz/invariant.hpp"
#include "wire/ascii.hpp"

namespace {

using noun_fuzz::require;

void check(const noun::Response& response, const noun::curl::Framing& framing, const noun::Limits& limits) {
  require(response.status >= 200 && response.status <= 599, "the final head has a status from 200 to 599");
  require(response.headers.size() <= limits.fields, "the fields are limited");
  require(!(framing.chunked && framing.length), "a body is chunked, or has a length");
  require(!framing.bodyless || framing.coding == noun::Coding::identity, "no body is not compressed");
  std::size_t bytes = 0;
  for (const auto& [name, value] : response.headers) {
    require(!name.empty() && name.find_first_of(" \t:\"(),/;<=>?@[\\]{}") == std::string::npos, "a name is a token");
    require(std::none_of(name.begin(), name.end(), noun::wire::is_control), "a name has no control character");
    require(std::none_of(value.begin(), value.end(), noun::wire::is_control_in_field),
            "a value has no control character");
    require(noun::wire::trimmed(value) == value, "a value has no space around it");
    bytes += name.size() + value.size();
  }
  require(bytes <= limits.head, "the head is limited");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  noun::Limits limits;
  if (data[1] < 128) limits = {.head = 1024, .fields = data[1] + std::size_t{1}};
  const auto method = static_cast<noun::Method>(data[0] % 8);
  auto text = noun_fuzz::text_of(data + 2, size - 2);
  noun::Response response;
  noun::curl::Head head;
  head.restart(method, limits, response);
  while (!text.empty()) {
    const bool was_complete = head.complete();
    const auto end = std::min(text.find('\n') + 1, text.size());
    const auto line = text.substr(0, end == 0 ? text.size() : end);
    text.remove_prefix(line.size());
    const auto fault = head.line(line);
    require(head.started(), "a line starts the head");
    if (fault) {
      require(!fault->what.empty(), "a fault has words");
      return 0;
    }
    if (was_complete || !head.complete()) continue;
    check(response, head.framing(), limits);
  }
  return 0;
}
