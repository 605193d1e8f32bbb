#pragma once
/// @file
/// The body of one answer, from the bytes on the wire to the text that the caller gets: transfer coding, ceilings,
/// content coding, and whether it came to its end. What a head says is curl_head's.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <noun/limits.hpp>

#include "transport/chunked.hpp"
#include "transport/curl_fault.hpp"
#include "transport/curl_head.hpp"
#include "transport/inflate.hpp"

namespace noun { inline namespace v0 { namespace curl {

/// Reads one body into a string.
class Body {
 public:
  /// Begins a new body, whose content goes to `out`; both references must outlive it.
  /// @returns  what is already wrong with its announced length. Throws std::bad_alloc.
  std::optional<Fault> restart(const Framing& framing, const Limits& limits, std::string& out);

  /// Takes bytes as they were sent, framing of chunks included.
  /// @returns  what is wrong with them. Throws std::bad_alloc.
  std::optional<Fault> write(std::string_view bytes);

  /// To be asked when libcurl says that the answer is over.
  std::optional<Fault> finish() const;

  /// Whether the server sent more than the body.
  bool excess() const noexcept { return excess_; }

 private:
  std::optional<Fault> unchunk(std::string_view bytes);
  std::optional<Fault> content(std::string_view bytes);
  std::optional<Fault> told(Inflate::Fault fault) const;

  const Limits* limits_ = nullptr;
  std::string* out_ = nullptr;
  bool chunked_ = false;
  bool excess_ = false;
  std::size_t wire_ = 0;
  Chunked chunks_;
  std::optional<Inflate> inflate_;
};

}}}  // namespace noun::curl
