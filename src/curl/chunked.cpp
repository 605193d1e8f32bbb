#include "curl/chunked.hpp"

#include <algorithm>

#include "wire/ascii.hpp"

namespace noun { inline namespace v0 {
namespace {

// libcurl parses the chunks too, to find the end of the body. It accepts 16 digits of a size and 4 KiB of a trailer
// line. Stricter limits here let noun detect the fault first and report it precisely.
constexpr unsigned max_digits = 15;
constexpr std::size_t max_trailer_line = 4000;

// Of each chunk: a signature of its content, or blanks after its size. A body of any size may have any number of them.
constexpr std::size_t free_extension = 256;

}  // namespace

void Chunked::restart(std::size_t max_overhead) noexcept {
  *this = Chunked{};
  max_overhead_ = max_overhead;
}

std::string_view Chunked::take(std::string_view& rest) {
  while (!rest.empty() && fault_ == Fault::none && state_ != State::ended) {
    if (state_ == State::content) {
      const auto piece = rest.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size())));
      rest.remove_prefix(piece.size());
      left_ -= piece.size();
      if (left_ == 0) state_ = State::content_cr;
      return piece;
    }
    const char byte = rest.front();
    rest.remove_prefix(1);
    step(byte);
  }
  return {};
}

void Chunked::step(char byte) {
  switch (state_) {
    case State::size: return size_digit(byte);
    case State::extension: return byte == '\r' ? expect(true, State::size_end) : extension(byte);
    case State::size_end: return byte == '\n' ? end_of_size() : fail(Fault::malformed);
    case State::content_cr: return expect(byte == '\r', State::content_lf);
    case State::content_lf: return expect(byte == '\n', State::size);
    case State::trailer_begin:
      if (byte == '\r') return expect(true, State::last_end);
      line_ = 0;
      state_ = State::trailer;
      return trailer(byte);
    case State::trailer: return byte == '\r' ? expect(true, State::trailer_end) : trailer(byte);
    case State::trailer_end: return trailer(byte);
    case State::last_end: return expect(byte == '\n', State::ended);
    case State::content:
    case State::ended: return;
  }
}

void Chunked::size_digit(char byte) noexcept {
  if (const int digit = wire::hex_value(byte); digit >= 0) {
    if (++digits_ > max_digits) return fail(Fault::malformed);
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
    return;
  }
  if (digits_ == 0) return fail(Fault::malformed);
  if (byte == '\r') return expect(true, State::size_end);
  if (byte != ';' && byte != ' ' && byte != '\t') return fail(Fault::malformed);
  state_ = State::extension;
  line_ = 0;
  extension(byte);
}

void Chunked::end_of_size() noexcept {
  state_ = left_ == 0 ? State::trailer_begin : State::content;
  digits_ = 0;
}

void Chunked::extension(char byte) noexcept {
  overhead(byte, ++line_ > free_extension ? 1 : 0);
}

void Chunked::overhead(char byte, std::size_t counted) noexcept {
  if (wire::is_control_in_field(byte)) return fail(Fault::malformed);
  overhead_ += counted;
  if (overhead_ > max_overhead_) fail(Fault::too_large);
}

void Chunked::trailer(char byte) {
  if (state_ == State::trailer_end) {
    expect(byte == '\n', State::trailer_begin);
  } else {
    overhead(byte, 1);
    if (++line_ > max_trailer_line) fail(Fault::too_large);
  }
  if (fault_ == Fault::none) trailers_ += byte;
}

void Chunked::expect(bool met, State next) noexcept {
  if (!met) return fail(Fault::malformed);
  state_ = next;
}

}}  // namespace noun
