#include "curl/curl_global.hpp"

#include <curl/curl.h>
#include <pthread.h>

#include "os/process_exit.hpp"

namespace noun { inline namespace v0 { namespace curl {
namespace {

std::once_flag initialized;
bool usable = false;
constinit std::mutex creation;

}  // namespace

bool initialize() noexcept try {
  std::call_once(initialized, [] {
    const auto lock = [] { creation.lock(); };
    const auto unlock = [] { creation.unlock(); };
    usable = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK && pthread_atfork(lock, unlock, unlock) == 0;
    stop_threads_at_exit();
  });
  return usable;
} catch (...) {
  return false;
}

std::unique_lock<std::mutex> hold_off_fork() { return std::unique_lock(creation); }

}}}  // namespace noun::curl
