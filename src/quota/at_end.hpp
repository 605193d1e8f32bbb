#pragma once
/// @file
/// What is done or undone however a scope ends.

#include <utility>

namespace noun { inline namespace v0 { namespace quota {

/// Calls a function at the end of its scope, also if that is left by an exception.
template <class Function>
class AtEnd {
 public:
  explicit AtEnd(Function function) noexcept : function_(std::move(function)) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() { function_(); }

 private:
  Function function_;
};

}}}  // namespace noun::quota
