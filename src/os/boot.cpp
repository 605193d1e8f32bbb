#include "os/boot.hpp"

#include <chrono>
#include <ctime>
#include <fstream>

namespace noun { inline namespace v0 {

std::string current_boot() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id.size() == boot_id_size ? id : "";
}

Duration time_since_boot() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}}  // namespace noun
