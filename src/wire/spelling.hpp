#pragma once
/// @file
/// Finds words in text that may have been escaped.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// A part of a text: the bytes from `begin` to before `end`.
struct TextPart {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const TextPart&, const TextPart&) = default;
};

/// Finds many words in one pass over a text: an Aho-Corasick automaton that is run along each way to read the text. A
/// letter is literal, in upper or lower case, JSON-escaped (`\/`, `\u002F`; RFC 8259, section 7), percent-encoded up to
/// eight times (`%2F`, `%252F`; RFC 3986, section 2.1), or a character reference of HTML (`&#x2F;`, `&amp;`). A `+` is
/// also a space. The time is linear in the text, whatever the text and the words are: of the ways to read it the four
/// with the longest starts of words are followed, and a word of more than 256 bytes is searched as pieces of 256 bytes.
class NOUN_API SpellingSearch {
 public:
  SpellingSearch() : SpellingSearch(std::span<const std::string>{}) {}
  explicit SpellingSearch(std::span<const std::string> words);

  /// The parts of `text` that spell a word, in order. Those that overlap or touch are one.
  std::vector<TextPart> find(std::string_view text) const;

 private:
  static constexpr std::uint32_t root = 0;

  /// A start of words, as a path from the root.
  struct Node {
    std::uint32_t first_child = root;
    std::uint32_t sibling = root;
    /// The longest end of this path that is the start of a word too.
    std::uint32_t fallback = root;
    /// The length of the longest word that ends here; 0 if none does.
    std::uint32_t longest = 0;
    std::uint32_t depth = 0;
    char letter = '\0';
  };
  struct Reading;

  void add(std::string_view word);
  void add_fallbacks();
  std::uint32_t child(std::uint32_t node, char letter) const;
  std::uint32_t step(std::uint32_t node, char letter) const;

  std::vector<Node> nodes_;
  std::array<std::uint32_t, 256> first_ = {};
};

}}}  // namespace noun::wire
