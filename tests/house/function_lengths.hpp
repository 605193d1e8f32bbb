#pragma once
// How long functions are, counted by braces. Right for this house's formatting, not for any C++; its test shows what
// it understands.

#include <string>
#include <string_view>
#include <vector>

namespace house {

struct FunctionLength {
  std::string head;  ///< what stands in front of the body, on one line
  std::size_t line;  ///< of its first token, from 1
  std::size_t lines;
};

/// Every function that is not inside another one, in the order of the text.
std::vector<FunctionLength> function_lengths(std::string_view text);

}  // namespace house
