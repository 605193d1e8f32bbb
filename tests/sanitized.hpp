#pragma once
/// @file
/// What a test cannot ask of a program that a sanitizer is in.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NOUN_TEST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NOUN_TEST_SANITIZED
#endif
#endif

namespace noun_test {

/// Whether a sanitizer slows the program down, needs memory of its own, and keeps it from allocating after a fork among
/// threads.
#ifdef NOUN_TEST_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace noun_test
