#include "curl/curl_body.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace noun_test { namespace curl_body_test {

using noun::Limits;
using noun::curl::Body;
using noun::curl::Framing;

constexpr std::size_t mebibyte = std::size_t{1024} * 1024;

/// How often the text moves while a body arrives in pieces.
int moves_of(std::size_t size, const Framing& framing) {
  Body body;
  std::string text;
  const Limits limits;
  EXPECT_FALSE(body.restart(framing, limits, text));
  const std::string piece(16 * 1024, 'x');
  int moves = 0;
  for (const auto* at = text.data(); text.size() < size;) {
    EXPECT_FALSE(body.write(piece));
    if (at != text.data()) ++moves, at = text.data();
  }
  return moves;
}

TEST(CurlBody, a_declared_length_bounds_how_often_the_text_moves) {
  EXPECT_EQ(moves_of(mebibyte, {.length = mebibyte}), 0);
  EXPECT_LE(moves_of(48 * mebibyte, {.length = 48 * mebibyte}), 2);
}

TEST(CurlBody, reserves_no_more_than_what_has_arrived_justifies) {
  Body body;
  std::string text;
  const Limits limits;
  ASSERT_FALSE(body.restart({.length = 60 * mebibyte}, limits, text));
  // A standard library may round up.
  constexpr std::size_t rounding = 4096;
  EXPECT_LE(text.capacity(), mebibyte + rounding);
  ASSERT_FALSE(body.write(std::string(mebibyte + rounding + 1, 'x')));
  EXPECT_GT(text.capacity(), 2 * mebibyte);
  EXPECT_LE(text.capacity(), 17 * mebibyte);
}

/// Whether a body is complete after each of the pieces.
std::vector<bool> complete_after(const std::vector<std::string>& pieces, const Framing& framing) {
  Body body;
  std::string text;
  const Limits limits;
  EXPECT_FALSE(body.restart(framing, limits, text));
  std::vector<bool> all{body.complete()};
  for (const auto& piece : pieces) {
    EXPECT_FALSE(body.write(piece));
    all.push_back(body.complete());
  }
  return all;
}

TEST(CurlBody, is_complete_when_as_many_bytes_have_arrived_as_its_framing_says) {
  using All = std::vector<bool>;
  EXPECT_EQ(complete_after({"abc", "de"}, {.length = 5}), (All{false, false, true}));
  EXPECT_EQ(complete_after({"3\r\nabc\r\n", "0\r\n\r\n"}, {.chunked = true}), (All{false, false, true}));
  EXPECT_EQ(complete_after({"abc"}, {}), (All{false, false})) << "it ends with its connection";
  EXPECT_EQ(complete_after({}, {.length = 0}), All{true});
  EXPECT_EQ(complete_after({}, {.bodyless = true, .length = 5}), All{true}) << "a HEAD has none";
}

TEST(CurlBody, of_no_bytes_is_empty_whatever_its_coding) {
  using noun::Coding;
  const auto end_of = [](const Framing& framing, std::string_view bytes) -> std::string {
    Body body;
    std::string text;
    const Limits limits;
    EXPECT_FALSE(body.restart(framing, limits, text));
    EXPECT_FALSE(body.write(bytes));
    const auto fault = body.finish();
    return fault ? fault->what : "";
  };
  for (const auto coding : {Coding::gzip, Coding::deflate, Coding::br, Coding::zstd}) {
    EXPECT_EQ(end_of({.chunked = true, .coding = coding}, "0\r\n\r\n"), "") << to_string(coding);
    EXPECT_EQ(end_of({.coding = coding, .length = 0}, ""), "");
    EXPECT_EQ(end_of({.coding = coding}, ""), "");
  }
  EXPECT_EQ(end_of({.chunked = true, .coding = Coding::gzip}, "1\r\n\x1f\r\n0\r\n\r\n"), "an incomplete gzip body");
  EXPECT_EQ(end_of({.chunked = true, .coding = Coding::gzip}, "0\r\n"), "an incomplete chunked body");
}

}  // namespace curl_body_test
}  // namespace noun_test
