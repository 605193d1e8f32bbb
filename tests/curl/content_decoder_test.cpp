#include "curl/content_decoder.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "curl/raw_responses.hpp"
#include "encoders.hpp"

namespace noun_test { namespace content_decoder_test {

using noun::Coding;
using noun::ContentDecoder;
using noun::decoded_coding;
using Fault = ContentDecoder::Fault;

constexpr std::size_t plenty = 1 << 30;

/// A coding as it is found in bodies.
struct Form {
  std::string_view name;
  Coding coding;
  std::string (*encode)(std::string_view text);
  /// The checksum and length at its end.
  std::size_t checked_bytes;
};

/// Those that noun decodes: this is compiled into a program with all libraries, and into one with zlib alone.
std::vector<Form> forms() {
  std::vector<Form> all{
      {"gzip", Coding::gzip, [](std::string_view text) { return compressed(text); }, 8},
      {"deflate", Coding::deflate, [](std::string_view text) { return compressed(text, MAX_WBITS); }, 4},
      {"raw deflate", Coding::deflate, [](std::string_view text) { return compressed(text, -MAX_WBITS); }, 0},
      {"br", Coding::br, [](std::string_view text) { return brotli(text); }, 0},
      {"zstd", Coding::zstd, [](std::string_view text) { return zstd(text); }, 4},
  };
  std::erase_if(all, [](const Form& form) { return !decoded_coding(to_string(form.coding)); });
  return all;
}

struct Outcome {
  std::string text;
  Fault fault = Fault::none;
  bool ended = false;
};

Outcome decoded(Coding coding, std::string_view bytes, std::size_t piece_size = plenty, std::size_t max_size = plenty,
                std::size_t max_ratio = plenty) {
  ContentDecoder decoder(coding, max_size, max_ratio);
  Outcome outcome;
  for (; !bytes.empty() && outcome.fault == Fault::none; bytes.remove_prefix(std::min(piece_size, bytes.size())))
    outcome.fault = decoder.write(bytes.substr(0, piece_size), outcome.text);
  outcome.ended = decoder.ended();
  return outcome;
}

std::string sample() {
  std::string text;
  for (std::uint32_t i = 0, random = 1; i < 20'000; ++i)
    text += std::to_string((random = random * 1664525 + 1013904223) >> 20);
  return text;
}

std::string zeros(std::size_t size) { return std::string(size, '\0'); }

TEST(ContentDecoder, names_what_it_decodes) {
  std::string names;
  for (const auto* name : {"gzip", "deflate", "br", "zstd"}) {
    const auto coding = decoded_coding(name);
    if (!coding) continue;
    EXPECT_EQ(to_string(*coding), name);
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  EXPECT_EQ(noun::decoded_codings(), names);
  EXPECT_EQ(decoded_coding("X-GZip"), Coding::gzip);
  for (const auto* name : {"identity", "compress", "brotli", "gzi", ""}) EXPECT_EQ(decoded_coding(name), std::nullopt);
  EXPECT_EQ(decoded_coding("BR").has_value(), noun::has_brotli());
  EXPECT_EQ(decoded_coding("zstd").has_value(), noun::has_zstd());
}

TEST(ContentDecoder, reads_every_form_for_every_split) {
  for (const auto& form : forms())
    for (const auto& text : {sample(), zeros(1 << 20)})
      for (const std::size_t size : {1U, 2U, 3U, 7U, 1000U, 1U << 30}) {
        const auto outcome = decoded(form.coding, form.encode(text), size);
        EXPECT_EQ(outcome.fault, Fault::none) << form.name;
        EXPECT_TRUE(outcome.ended) << form.name;
        EXPECT_TRUE(outcome.text == text) << form.name << size;
      }
}

TEST(ContentDecoder, does_not_end_before_its_last_byte) {
  for (const auto& form : forms())
    for (const auto& text : {std::string(), std::string("hello"), sample()}) {
      const auto bytes = form.encode(text);
      ContentDecoder decoder(form.coding, plenty, plenty);
      std::string out;
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        ASSERT_FALSE(decoder.ended()) << form.name << size;
        ASSERT_EQ(decoder.write(std::string_view(bytes).substr(size, 1), out), Fault::none) << form.name << size;
      }
      EXPECT_TRUE(decoder.ended()) << form.name;
    }
}

TEST(ContentDecoder, finds_every_damaged_byte_of_the_checksum_and_length) {
  for (const auto& form : forms()) {
    const auto bytes = form.encode("hello");
    for (std::size_t at = bytes.size() - form.checked_bytes; at < bytes.size(); ++at) {
      auto damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      EXPECT_EQ(decoded(form.coding, damaged, 1).fault, Fault::corrupt) << form.name << at;
    }
  }
}

TEST(ContentDecoder, refuses_bytes_after_the_end) {
  for (const auto& form : forms())
    for (const auto* junk : {"x", "(junk", "\x50junk"}) {
      const auto bytes = form.encode("a") + junk;
      for (const std::size_t size : {std::size_t{1}, plenty})
        EXPECT_EQ(decoded(form.coding, bytes, size).fault, Fault::junk) << form.name << junk << size;
    }
}

TEST(ContentDecoder, refuses_a_second_stream_unless_the_coding_has_several) {
  for (const auto& form : forms()) {
    const auto bytes = form.encode("a") + form.encode("b");
    const bool several = form.coding == Coding::zstd;
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, plenty}) {
      const auto outcome = decoded(form.coding, bytes, size);
      EXPECT_EQ(outcome.fault, several ? Fault::none : Fault::junk) << form.name << size;
      EXPECT_EQ(outcome.text, several ? "ab" : "a") << form.name << size;
    }
    ContentDecoder decoder(form.coding, plenty, plenty);
    std::string out;
    decoder.write(form.encode("a"), out);
    EXPECT_TRUE(decoder.ended()) << form.name;
    EXPECT_EQ(decoder.delimited(), !several) << form.name;
  }
}

TEST(ContentDecoder, refuses_malformed_streams) {
  const std::string legacy_zstd("\x27\xB5\x2F\xFD\x20\x05\x40\x00\x05hello\xC0\x00\x00", 17);
  const struct {
    Coding coding;
    std::string bytes;
  } cases[] = {
      {Coding::gzip, "plain text"},
      {Coding::gzip, compressed("zlib", MAX_WBITS)},
      {Coding::deflate, "\xff\xff\xff\xff"},
      {Coding::br, "\xff\xff\xff\xff"},
      {Coding::br, compressed("gzip")},
      {Coding::zstd, "plain text"},
      {Coding::zstd, compressed("gzip")},
      {Coding::zstd, legacy_zstd},
  };
  for (const auto& [coding, bytes] : cases)
    for (const std::size_t size : {std::size_t{1}, plenty})
      if (const auto name = to_string(coding); decoded_coding(name))
        EXPECT_EQ(decoded(coding, bytes, size).fault, Fault::corrupt) << name << ::testing::PrintToString(bytes);
}

TEST(ContentDecoder, stops_at_the_limit_of_size_and_of_ratio_above_a_mebibyte) {
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
  for (const auto& form : forms())
    for (const auto& [text, max_size, max_ratio, fault] : cases) {
      const auto outcome = decoded(form.coding, form.encode(text), plenty, max_size, max_ratio);
      EXPECT_EQ(outcome.fault, fault) << form.name << ": " << text.size() << " of " << max_size << ", ratio "
                                      << max_ratio;
      EXPECT_LE(outcome.text.size(), fault == Fault::ratio ? 3U << 20 : max_size) << form.name;
    }
}

TEST(ContentDecoder, reads_a_body_of_zstd_frames) {
  if (!noun::has_zstd()) return;
  const std::string skippable("\x5A\x2A\x4D\x18\x03\x00\x00\x00xyz", 11);
  const struct {
    std::string bytes;
    std::string text;
    bool ended = true;
  } cases[] = {
      {zstd("") + zstd("a"), "a"},
      {skippable, ""},
      {skippable + zstd("a") + skippable + zstd("b") + skippable, "ab"},
      {zstd("a") + skippable.substr(0, 10), "a", false},
      {zstd("a") + zstd("b").substr(0, 3), "a", false},
  };
  for (const auto& [bytes, text, ended] : cases)
    for (const std::size_t size : {std::size_t{1}, std::size_t{5}, plenty}) {
      const auto outcome = decoded(Coding::zstd, bytes, size);
      EXPECT_EQ(outcome.fault, Fault::none);
      EXPECT_EQ(outcome.text, text);
      EXPECT_EQ(outcome.ended, ended);
    }
}

TEST(ContentDecoder, refuses_a_window_that_the_coding_does_not_have) {
  const std::string single_segment("\x28\xB5\x2F\xFD\xA0\x01\x00\x80\x00", 9);
  for (const std::size_t size : {std::size_t{1}, plenty}) {
    if (noun::has_zstd()) {
      EXPECT_EQ(decoded(Coding::zstd, zstd("hello", 23), size).text, "hello");
      EXPECT_EQ(decoded(Coding::zstd, zstd("hello", 24), size).fault, Fault::window);
      EXPECT_EQ(decoded(Coding::zstd, zstd("a", 20) + zstd("b", 27), size).fault, Fault::window);
      EXPECT_EQ(decoded(Coding::zstd, single_segment, size).fault, Fault::window) << "its window is its text";
    }
    if (noun::has_brotli()) {
      EXPECT_EQ(decoded(Coding::br, brotli("hello", 24), size).text, "hello");
      EXPECT_EQ(decoded(Coding::br, brotli("hello", 25), size).fault, Fault::corrupt);
    }
  }
}

}  // namespace content_decoder_test
}  // namespace noun_test
