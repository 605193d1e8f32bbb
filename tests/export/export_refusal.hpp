#pragma once
// The errors of files, as text.

#include <string>

#include "export_file.hpp"

namespace export_test {

/// The message of the FileError that `work` throws, or `none`. A usage error starts with `usage: `.
template <class Work>
std::string refusal_of(Work work) {
  try {
    work();
  } catch (const noun_export::FileError& error) {
    return (error.is_usage() ? "usage: " : "") + std::string(error.what());
  }
  return "none";
}

}  // namespace export_test
