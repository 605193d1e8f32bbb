#pragma once
/// @file
/// Bodies with the content codings br and zstd. Where noun is built without their libraries the functions throw.

#include <string>
#include <string_view>

namespace noun_test {

/// @param window_log  of the window in bytes, from 10; above 24 it is a large window, which no content coding has.
std::string brotli(std::string_view text, int window_log = 22);

/// A frame with a checksum, and without the size of its text.
/// @param window_log  of the window in bytes, from 10.
std::string zstd(std::string_view text, int window_log = 20);

}  // namespace noun_test
