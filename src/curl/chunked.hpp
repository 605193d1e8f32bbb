#pragma once
/// @file
/// A strict decoder of the chunked coding (RFC 9112, section 7.1), with a limit on everything that is not content.
/// Independent of network and libcurl.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// Extracts the content of a chunked body, piece by piece, and its trailers.
class Chunked {
 public:
  enum class Fault {
    none,
    malformed,  ///< violates the grammar of RFC 9112, section 7.1
    too_large,  ///< long extensions and trailers exceed the limit
  };

  /// Starts a new body. `max_overhead` limits the bytes of its extensions and trailers together. Of the extensions of
  /// each chunk only those after the first 256 bytes count.
  void restart(std::size_t max_overhead) noexcept;

  /// Takes the next piece of content from `rest`. An empty piece means that `rest` is used up, the body ended or a
  /// fault was found.
  std::string_view take(std::string_view& rest);

  /// Whether the whole body was read, including its final empty line.
  bool ended() const noexcept { return state_ == State::ended; }
  Fault fault() const noexcept { return fault_; }
  /// The lines of the trailer section, each with `\n` at its end. What they say is not checked.
  const std::string& trailers() const noexcept { return trailers_; }

 private:
  enum class State {
    size,
    extension,
    size_end,
    content,
    content_cr,
    content_lf,
    trailer_begin,
    trailer,
    trailer_end,
    last_end,
    ended
  };

  void step(char byte);
  void size_digit(char byte) noexcept;
  void end_of_size() noexcept;
  void extension(char byte) noexcept;
  void overhead(char byte, std::size_t counted) noexcept;
  void trailer(char byte);
  void expect(bool met, State next) noexcept;
  void fail(Fault fault) noexcept { fault_ = fault; }

  State state_ = State::size;
  Fault fault_ = Fault::none;
  std::uint64_t left_ = 0;
  unsigned digits_ = 0;
  /// Of the extensions of a chunk, or of a trailer.
  std::size_t line_ = 0;
  std::size_t overhead_ = 0;
  std::size_t max_overhead_ = 0;
  std::string trailers_;
};

}}  // namespace noun
