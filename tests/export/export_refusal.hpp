#pragma once
// What a file is refused with.

#include <string>

#include "export_file.hpp"

namespace export_test {

/// What a FileError says that `work` throws, or `none`; what must not be asked for begins with `usage: `.
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
