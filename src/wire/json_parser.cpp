#include <noun/detail/json_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "wire/simdjson_parser.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// A number, or of a long one its size, for a message.
std::string number_or_size(std::string_view number) {
  constexpr std::size_t most = 40;
  return number.size() <= most ? std::string(number) : "of " + std::to_string(number.size()) + " characters";
}

/// What nlohmann's parser reports, as events. Each function returns whether the parser is to go on.
class NlohmannEvents {
 public:
  NlohmannEvents(JsonEvents& events, BeyondBits integers) noexcept : events_(events), integers_(integers) {}

  std::optional<std::string> fault;

  bool null() { return events_.null(), true; }
  bool boolean(bool value) { return events_.boolean(value), true; }
  bool number_integer(std::int64_t value) { return events_.integer(value), true; }
  bool number_unsigned(std::uint64_t value) { return events_.positive(value), true; }
  bool number_float(double value, const std::string& text) {
    if (integers_ == BeyondBits::refused && beyond_.empty() && text.find_first_of(".eE") == std::string::npos)
      beyond_ = text;
    return events_.real(value), true;
  }
  bool string(std::string& value) { return events_.text(value), true; }
  bool binary(nlohmann::json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return events_.begin_object(), true; }
  bool key(std::string& value) { return events_.key(value), true; }
  bool end_object() { return events_.end(), true; }
  bool start_array(std::size_t /*size*/) { return events_.begin_array(), true; }
  bool end_array() { return events_.end(), true; }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const nlohmann::json::exception& exception) {
    fault = plain_what(exception.what());
    return false;
  }
  /// After the last event.
  void finish() {
    if (!beyond_.empty()) fault = "the integer " + number_or_size(beyond_) + " is beyond 64 bits";
  }

 private:
  JsonEvents& events_;
  BeyondBits integers_;
  std::string beyond_;  // the first integer without a type
};

}  // namespace

std::string plain_what(std::string_view what) {
  if (what.starts_with("[json.exception.")) {
    if (const auto end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
    what = what.substr(0, what.find("; last read: "));
    constexpr std::string_view overflow = "number overflow parsing '";
    if (what.starts_with(overflow)) {
      what.remove_prefix(overflow.size());
      return "the number " + number_or_size(what.substr(0, what.find('\''))) + " is beyond the range of a double";
    }
  }
  return std::string(what);
}

std::optional<std::string> read_json(std::string_view text, JsonEvents& events, BeyondBits integers) {
  if (wire::read_by_simdjson(text, events)) return std::nullopt;
  // nlohmann takes a NUL byte for the end of its input.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return "it has a NUL byte at offset " + std::to_string(nul);
  NlohmannEvents sax(events, integers);
  if (nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &sax)) sax.finish();
  return std::move(sax.fault);
}

}}}  // namespace noun::detail
