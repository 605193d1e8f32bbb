#include <noun/json.hpp>

#include <fmt/format.h>

#include "decision/classify.hpp"
#include "wire/json_scan.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace detail {

std::optional<std::pair<std::string_view, std::string_view>> halves_of(std::string_view json_text) {
  const auto elements = wire::json_elements(json_text, "").elements;
  return elements.size() == 2 ? std::optional(std::pair(elements[0], elements[1])) : std::nullopt;
}

void complete(DecodeFault& fault, std::string_view text) {
  if (fault.code == Errc::resource) {
    fault.what = "out of memory while decoding the body";
    return;
  }
  fault.what = "the body cannot be decoded: " + fault.what;
  fault.text = text;
  if (fault.advice.empty()) fault.advice = "compare the type with the response";
}

Result<std::string> written(const DecodeFault& fault, std::string text) {
  if (fault.code == Errc::resource)
    return Error(Errc::resource, "out of memory while writing the body as JSON: nothing was sent",
                 "free memory, then try again");
  if (!fault.what.empty())
    return Error(Errc::invalid_argument, "the body cannot be written as JSON: " + fault.what + ": nothing was sent",
                 "fix the body");
  return text;
}

DecodeFault without_body(const Response& response, bool done) {
  const bool accepted = response.status == accepted_status;
  DecodeFault fault{.code = Errc::no_content,
                    .what = done && !accepted
                                ? fmt::format("the server responded {}: done, without a body", response.status)
                                : fmt::format("the server responded {} without a body", status_text(response.status)),
                    .advice = "use <void> as the reply type of the verb"};
  if (accepted)
    fault.advice += ", and Client::finish() to wait for the result";
  else if (response.headers.contains("Location"))
    fault.advice += ", and Client::follow() to read its Location";
  return fault;
}

bool is_utf8(std::string_view text) noexcept { return wire::valid_utf8(text); }

}}}  // namespace noun::detail
