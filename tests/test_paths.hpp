#pragma once
/// @file
/// Where this checkout is. The only place that knows it at compile time.

namespace noun_test {

/// The folder of the tests' data, and the checkout's root; absolute.
extern const char* const data_dir;
extern const char* const source_dir;

}  // namespace noun_test
