#pragma once
// The repository as its own tests see it: the files that belong to it, and C++ text without what is not code.

#include <string>
#include <string_view>
#include <vector>

namespace house {

/// One text file; the path is relative to the repository, with slashes.
struct SourceFile {
  std::string path;
  std::string text;
};

using Files = std::vector<SourceFile>;

/// What a rule found, one line each; empty if the rule holds.
using Findings = std::vector<std::string>;

/// Every text file of the repository: what git tracks or would track; without git, what is not under build/.
const Files& repository();

/// The path's folders and its file name: {"src", "wire", "url.cpp"}.
std::vector<std::string> path_parts(std::string_view path);
/// The file name up to its first dot.
std::string path_stem(std::string_view path);
bool is_cpp(std::string_view path);

std::vector<std::string> lines_of(std::string_view text);

/// C++ text with the same lines, but without comments and preprocessor directives, and with empty literals.
std::string code_only(std::string_view text);

/// What the file includes, with its brackets or quotes: `<noun/url.hpp>`, `"wire/url.hpp"`.
std::vector<std::string> includes_of(std::string_view text);

}  // namespace house
