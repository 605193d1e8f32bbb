#pragma once
/// @file
/// Changes of the files of a directory, as the operating system reports them.

#include <functional>
#include <string>
#include <string_view>

#include "os/descriptor.hpp"
#include "os/own_process.hpp"

namespace noun { inline namespace v0 {

/// Reports that a file appears under its name or is removed, and that the directory is. Used by one thread at a time.
class DirectoryWatch {
 public:
  /// Watches the directory from now on, in place of the one that was watched.
  /// @returns  false if its changes are not reported: the system cannot, or what it needs for that ran out.
  bool watch(const std::string& directory) noexcept;
  /// Readable after a change; -1 without reports.
  int descriptor() const noexcept { return watch_ >= 0 ? *changes_ : -1; }
  /// Takes all changes. Returns whether one concerns the directory itself, or a file of a name that `concerns` names.
  bool take(const std::function<bool(std::string_view)>& concerns) noexcept;

 private:
  Descriptor changes_;
  int watch_ = -1;
  OwnProcess owner_;
};

}}  // namespace noun
