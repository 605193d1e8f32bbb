#include "curl/name_service.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <dlfcn.h>
#include <netdb.h>

namespace noun_test {

struct NameService::Entry {
  std::string name;
  std::vector<std::uint16_t> ports = {};
  std::function<void()> wait = {};
};

namespace {

std::mutex mutex;
std::vector<std::shared_ptr<NameService::Entry>> entries;

std::shared_ptr<NameService::Entry> entry_of(const char* name) {
  const std::lock_guard lock(mutex);
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return name != nullptr && entry->name == name; });
  return found == entries.end() ? nullptr : *found;
}

std::shared_ptr<NameService::Entry> added(NameService::Entry entry) {
  const std::lock_guard lock(mutex);
  return entries.emplace_back(std::make_shared<NameService::Entry>(std::move(entry)));
}

}  // namespace

NameService::NameService(std::string name, std::vector<std::uint16_t> ports)
    : entry_(added({.name = std::move(name), .ports = std::move(ports)})) {}

NameService::NameService(std::string name, std::function<void()> wait)
    : entry_(added({.name = std::move(name), .wait = std::move(wait)})) {}

NameService::~NameService() {
  const std::lock_guard lock(mutex);
  std::erase(entries, entry_);
}

}  // namespace noun_test

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  const auto entry = noun_test::entry_of(node);
  if (entry == nullptr) return real(node, service, hints, result);
  if (entry->wait) entry->wait();
  // freeaddrinfo frees the elements of the list one by one.
  *result = nullptr;
  for (auto** end = result; const auto port : entry->ports) {
    if (const int fault = real("127.0.0.1", std::to_string(port).c_str(), hints, end)) return fault;
    while (*end != nullptr) end = &(*end)->ai_next;
  }
  return *result == nullptr ? EAI_NONAME : 0;
}
