#include "os/boot.hpp"

#include <chrono>

#include <fmt/format.h>
#include <windows.h>

namespace noun { inline namespace v0 {

/// The number of the start, which Windows counts where it looks at what a start reads (the service SysMain).
Result<std::string> current_boot() {
  DWORD number = 0;
  DWORD size = sizeof number;
  constexpr auto key = L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters";
  if (::RegGetValueW(HKEY_LOCAL_MACHINE, key, L"BootId", RRF_RT_REG_DWORD, nullptr, &number, &size) == ERROR_SUCCESS)
    return fmt::format("{:036}", number);
  return Error(Errc::resource, "cannot read BootId of PrefetchParameters in the registry", "use another ledger");
}

Duration time_since_boot() noexcept { return std::chrono::milliseconds(::GetTickCount64()); }

}}  // namespace noun
