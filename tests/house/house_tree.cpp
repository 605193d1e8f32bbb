#include "house/house_tree.hpp"

#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "test_paths.hpp"

namespace house {
namespace {

namespace fs = std::filesystem;

const fs::path root = noun_test::source_dir;

std::string output_of(const std::string& command) {
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe) return output;
  std::array<char, 4096> block{};
  for (std::size_t n = 0; (n = fread(block.data(), 1, block.size(), pipe)) > 0;) output.append(block.data(), n);
  return pclose(pipe) == 0 ? output : std::string();
}

std::set<std::string> paths_by_git() {
  const std::string command =
      "git -C '" + root.string() + "' ls-files --cached --others --exclude-standard 2>/dev/null";
  std::set<std::string> paths;
  for (auto& line : lines_of(output_of(command))) paths.insert(std::move(line));
  // In somebody else's checkout git may know nothing of this folder.
  return paths.contains("CMakeLists.txt") ? paths : std::set<std::string>();
}

std::set<std::string> paths_by_walking() {
  std::set<std::string> paths;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator(); ++at) {
    const std::string name = at->path().filename().string();
    if (at->is_directory() && (name == ".git" || name == ".cache" || (at.depth() == 0 && name == "build"))) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file()) {
      paths.insert(at->path().lexically_relative(root).generic_string());
    }
  }
  return paths;
}

Files read_all() {
  auto paths = paths_by_git();
  if (paths.empty()) paths = paths_by_walking();
  Files files;
  for (const auto& path : paths) {
    std::ifstream in(root / path, std::ios::binary);
    if (!in) continue;  // deleted, but not yet for git
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (text.find('\0') == std::string::npos) files.push_back({path, std::move(text)});
  }
  return files;
}

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Copies code and skips the rest, one construct at a time.
class Stripper {
 public:
  explicit Stripper(std::string_view text) : text_(text) {}

  std::string strip() {
    while (at_ < text_.size()) step();
    return std::move(code_);
  }

 private:
  bool looking_at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  void step() {
    const char c = text_[at_];
    if (looking_at("//")) {
      skip_line();
    } else if (looking_at("/*")) {
      skip_to(text_.find("*/", at_ + 2), 2);
    } else if (c == '#' && at_line_start()) {
      skip_line();
    } else if (c == '"' && !code_.empty() && code_.back() == 'R') {
      raw_literal();
    } else if (c == '"' || (c == '\'' && !is_digit_separator())) {
      literal(c);
    } else {
      code_ += c;
      ++at_;
    }
  }

  bool at_line_start() const {
    const auto last = code_.find_last_not_of(" \t");
    return last == std::string::npos || code_[last] == '\n';
  }

  /// Whether what stands before is a number, and not a prefix as in L'x'.
  bool is_digit_separator() const {
    auto begin = code_.size();
    while (begin > 0 && (is_identifier(code_[begin - 1]) || code_[begin - 1] == '\'')) --begin;
    return begin < code_.size() && std::isdigit(static_cast<unsigned char>(code_[begin])) != 0;
  }

  /// Up to the end of the line, also where a backslash continues it.
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') at_ += looking_at("\\\n") ? (code_ += '\n', 2) : 1;
  }

  /// Past `length` characters at `end`; what is skipped leaves its line breaks.
  void skip_to(std::size_t end, std::size_t length) {
    end = end == std::string_view::npos ? text_.size() : end + length;
    for (; at_ < end; ++at_) {
      if (text_[at_] == '\n') code_ += '\n';
    }
  }

  void literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    code_.append(2, quote);
    skip_to(end, 1);
  }

  void raw_literal() {
    const auto open = text_.find('(', at_);
    code_.append("\"\"");
    if (open == std::string_view::npos) return skip_to(open, 0);
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    skip_to(text_.find(close, open), close.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string code_;
};

}  // namespace

const Files& repository() {
  static const Files files = read_all();
  return files;
}

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  for (const auto& part : fs::path(path)) parts.push_back(part.string());
  return parts;
}

std::string path_stem(std::string_view path) {
  const std::string name = fs::path(path).filename().string();
  return name.substr(0, name.find('.', 1));
}

bool is_cpp(std::string_view path) { return path.ends_with(".hpp") || path.ends_with(".cpp"); }

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string code_only(std::string_view text) { return Stripper(text).strip(); }

std::vector<std::string> includes_of(std::string_view text) {
  std::vector<std::string> includes;
  for (const auto& line : lines_of(text)) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const auto word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const auto open = line.find_first_of("<\"", word);
    if (open == std::string::npos) continue;
    const auto close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    if (close != std::string::npos) includes.push_back(line.substr(open, close - open + 1));
  }
  return includes;
}

}  // namespace house
