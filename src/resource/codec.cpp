#include <noun/json.hpp>

#include <atomic>

#include "wire/json_reader.hpp"
#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {

namespace {

std::atomic<const JsonDecoder*> installed_decoder = nullptr;

}  // namespace

const JsonDecoder* json_decoder() noexcept { return installed_decoder.load(std::memory_order_acquire); }

void install(const JsonDecoder* decoder) noexcept { installed_decoder.store(decoder, std::memory_order_release); }

bool read_json(std::string_view text, JsonEvents& events) { return wire::read_json(text, events); }

std::string_view integer_beyond_64_bits(std::string_view json_text) noexcept {
  return wire::json_integer_beyond_64_bits(json_text);
}

bool is_utf8(std::string_view text) noexcept { return wire::valid_utf8(text); }

}}}  // namespace noun::detail
