#include "curl/chunked.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace noun_test { namespace chunked_test {

using noun::Chunked;

struct Outcome {
  std::string content;
  Chunked::Fault fault = Chunked::Fault::none;
  bool ended = false;
  std::string rest;
};

Outcome read(std::string_view bytes, std::size_t piece_size, std::size_t max_overhead = 100) {
  Chunked chunked;
  chunked.restart(max_overhead);
  Outcome outcome;
  while (!bytes.empty() && chunked.fault() == Chunked::Fault::none) {
    auto piece = bytes.substr(0, piece_size);
    bytes.remove_prefix(piece.size());
    for (auto part = chunked.take(piece); !part.empty(); part = chunked.take(piece)) outcome.content += part;
    outcome.rest += piece;
    if (chunked.ended()) break;
  }
  outcome.fault = chunked.fault();
  outcome.ended = chunked.ended();
  return outcome;
}

TEST(Chunked, reads_the_same_for_every_split) {
  const std::string bytes =
      "5\r\nhello\r\n0006 \t;a=\"b\"\r\n world\r\nA\r\n0123456789\r\n000;x\r\nA: b\r\nC: d\r\n\r\n";
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    const auto outcome = read(bytes, size);
    EXPECT_EQ(outcome.content, "hello world0123456789");
    EXPECT_EQ(outcome.fault, Chunked::Fault::none);
    EXPECT_TRUE(outcome.ended);
  }
}

TEST(Chunked, does_not_end_before_its_last_byte) {
  const std::string bytes = "1\r\nx\r\n0\r\nA: b\r\n\r\n";
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read(std::string_view(bytes).substr(0, size), 1).ended) << size;
  EXPECT_TRUE(read(bytes, 1).ended);
}

TEST(Chunked, leaves_the_bytes_after_it) { EXPECT_EQ(read("1\r\nx\r\n0\r\n\r\nmore", 100).rest, "more"); }

TEST(Chunked, refuses_malformed_text) {
  for (const auto* bytes : {"zz\r\n",
                            "-7\r\n",
                            "+7\r\n",
                            "0x7\r\n",
                            "7x\r\n",
                            " 7\r\n",
                            "\r\n",
                            ";\r\n",
                            "1\nx\r\n",
                            "1\r\r\nx",
                            "1\rx\r\n",
                            "1\r\nxy\r\n",
                            "1\r\nx\n0\r\n\r\n",
                            "1\r\nx\r0\r\n\r\n",
                            "1;a\nb\r\nx\r\n",
                            "1;\x01\r\n",
                            "0\r\n\n",
                            "0\r\nA: b\n\r\n",
                            "0\r\nA: b\r\r\n\r\n",
                            "0\r\n\rx",
                            "8000000000000000\r\n",
                            "ffffffffffffffff\r\n",
                            "100000000000000000\r\n",
                            "00000000000000000001\r\n"})
    EXPECT_EQ(read(bytes, 1).fault, Chunked::Fault::malformed) << bytes;
}

TEST(Chunked, limits_long_extensions_and_trailers_together) {
  const std::string free(256, 'x');
  const auto with_extension = [](const std::string& text) { return "1;" + text.substr(1) + "\r\nx\r\n"; };
  const std::string end = "0\r\n\r\n";
  EXPECT_EQ(read(with_extension(free + "1234567890") + end, 1, 10).fault, Chunked::Fault::none);
  EXPECT_EQ(read("0\r\nA: b567890\r\n\r\n", 1, 10).fault, Chunked::Fault::none);
  // The last case is a trailer line that libcurl cannot read.
  for (const auto& [bytes, max_overhead] :
       {std::pair<std::string, std::size_t>(with_extension(free + "12345678901") + end, 10),
        {with_extension(free + "123456") + with_extension(free + "12345"), 10},
        {with_extension(free + "123456") + "0\r\nA: b5\r\n\r\n", 10},
        {"0\r\nA: b56\r\nA: b56\r\n\r\n", 10},
        {"0\r\nA: " + std::string(5000, 'x') + "\r\n\r\n", 1 << 20}})
    EXPECT_EQ(read(bytes, 1, max_overhead).fault, Chunked::Fault::too_large) << bytes;
}

TEST(Chunked, reads_any_number_of_chunks_with_a_signature_or_a_padded_size) {
  const std::string chunk = "1;chunk-signature=" + std::string(64, 'f') + "\r\nx\r\n1" + std::string(30, ' ') + "\r\ny\r\n";
  std::string bytes;
  constexpr std::size_t chunks = 1000;
  for (std::size_t i = 0; i < chunks; ++i) bytes += chunk;
  const auto outcome = read(bytes + "0;chunk-signature=" + std::string(64, 'f') + "\r\n\r\n", 4096);
  EXPECT_EQ(outcome.fault, Chunked::Fault::none);
  EXPECT_TRUE(outcome.ended);
  EXPECT_EQ(outcome.content.size(), 2 * chunks);
}

TEST(Chunked, keeps_its_trailers) {
  Chunked chunked;
  chunked.restart(100);
  for (std::string_view bytes : {"1\r\nx\r\n0\r\nA: b\r", "\nC: d\r\n\r", "\n"})
    while (!bytes.empty()) chunked.take(bytes);
  EXPECT_TRUE(chunked.ended());
  EXPECT_EQ(chunked.trailers(), "A: b\nC: d\n");
}

TEST(Chunked, can_restart) {
  Chunked chunked;
  chunked.restart(10);
  std::string_view bytes = "zz";
  EXPECT_EQ(chunked.take(bytes), "");
  chunked.restart(10);
  bytes = "1\r\nx\r\n0\r\n\r\n";
  EXPECT_EQ(chunked.take(bytes), "x");
  EXPECT_EQ(chunked.take(bytes), "");
  EXPECT_TRUE(chunked.ended());
}

}  // namespace chunked_test
}  // namespace noun_test
