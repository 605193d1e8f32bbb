// gdb hides the query parameters that noun hides: the printer has a copy of the words in their names.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "house/house_tree.hpp"

namespace house { namespace gdb_printer_test {

/// The texts in quotation marks of a file, from `start` to the first `end` after `last`.
std::vector<std::string> quoted(std::string_view path, std::string_view start, std::string_view last, char end) {
  const auto& files = repository();
  const auto file = std::find_if(files.begin(), files.end(), [&](const auto& each) { return each.path == path; });
  if (file == files.end()) return {};
  const std::string_view text = file->text;
  const auto from = text.find(start);
  const auto at = text.find(last, from);
  if (from == text.npos || at == text.npos) return {};
  auto rest = text.substr(from, text.find(end, at) - from);
  std::vector<std::string> words;
  for (auto open = rest.find('"'); open != rest.npos; open = rest.find('"')) {
    rest.remove_prefix(open + 1);
    words.emplace_back(rest.substr(0, rest.find('"')));
    rest.remove_prefix(words.back().size() + 1);
  }
  return words;
}

TEST(GdbPrinter, hides_the_parameters_that_noun_hides) {
  const auto own = quoted("src/call/redaction.cpp", "secret_words[]", "harmless_ends[]", ';');
  EXPECT_GT(own.size(), 10U);
  EXPECT_EQ(quoted("cmake/noun_gdb.py", "SECRET_WORDS = ", "HARMLESS_ENDS = ", ')'), own);
}

}  // namespace gdb_printer_test
}  // namespace house
