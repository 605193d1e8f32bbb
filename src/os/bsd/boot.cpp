#include "os/boot.hpp"

#include <array>
#include <chrono>
#include <ctime>

#include <sys/types.h>
#include <sys/sysctl.h>

namespace noun { inline namespace v0 {

/// @source  sysctl.h of macOS: a new UUID for each start.
Result<std::string> current_boot() {
  std::array<char, boot_id_size + 1> id{};
  std::size_t size = id.size();
  if (::sysctlbyname("kern.bootsessionuuid", id.data(), &size, nullptr, 0) == 0 && size == id.size())
    return std::string(id.data(), boot_id_size);
  return Error(Errc::resource, "cannot read kern.bootsessionuuid with sysctl", "use another ledger");
}

/// @source  clock_gettime(3) of macOS: it goes on while the machine sleeps.
Duration time_since_boot() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}}  // namespace noun
