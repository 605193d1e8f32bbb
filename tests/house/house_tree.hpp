#pragma once
// The repository as its own tests see it.

#include <string>
#include <string_view>
#include <vector>

namespace house {

/// One file; the path is relative to the repository, with slashes.
struct SourceFile {
  std::string path;
  std::string text;
};

using Files = std::vector<SourceFile>;

/// What a rule found, one line each; empty if the rule holds.
using Findings = std::vector<std::string>;

/// Every file of the repository, without build/, .git/ and .cache/.
const Files& repository();

/// The path's folders and its file name: {"src", "wire", "url.cpp"}.
std::vector<std::string> path_parts(std::string_view path);
/// The file name up to its first dot.
std::string path_stem(std::string_view path);
bool is_cpp(std::string_view path);

/// C++ text with the same lines, each up to its first `//`.
std::string without_comments(std::string_view text);

/// What the file includes, with its brackets or quotes: `<noun/url.hpp>`, `"wire/url.hpp"`.
std::vector<std::string> includes_of(const std::string& text);

}  // namespace house
