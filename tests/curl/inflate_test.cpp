#include "curl/inflate.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <zlib.h>

#include "curl/raw_responses.hpp"

namespace noun_test { namespace inflate_test {

using noun::Coding;
using noun::Inflate;
using Fault = Inflate::Fault;

constexpr std::size_t plenty = 1 << 30;

std::string gzip(std::string_view text) { return compressed(text); }

struct Outcome {
  std::string text;
  Fault fault = Fault::none;
  bool ended = false;
};

Outcome inflated(Coding coding, std::string_view bytes, std::size_t piece_size = plenty, std::size_t max_size = plenty,
                 std::size_t max_ratio = plenty) {
  Inflate inflate(coding, max_size, max_ratio);
  Outcome outcome;
  for (; !bytes.empty() && outcome.fault == Fault::none; bytes.remove_prefix(std::min(piece_size, bytes.size())))
    outcome.fault = inflate.write(bytes.substr(0, piece_size), outcome.text);
  outcome.ended = inflate.ended();
  return outcome;
}

std::string sample() {
  std::string text;
  for (std::uint32_t i = 0, random = 1; i < 20'000; ++i)
    text += std::to_string((random = random * 1664525 + 1013904223) >> 20);
  return text;
}

TEST(Inflate, reads_every_form_for_every_split) {
  for (const auto& text : {sample(), std::string(1 << 20, '\0')})
    for (const auto& [coding, bytes] :
         {std::pair(Coding::gzip, gzip(text)), std::pair(Coding::deflate, compressed(text, MAX_WBITS)),
          std::pair(Coding::deflate, compressed(text, -MAX_WBITS))})
      for (const std::size_t size : {1U, 2U, 3U, 7U, 1000U, 1U << 30}) {
        const auto outcome = inflated(coding, bytes, size);
        EXPECT_EQ(outcome.fault, Fault::none);
        EXPECT_TRUE(outcome.ended);
        EXPECT_TRUE(outcome.text == text) << size;
      }
}

TEST(Inflate, does_not_end_before_its_last_byte) {
  const auto bytes = gzip("hello");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto outcome = inflated(Coding::gzip, std::string_view(bytes).substr(0, size));
    EXPECT_EQ(outcome.fault, Fault::none) << size;
    EXPECT_FALSE(outcome.ended) << size;
  }
}

TEST(Inflate, finds_every_damaged_byte_of_the_checksum_and_length) {
  const auto bytes = gzip("hello");
  for (std::size_t at = bytes.size() - 8; at < bytes.size(); ++at) {
    auto damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_EQ(inflated(Coding::gzip, damaged, 1).fault, Fault::corrupt) << at;
  }
}

TEST(Inflate, refuses_malformed_streams_and_bytes_after_the_end) {
  const struct {
    Coding coding;
    std::string bytes;
    Fault fault;
  } cases[] = {
      {Coding::gzip, gzip("a") + "x", Fault::junk},
      {Coding::gzip, gzip("a") + gzip("b"), Fault::junk},
      {Coding::gzip, "plain text", Fault::corrupt},
      {Coding::gzip, compressed("zlib", MAX_WBITS), Fault::corrupt},
      {Coding::deflate, "\xff\xff\xff\xff", Fault::corrupt},
  };
  for (const auto& [coding, bytes, fault] : cases)
    for (const std::size_t size : {std::size_t{1}, plenty}) EXPECT_EQ(inflated(coding, bytes, size).fault, fault);
}

TEST(Inflate, stops_at_the_limit_of_size_and_of_ratio_above_a_mebibyte) {
  const auto zeros = [](std::size_t size) { return std::string(size, '\0'); };
  const struct {
    std::string text;
    std::size_t max_size;
    std::size_t max_ratio;
    Fault fault;
  } cases[] = {
      {zeros(1000), 1000, plenty, Fault::none},
      {zeros(1001), 1000, plenty, Fault::too_large},
      {zeros(20 << 20), 1 << 20, plenty, Fault::too_large},
      {zeros(1 << 20), plenty, 2, Fault::none},
      {zeros(20 << 20), plenty, 200, Fault::ratio},
      {sample() + zeros(2 << 20), plenty, 100, Fault::none},
  };
  for (const auto& [text, max_size, max_ratio, fault] : cases) {
    const auto outcome = inflated(Coding::gzip, gzip(text), plenty, max_size, max_ratio);
    EXPECT_EQ(outcome.fault, fault) << text.size() << " of " << max_size << ", ratio " << max_ratio;
    EXPECT_LE(outcome.text.size(), fault == Fault::ratio ? 3U << 20 : max_size);
  }
}

}  // namespace inflate_test
}  // namespace noun_test
