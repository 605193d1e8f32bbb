#include "curl/curl_global.hpp"

#include <curl/curl.h>

#include "os/process.hpp"
#include "os/process_exit.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

std::once_flag initialized;
bool usable = false;
/// Never destroyed: a global client may outlive this file's statics.
std::mutex& creation() {
  static auto* const made = new std::mutex;
  return *made;
}

}  // namespace

bool initialize() noexcept try {
  std::call_once(initialized, [] {
    creation();
    const auto lock = [] { creation().lock(); };
    const auto unlock = [] { creation().unlock(); };
    usable = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK && call_at_fork(lock, unlock, unlock);
    stop_threads_at_exit();
  });
  return usable;
} catch (...) {
  return false;
}

std::unique_lock<std::mutex> hold_off_fork() { return std::unique_lock(creation()); }

}}}  // namespace noun::curl
