#include "os/boot.hpp"

#include <chrono>
#include <ctime>
#include <fstream>

namespace noun { inline namespace v0 {

Result<std::string> current_boot() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  if (id.size() == boot_id_size) return id;
  return Error(Errc::resource, "cannot read /proc/sys/kernel/random/boot_id", "mount /proc, or use another ledger");
}

Duration time_since_boot() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}}  // namespace noun
