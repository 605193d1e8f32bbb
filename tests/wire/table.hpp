#pragma once
/// @file
/// Tables of test cases for functions of text.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace noun::wire_test {

/// Pairs of an input and the expected result.
template <class Expected, class Input = std::string_view>
using Table = std::vector<std::pair<Input, Expected>>;

inline std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace noun::wire_test
