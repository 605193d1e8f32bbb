#include "curl/curl_head.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/keep_alive.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

// As many as glibc allocates quickly: less than 1 KiB.
constexpr std::size_t usual_fields = 15;

Fault protocol(std::string_view what) { return {Errc::protocol, std::string(what)}; }
// What the server would send again.
Fault unsupported(std::string_view what) { return {Errc::protocol, std::string(what), Retryable::no}; }

constexpr std::array<bool, 256> is_name_character = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = wire::is_token_letter(static_cast<char>(c));
  return table;
}();

bool is_name(std::string_view text) noexcept {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_name_character[static_cast<unsigned char>(c)]; });
}

// Whether one of eight bytes may be a control character. Checks all of them at once, because every byte of a head is
// checked. A tab is a false positive.
constexpr bool may_have_control(std::uint64_t eight) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
  const auto below_space = (eight - ones * 0x20) & ~eight;
  const auto deletes = eight ^ (ones * 0x7F);
  return ((below_space | ((deletes - ones) & ~deletes)) & tops) != 0;
}

bool may_have_control(const char* eight_bytes) noexcept {
  std::uint64_t eight;
  std::memcpy(&eight, eight_bytes, sizeof eight);
  return may_have_control(eight);
}

bool has_control(std::string_view text) noexcept {
  constexpr std::size_t step = sizeof(std::uint64_t);
  if (text.size() >= step) {
    // The last step overlaps the one before, instead of checking the rest byte by byte.
    const auto last = text.size() - step;
    std::size_t at = 0;
    while (at < last && !may_have_control(text.data() + at)) at += step;
    if (at >= last && !may_have_control(text.data() + last)) return false;
  }
  return std::any_of(text.begin(), text.end(), wire::is_control_in_field);
}

std::string_view without_line_end(std::string_view raw) noexcept {
  if (!raw.empty() && raw.back() == '\n') raw.remove_suffix(1);
  if (!raw.empty() && raw.back() == '\r') raw.remove_suffix(1);
  return raw;
}

}  // namespace

void Head::restart(Method method, const Limits& limits, Response& response) {
  *this = Head{};
  method_ = method;
  limits_ = &limits;
  response_ = &response;
}

std::optional<Fault> Head::line(std::string_view raw) {
  bytes_ += raw.size();
  if (bytes_ > limits_->head)
    return Fault{Errc::too_large,
                 fmt::format("a head of more than {} bytes (ClientOptions::limits.head)", limits_->head)};
  const auto text = without_line_end(raw);
  if (complete_) return trailer(text);
  if (!in_head_) return status_line(text);
  if (text.empty()) return end_of_head();
  if (has_control(text)) return protocol("a control character in its head");
  return wire::is_ows(text.front()) ? folded(text) : field(text);
}

std::optional<Fault> Head::status_line(std::string_view text) {
  const auto space = text.find(' ');
  const auto version = text.substr(0, space);
  const auto rest = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  if (version != "HTTP/1.1" && version != "HTTP/2" && version != "HTTP/1.0")
    return protocol("a status line that is not HTTP/1.0, HTTP/1.1 or HTTP/2");
  if (version == "HTTP/2" && !http2_expected_)
    return unsupported("a status line of HTTP/2 on a connection of HTTP/1");
  if (rest.size() < 3 || !std::all_of(rest.begin(), rest.begin() + 3, wire::is_digit) ||
      (rest.size() > 3 && rest[3] != ' '))
    return protocol("a status that is not three digits");
  status_ = (rest[0] - '0') * 100 + (rest[1] - '0') * 10 + (rest[2] - '0');
  if (status_ < 100 || status_ > 599) return unsupported(fmt::format("the invalid status {}", rest.substr(0, 3)));
  if (status_ == 101) return unsupported("a protocol switch (101) that was not requested");
  in_head_ = true;
  has_field_ = false;
  if (interim()) return std::nullopt;
  framing_.http2 = version == "HTTP/2";
  old_ = version == "HTTP/1.0";
  response_->status = status_;
  response_->headers.reserve(usual_fields);
  return std::nullopt;
}

std::optional<Fault> Head::count_field() {
  if (++fields_ <= limits_->fields) return std::nullopt;
  return Fault{Errc::too_large,
               fmt::format("more than {} header fields (ClientOptions::limits.fields)", limits_->fields)};
}

std::optional<Fault> Head::field(std::string_view text) {
  if (auto fault = count_field()) return fault;
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  if (colon == std::string_view::npos || !is_name(name)) return protocol("an invalid header field name");
  has_field_ = true;
  if (interim()) return std::nullopt;
  response_->headers.push_back({std::string(name), std::string(wire::trimmed(text.substr(colon + 1)))});
  return std::nullopt;
}

std::optional<Fault> Head::trailer(std::string_view text) {
  if (auto fault = count_field()) return fault;
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  if (colon == std::string_view::npos || !is_name(name) || has_control(text)) return std::nullopt;
  response_->trailers.push_back({std::string(name), std::string(wire::trimmed(text.substr(colon + 1)))});
  return std::nullopt;
}

// RFC 9112, section 5.2: a user agent reads a folded line as part of the value before it. Each one counts as a field,
// which bounds the copies that appending makes.
std::optional<Fault> Head::folded(std::string_view text) {
  if (auto fault = count_field()) return fault;
  if (!has_field_) return protocol("a folded line without a field before it");
  if (interim()) return std::nullopt;
  Headers unfolded;
  unfolded.reserve(response_->headers.size());
  for (const auto& one : response_->headers) {
    const bool last = unfolded.size() + 1 == response_->headers.size();
    unfolded.push_back({one.name, last
                                      ? std::string(wire::trimmed(fmt::format("{} {}", one.value, wire::trimmed(text))))
                                      : one.value});
  }
  response_->headers = std::move(unfolded);
  return std::nullopt;
}

std::optional<Fault> Head::end_of_head() {
  in_head_ = false;
  if (interim()) return std::nullopt;
  if (auto fault = read_framing()) return fault;
  complete_ = true;
  return framing_.bodyless ? std::nullopt : read_coding();
}

std::optional<Fault> Head::read_framing() {
  bool encoded = false;
  for (const auto& [name, value] : response_->headers) {
    if (name.size() == 14 && same_name(name, "Content-Length")) {
      if (auto fault = content_length(value)) return fault;
    } else if (name.size() == 17 && same_name(name, "Transfer-Encoding")) {
      if (encoded || !same_name(value, "chunked")) return unsupported("a Transfer-Encoding other than chunked");
      encoded = true;
    } else if (name.size() == 10 && !framing_.http2 && same_name(name, "Keep-Alive")) {
      read_keep_alive(value);
    } else if (name.size() == 10 && !framing_.http2 && same_name(name, "Connection")) {
      read_connection(value);
    }
  }
  const bool empty_by_status = status_ == 204 || status_ == 304;
  framing_.bodyless = method_ == Method::head || empty_by_status;
  framing_.chunked = encoded && !framing_.bodyless;
  // RFC 9112, section 6.3: chunked overrides a length. A body after a 204 or 304 is not read and would remain in the
  // connection.
  if (encoded && framing_.length) framing_.reusable = false;
  // RFC 9112, section 6.1: the framing is faulty.
  if (encoded && old_) framing_.reusable = false;
  if (empty_by_status && (encoded || framing_.length.value_or(0) > 0)) framing_.reusable = false;
  if (encoded) framing_.length.reset();
  const bool unframed = !framing_.http2 && !framing_.bodyless && !framing_.chunked && !framing_.length;
  framing_.last = close_ || (old_ && !keep_alive_) || unframed;
  return std::nullopt;
}

std::optional<Fault> Head::content_length(std::string_view value) {
  std::uint64_t length = 0;
  const auto end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, length);
  if (error != std::errc{} || stop != end) return protocol("a Content-Length that is not a number");
  if (framing_.length && *framing_.length != length) return protocol("two different Content-Lengths");
  framing_.length = length;
  return std::nullopt;
}

// A request that is sent near the end may cross the close on its way, so the last second is not used, and of a short
// time the second half.
void Head::read_keep_alive(std::string_view value) {
  constexpr Duration margin = std::chrono::seconds(1);
  const auto reported = wire::keep_alive_timeout(value);
  if (!reported) return;
  const Duration timeout = *reported;
  framing_.reusable_for = std::min(framing_.reusable_for, timeout - std::min(margin, timeout / 2));
}

// RFC 9112, section 9.3.
void Head::read_connection(std::string_view value) {
  while (!value.empty()) {
    const auto option = wire::take_element(value, ",");
    close_ = close_ || same_name(option, "close");
    keep_alive_ = keep_alive_ || same_name(option, "keep-alive");
  }
}

std::optional<Fault> Head::read_coding() {
  for (const auto& [name, value] : response_->headers)
    if (name.size() == 16 && same_name(name, "Content-Encoding"))
      if (auto fault = content_coding(value)) return fault;
  return std::nullopt;
}

std::optional<Fault> Head::content_coding(std::string_view value) {
  while (!value.empty()) {
    const auto name = wire::take_element(value, ",");
    if (name.empty() || same_name(name, "identity")) continue;
    const auto coding = decoded_coding(name);
    if (!coding) return unsupported(fmt::format("a Content-Encoding other than {}", decoded_codings()));
    if (framing_.coding != Coding::identity) return unsupported("more than one content coding");
    framing_.coding = *coding;
  }
  return std::nullopt;
}

}}}  // namespace noun::curl
