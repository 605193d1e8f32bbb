#include "wire/spelling.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr std::size_t longest_piece = 256;
/// A spelling of a letter is shorter.
constexpr std::size_t reach = 32;
constexpr std::size_t most_ways = 4;
constexpr std::uint32_t no_entry = std::numeric_limits<std::uint32_t>::max();

std::optional<char32_t> code_in(std::string_view digits, int base = 16) {
  return read_integer<std::uint32_t>(digits, base);
}

bool is_surrogate(char32_t code) { return code >= 0xD800 && code <= 0xDFFF; }

/// Calls `visit(meaning, length)` for each letter that a percent sign begins. It is itself encoded as `%25`, each time
/// that a URL becomes a part of another one.
template <class Visit>
void for_each_percent_code(std::string_view text, Visit visit) {
  constexpr std::size_t most_digits = 16;
  for (std::size_t digits = 1; digits + 2 <= text.size() && digits < most_digits; digits += 2) {
    const auto code = code_in(text.substr(digits, 2));
    if (!code) return;
    const char letter = static_cast<char>(*code);
    visit(std::string_view(&letter, 1), digits + 2);
    if (letter != '%') return;
  }
}

template <class Visit>
void visit_character(char32_t code, std::size_t length, Visit visit) {
  if (is_surrogate(code) || code > 0x10FFFF) return;
  std::string character;
  append_character(character, code);
  visit(std::string_view(character), length);
}

/// @source HTML Living Standard, section 13.5.
template <class Visit>
void for_each_reference(std::string_view text, Visit visit) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
  for (const auto& [name, meaning] : names)
    if (text.starts_with(name)) return visit(meaning, name.size());
  constexpr std::size_t longest = 10;
  const auto end = text.substr(0, longest).find(';');
  if (!text.starts_with("&#") || end == std::string_view::npos) return;
  const bool is_hexadecimal = text[2] == 'x' || text[2] == 'X';
  const std::size_t start = is_hexadecimal ? 3 : 2;
  if (start >= end) return;
  if (const auto code = code_in(text.substr(start, end - start), is_hexadecimal ? 16 : 10))
    visit_character(*code, end + 1, visit);
}

constexpr std::size_t json_code = 6;

std::optional<char32_t> json_unit(std::string_view text) {
  if (!text.starts_with("\\u") || text.size() < json_code) return std::nullopt;
  return code_in(text.substr(2, json_code - 2));
}

/// @source RFC 8259, section 7: a character above U+FFFF is a pair of surrogates.
template <class Visit>
void for_each_json_escape(std::string_view text, Visit visit) {
  if (text.size() > 1) visit(text.substr(1, 1), std::size_t{2});
  const auto high = json_unit(text);
  if (!high) return;
  visit_character(*high, json_code, visit);
  if (*high < 0xD800 || *high > 0xDBFF) return;
  const auto low = json_unit(text.substr(json_code));
  if (low && *low >= 0xDC00 && *low <= 0xDFFF)
    visit_character(0x10000 + ((*high - 0xD800) << 10U) + (*low - 0xDC00), 2 * json_code, visit);
}

/// Calls `visit(meaning, length)` for each way to read the start of the text, which is not empty.
template <class Visit>
void for_each_letter(std::string_view text, Visit visit) {
  const auto both = [&](std::string_view meaning, std::size_t length) {
    visit(meaning, length);
    if (meaning == "+") visit(std::string_view(" "), length);
  };
  both(text.substr(0, 1), std::size_t{1});
  if (text.front() == '%') for_each_percent_code(text, both);
  if (text.front() == '\\') for_each_json_escape(text, both);
  if (text.front() == '&') for_each_reference(text, both);
}

}  // namespace

/// One pass over a text.
struct SpellingSearch::Reading {
  /// A letter of the text that is a part of the start of a word.
  struct Entry {
    std::uint32_t node;
    /// The letter before it; or no_entry, if a word begins here.
    std::uint32_t before;
    TextPart part;
  };
  /// The ways to read the text up to one place.
  struct Front {
    std::array<std::uint32_t, most_ways> entries = {};
    std::size_t size = 0;
  };

  const SpellingSearch& words;
  std::vector<Entry> entries;
  std::array<Front, reach> fronts;

  void read(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      auto& front = fronts[at % reach];
      for_each_letter(text.substr(at, reach - 1), [&](std::string_view meaning, std::size_t length) {
        const TextPart part{at, at + length};
        for (std::size_t i = 0; i < front.size; ++i) advance(front.entries[i], meaning, part);
        advance(no_entry, meaning, part);
      });
      front.size = 0;
    }
  }

  /// @param from  the letter before `meaning`, which has the bytes of one character.
  void advance(std::uint32_t from, std::string_view meaning, const TextPart& part) {
    for (const char letter : meaning) {
      const auto node = words.step(from == no_entry ? root : entries[from].node, to_lower(letter));
      if (node == root) {
        from = no_entry;
        continue;
      }
      entries.push_back({node, words.nodes_[node].depth > 1 ? from : no_entry, part});
      from = static_cast<std::uint32_t>(entries.size() - 1);
    }
    if (from != no_entry) add_way(fronts[part.end % reach], from);
  }

  void add_way(Front& front, std::uint32_t entry) const {
    const auto depth = [&](std::uint32_t each) { return words.nodes_[entries[each].node].depth; };
    const auto end = front.entries.begin() + static_cast<std::ptrdiff_t>(front.size);
    if (std::any_of(front.entries.begin(), end,
                    [&](std::uint32_t each) { return entries[each].node == entries[entry].node; }))
      return;
    if (front.size < most_ways) {
      front.entries[front.size++] = entry;
      return;
    }
    const auto shortest = std::min_element(front.entries.begin(), end, [&](std::uint32_t left, std::uint32_t right) {
      return depth(left) < depth(right);
    });
    if (depth(*shortest) < depth(entry)) *shortest = entry;
  }

  /// From the ends of the words back to their starts.
  std::vector<TextPart> found() const {
    std::vector<TextPart> parts;
    std::vector<std::uint32_t> letters(entries.size());
    for (auto i = entries.size(); i-- > 0;) {
      const auto& entry = entries[i];
      letters[i] = std::max(letters[i], words.nodes_[entry.node].longest);
      if (letters[i] == 0) continue;
      parts.push_back(entry.part);
      if (entry.before != no_entry) letters[entry.before] = std::max(letters[entry.before], letters[i] - 1);
    }
    std::sort(parts.begin(), parts.end(),
              [](const TextPart& left, const TextPart& right) { return left.begin < right.begin; });
    std::size_t kept = 0;
    for (const auto& part : parts) {
      if (kept > 0 && part.begin <= parts[kept - 1].end)
        parts[kept - 1].end = std::max(parts[kept - 1].end, part.end);
      else
        parts[kept++] = part;
    }
    parts.resize(kept);
    return parts;
  }
};

SpellingSearch::SpellingSearch(std::span<const std::string> words) : nodes_(1) {
  for (const std::string_view word : words) {
    for (std::size_t at = 0; at + longest_piece < word.size(); at += longest_piece) add(word.substr(at, longest_piece));
    add(word.substr(word.size() - std::min(word.size(), longest_piece)));
  }
  add_fallbacks();
}

std::vector<TextPart> SpellingSearch::find(std::string_view text) const {
  if (nodes_.size() == 1) return {};
  Reading reading{*this, {}, {}};
  reading.read(text);
  return reading.found();
}

void SpellingSearch::add(std::string_view word) {
  auto node = root;
  for (const char each : word) {
    const char letter = to_lower(each);
    auto next = child(node, letter);
    if (next == root) {
      next = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({.sibling = nodes_[node].first_child, .depth = nodes_[node].depth + 1, .letter = letter});
      nodes_[node].first_child = next;
      if (node == root) first_[static_cast<unsigned char>(letter)] = next;
    }
    node = next;
  }
  nodes_[node].longest = nodes_[node].depth;
}

void SpellingSearch::add_fallbacks() {
  std::vector<std::uint32_t> by_depth = {root};
  by_depth.reserve(nodes_.size());
  for (std::size_t i = 0; i < by_depth.size(); ++i) {
    const auto parent = by_depth[i];
    for (auto node = nodes_[parent].first_child; node != root; node = nodes_[node].sibling) {
      if (parent != root) nodes_[node].fallback = step(nodes_[parent].fallback, nodes_[node].letter);
      nodes_[node].longest = std::max(nodes_[node].longest, nodes_[nodes_[node].fallback].longest);
      by_depth.push_back(node);
    }
  }
}

std::uint32_t SpellingSearch::child(std::uint32_t node, char letter) const {
  if (node == root) return first_[static_cast<unsigned char>(letter)];
  for (auto each = nodes_[node].first_child; each != root; each = nodes_[each].sibling)
    if (nodes_[each].letter == letter) return each;
  return root;
}

std::uint32_t SpellingSearch::step(std::uint32_t node, char letter) const {
  for (;;) {
    const auto next = child(node, letter);
    if (next != root || node == root) return next;
    node = nodes_[node].fallback;
  }
}

}}}  // namespace noun::wire
