#pragma once
/// @file
/// A body of text and files, read piece by piece.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <noun/http.hpp>
#include <noun/transport.hpp>

namespace noun { inline namespace v0 {

/// A piece of a body: text, or a file.
struct StreamPiece {
  Body text = {};
  /// Of the file; empty for text.
  std::string path = {};
  /// In bytes; of a file, as measured by open_stream().
  std::uint64_t size = 0;
};

/// Measures the files and makes a body of the pieces.
/// @returns  `invalid_argument` if a file cannot be read or is not a regular file. Throws std::bad_alloc.
Result<std::shared_ptr<const BodySource>> open_stream(std::vector<StreamPiece> pieces);

}}  // namespace noun
