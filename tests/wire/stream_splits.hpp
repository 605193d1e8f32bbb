#pragma once
/// @file
/// The readers of streams, in tests: what they read of bytes that arrive in pieces.

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "wire/stream_event.hpp"

namespace noun::wire_test {

/// An event that owns its texts.
struct ReadEvent {
  std::string data;
  std::string event = {};
  std::string id = {};
  bool is_truncated = false;

  friend bool operator==(const ReadEvent&, const ReadEvent&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ReadEvent& read) {
    return out << '{' << ::testing::PrintToString(read.data) << ", " << read.event << ", "
               << ::testing::PrintToString(read.id) << (read.is_truncated ? ", truncated}" : "}");
  }
};

/// What was read of a stream.
struct ReadStream {
  std::vector<ReadEvent> events = {};
  std::optional<wire::EventPlace> too_large = {};

  friend bool operator==(const ReadStream&, const ReadStream&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ReadStream& read) {
    out << ::testing::PrintToString(read.events);
    if (read.too_large) out << " too large: " << read.too_large->number << " at " << read.too_large->offset;
    return out;
  }
};

using Pieces = std::vector<std::string_view>;

/// Each piece is a copy that is gone when the next one is read.
template <class Reader>
ReadStream read_pieces(Reader& reader, const Pieces& pieces, bool is_complete = true) {
  ReadStream read;
  const auto add = [&](const wire::StreamEvent& event) {
    read.events.push_back(
        {std::string(event.data), std::string(event.event), std::string(event.id), event.is_truncated});
  };
  for (const auto piece : pieces) {
    std::string bytes(piece);
    std::string_view rest = bytes;
    while (const auto event = reader.take(rest)) add(*event);
    EXPECT_TRUE(rest.empty() || reader.too_large());
    bytes.assign(bytes.size(), '!');
  }
  if (const auto event = reader.finish(is_complete)) add(*event);
  read.too_large = reader.too_large();
  return read;
}

/// What is read of the bytes as a whole. Expects the same of each byte by itself, and of all splits in two.
/// @param make  returns a new reader.
template <class Make>
ReadStream read_in_every_split(Make make, std::string_view bytes, bool is_complete = true) {
  const auto read = [&](const Pieces& pieces) {
    auto reader = make();
    return read_pieces(reader, pieces, is_complete);
  };
  const auto whole = read({bytes});
  Pieces single;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    single.push_back(bytes.substr(at, 1));
    EXPECT_EQ(read({bytes.substr(0, at), bytes.substr(at)}), whole) << "split at " << at;
  }
  EXPECT_EQ(read(single), whole) << "byte by byte";
  return whole;
}

}  // namespace noun::wire_test
