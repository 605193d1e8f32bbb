#include <noun/json.hpp>

#include <atomic>

#include <fmt/format.h>

#include "decision/classify.hpp"
#include "wire/json_reader.hpp"
#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {

namespace {

std::atomic<const JsonDecoder*> installed_decoder = nullptr;

/// The start of a long number, for a message.
std::string shortened(std::string_view number) {
  constexpr std::size_t most = 40;
  return number.size() <= most ? std::string(number) : std::string(number.substr(0, most)) + "\u2026";
}

}  // namespace

const JsonDecoder* json_decoder() noexcept { return installed_decoder.load(std::memory_order_acquire); }

void install(const JsonDecoder* decoder) noexcept { installed_decoder.store(decoder, std::memory_order_release); }

bool read_json(std::string_view text, JsonEvents& events) { return wire::read_json(text, events); }

std::string plain_what(std::string_view what) {
  if (what.starts_with("[json.exception.")) {
    if (const auto end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
    what = what.substr(0, what.find("; last read: "));
    constexpr std::string_view overflow = "number overflow parsing '";
    if (what.starts_with(overflow)) {
      what.remove_prefix(overflow.size());
      return "the number " + shortened(what.substr(0, what.find('\''))) + " is beyond the range of a double";
    }
  }
  return std::string(what);
}

std::optional<std::string> reread_json(std::string_view text, JsonEvents& events) {
  // nlohmann takes a NUL byte for the end of its input.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return "it has a NUL byte at offset " + std::to_string(nul);
  const auto fault = wire::read_json_by_nlohmann(text, events);
  return fault ? std::optional(plain_what(*fault)) : std::nullopt;
}

std::optional<std::string> integer_beyond_64_bits(std::string_view json_text) {
  const auto integer = wire::json_integer_beyond_64_bits(json_text);
  if (integer.empty()) return std::nullopt;
  return "the integer " + shortened(integer) + " is beyond 64 bits";
}

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
  if (response.headers.contains("Location")) fault.advice += ", and Client::follow() to read its Location";
  return fault;
}

bool is_utf8(std::string_view text) noexcept { return wire::valid_utf8(text); }

}}}  // namespace noun::detail
