// Recordings: the input is a HAR file, or with a first byte of `+` one entry of it. What is read is written, and read again
// as the same; it is the nearest to its own requests; and what is hidden in it leaves a recording, and JSON as JSON.
#include <string>
#include <vector>

#include "call/redaction.hpp"
#include "fuzz/invariant.hpp"
#include "testing/har.hpp"
#include "testing/har_match.hpp"
#include "testing/har_redaction.hpp"
#include "wire/json_edit.hpp"

namespace {

using namespace noun;
using namespace noun::testing;
using noun_fuzz::require;

std::string written(const std::vector<HarExchange>& exchanges) {
  std::string text(har_start);
  for (const auto& exchange : exchanges) text += (&exchange == exchanges.data() ? "" : ",") + har_entry(exchange);
  return text.append(har_end);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto input = noun_fuzz::text_of(data, size);
  const bool is_entry = input.starts_with('+');
  if (is_entry) input.remove_prefix(1);
  const auto text = is_entry ? std::string(har_start).append(input).append(har_end) : std::string(input);
  const auto read = parse_har(text, "input.har");
  (void)without_secret_members(text, {}, Side::request);
  if (!read) {
    require(!read.error().what().empty(), "an error says what is wrong");
    return 0;
  }
  const auto first = written(*read);
  const auto again = parse_har(first, "input.har");
  require(again && again->size() == read->size(), "what is written is read");
  require(written(*again) == first, "and written again as the same");
  HarMatcher matcher(*read, std::nullopt, "input.har");
  for (const auto& exchange : *read)
    require(difference(exchange.request, exchange, std::nullopt).distance == 0, "a request matches itself");
  for (const auto& exchange : *read) (void)matcher.take(exchange.request);
  HiddenValues values;
  for (auto exchange : *read) {
    const bool was_json = wire::is_json_text(exchange.response.body);
    hide_secrets(exchange, KnownSecrets(), nullptr, {}, values);
    require(!was_json || wire::is_json_text(exchange.response.body), "JSON stays JSON");
    require(static_cast<bool>(parse_har(written({exchange}), "input.har")), "what is hidden leaves a recording");
  }
  return 0;
}
