#include "resource/failing_threads.hpp"

#include <atomic>
#include <cerrno>

#include "sanitized.hpp"

#if defined(__GLIBC__) && !defined(NOUN_TEST_SANITIZED)
#define NOUN_TEST_OWN_THREADS
#include <dlfcn.h>
#include <pthread.h>
#endif

namespace {

std::atomic<bool> threads_fail = false;

}  // namespace

#ifdef NOUN_TEST_OWN_THREADS
// In place of that of the C library.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* with) {
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return threads_fail ? EAGAIN : real(thread, attributes, run, with);
}
#endif

namespace resource_test {

#ifdef NOUN_TEST_OWN_THREADS
bool can_fail_threads() noexcept { return true; }
#else
bool can_fail_threads() noexcept { return false; }
#endif
void fail_threads(bool fail) noexcept { threads_fail = fail; }

}  // namespace resource_test
