#include "house/function_lengths.hpp"

#include <algorithm>
#include <cctype>

#include "house/house_tree.hpp"

namespace house {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view first_word(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_word);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// Behind the bracket that closes the one at the front.
std::string_view behind_bracket(std::string_view text, char open, char close) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == open ? 1 : text[i] == close ? -1 : 0;
    if (depth == 0) return trimmed(text.substr(i + 1));
  }
  return {};
}

/// The head without attributes, template parameters and macro calls in front of it.
std::string_view bare_head(std::string_view head) {
  for (head = trimmed(head);;) {
    const auto word = first_word(head);
    const auto rest = trimmed(head.substr(word.size()));
    const bool is_macro = !word.empty() && std::none_of(word.begin(), word.end(), [](char c) {
      return std::islower(static_cast<unsigned char>(c)) != 0;
    });
    std::string_view next;
    if (head.starts_with("[[")) {
      next = behind_bracket(head, '[', ']');
    } else if (word == "template" && rest.starts_with("<")) {
      next = behind_bracket(rest, '<', '>');
    } else if (is_macro && rest.starts_with("(")) {
      next = behind_bracket(rest, '(', ')');
    }
    // A macro with nothing behind it is itself the head, as TEST is.
    if (next.empty()) return head;
    head = next;
  }
}

enum class Scope { open, function, value };

/// What a brace opens, by what stands in front of it outside of any function.
Scope scope_behind(std::string_view whole_head) {
  const auto head = bare_head(whole_head);
  const auto word = first_word(head);
  const bool calls = head.find('(') != std::string_view::npos;
  if (word == "namespace" || word == "class" || word == "struct" || word == "union" || word == "enum") {
    return Scope::open;
  }
  if (word == "inline" && first_word(trimmed(head.substr(6))) == "namespace") return Scope::open;
  if (word == "extern" && !calls) return Scope::open;
  if (word == "requires") {
    // A constrained template: of a class, if one is named.
    const bool is_class =
        head.find(" class ") != std::string_view::npos || head.find(" struct ") != std::string_view::npos;
    return is_class ? Scope::open : Scope::function;
  }
  return calls ? Scope::function : Scope::value;
}

class Counter {
 public:
  explicit Counter(std::string_view text) : code_(code_only(text)) {}

  std::vector<FunctionLength> count() {
    for (; at_ < code_.size(); ++at_) {
      const char c = code_[at_];
      if (c == '\n') ++line_;
      if (c == '{') {
        open();
      } else if (c == '}' || c == ';') {
        head_.clear();
      } else {
        extend(c);
      }
    }
    return std::move(found_);
  }

 private:
  void extend(char c) {
    if (head_.empty() && is_space(c)) return;
    if (head_.empty()) head_line_ = line_;
    head_ += is_space(c) ? ' ' : c;
    if (head_ == "public:" || head_ == "private:" || head_ == "protected:") head_.clear();
  }

  void open() {
    const Scope scope = scope_behind(head_);
    if (scope == Scope::open) {
      head_.clear();
      return;
    }
    skip_block();
    const auto next = code_.find_first_not_of(" \n\t", at_ + 1);
    const bool goes_on =
        next != std::string::npos && std::string_view(",{)(.]").find(code_[next]) != std::string_view::npos;
    if (goes_on) {
      // A value in braces, as in a constructor's initialisers: the head is not over.
      head_ += "{}";
      return;
    }
    if (scope == Scope::function) found_.push_back({std::string(trimmed(head_)), head_line_, line_ - head_line_ + 1});
    head_.clear();
  }

  /// From an opening brace to the one that closes it.
  void skip_block() {
    for (int depth = 0; at_ < code_.size(); ++at_) {
      if (code_[at_] == '\n') ++line_;
      depth += code_[at_] == '{' ? 1 : code_[at_] == '}' ? -1 : 0;
      if (depth == 0) return;
    }
  }

  std::string code_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::string head_;
  std::size_t head_line_ = 1;
  std::vector<FunctionLength> found_;
};

}  // namespace

std::vector<FunctionLength> function_lengths(std::string_view text) { return Counter(text).count(); }

}  // namespace house
