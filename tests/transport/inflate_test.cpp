#include "transport/inflate.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <zlib.h>

#include "transport/raw_answers.hpp"

namespace noun_test {
namespace inflate_test {

using noun::Coding;
using noun::Inflate;
using Fault = Inflate::Fault;

constexpr std::size_t plenty = 1 << 30;

std::string gzip(std::string_view text) { return compressed(text, 16 + MAX_WBITS); }

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

TEST(Inflate, reads_every_form_however_it_is_cut) {
  const auto text = sample();
  const std::pair<Coding, std::string> forms[] = {{Coding::gzip, gzip(text)},
                                                  {Coding::deflate, compressed(text, MAX_WBITS)},
                                                  {Coding::deflate, compressed(text, -MAX_WBITS)}};
  for (const auto& [coding, bytes] : forms)
    for (const std::size_t size : {1U, 2U, 3U, 7U, 1000U, 1U << 30}) {
      const auto outcome = inflated(coding, bytes, size);
      EXPECT_EQ(outcome.fault, Fault::none);
      EXPECT_TRUE(outcome.ended);
      EXPECT_TRUE(outcome.text == text) << size;
    }
}

TEST(Inflate, of_little_input_may_give_much) {
  const std::string zeros(1 << 20, '\0');
  const auto outcome = inflated(Coding::gzip, gzip(zeros));
  EXPECT_TRUE(outcome.ended);
  EXPECT_TRUE(outcome.text == zeros);
}

TEST(Inflate, is_not_ended_before_its_last_byte) {
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

TEST(Inflate, refuses_what_follows_the_end) {
  EXPECT_EQ(inflated(Coding::gzip, gzip("a") + "x").fault, Fault::junk);
  EXPECT_EQ(inflated(Coding::gzip, gzip("a") + "x", 1).fault, Fault::junk);
  EXPECT_EQ(inflated(Coding::gzip, gzip("a") + gzip("b")).fault, Fault::junk);
}

TEST(Inflate, refuses_what_is_no_such_stream) {
  EXPECT_EQ(inflated(Coding::gzip, "plain text").fault, Fault::corrupt);
  EXPECT_EQ(inflated(Coding::gzip, compressed("zlib", MAX_WBITS)).fault, Fault::corrupt);
  EXPECT_EQ(inflated(Coding::deflate, "\xff\xff\xff\xff").fault, Fault::corrupt);
}

TEST(Inflate, stops_at_the_limit_of_size) {
  EXPECT_EQ(inflated(Coding::gzip, gzip(std::string(1000, 'x')), plenty, 1000).fault, Fault::none);
  EXPECT_EQ(inflated(Coding::gzip, gzip(std::string(1001, 'x')), plenty, 1000).fault, Fault::too_large);
  const auto outcome = inflated(Coding::gzip, gzip(std::string(20 << 20, '\0')), plenty, 1 << 20);
  EXPECT_EQ(outcome.fault, Fault::too_large);
  EXPECT_LE(outcome.text.size(), 1U << 20);
}

TEST(Inflate, stops_at_the_limit_of_ratio_above_a_mebibyte) {
  EXPECT_EQ(inflated(Coding::gzip, gzip(std::string(1 << 20, '\0')), plenty, plenty, 2).fault, Fault::none);
  const auto outcome = inflated(Coding::gzip, gzip(std::string(20 << 20, '\0')), plenty, plenty, 200);
  EXPECT_EQ(outcome.fault, Fault::ratio);
  EXPECT_LT(outcome.text.size(), 3U << 20);
  EXPECT_EQ(inflated(Coding::gzip, gzip(sample() + std::string(2 << 20, '\0')), plenty, plenty, 100).fault,
            Fault::none);
}

}  // namespace inflate_test
}  // namespace noun_test
