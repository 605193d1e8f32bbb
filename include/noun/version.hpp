#pragma once
/// @file
/// The version of noun, and the export macro of the compiled library.

#if __cplusplus < 202002L
#error "noun needs C++20: compile with -std=c++20, or in CMake target_compile_features(program PRIVATE cxx_std_20)"
// Does not exist: a missing header ends the compilation, an #error does not.
#include <noun_needs_cpp20>
#endif

/// @{
/// The version as three numbers (https://semver.org). The inline namespace `noun::v0` has the major one.
#define NOUN_VERSION_MAJOR 0
#define NOUN_VERSION_MINOR 1
#define NOUN_VERSION_PATCH 0
/// @}

/// The version as text, `major.minor.patch`.
#define NOUN_VERSION "0.1.0"

/// Exports a symbol from the compiled library.
#if defined(__GNUC__) || defined(__clang__)
#define NOUN_API [[gnu::visibility("default")]]
#else
#define NOUN_API
#endif

namespace noun { inline namespace v0 {

/// The version of the compiled library as text; compare with NOUN_VERSION to detect a mismatched header.
/// @threadsafety  safe.
NOUN_API const char* version() noexcept;

}}  // namespace noun
