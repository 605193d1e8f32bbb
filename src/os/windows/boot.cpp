#include "os/boot.hpp"

#include <chrono>

#include <fmt/format.h>
#include <windows.h>

namespace noun { inline namespace v0 {

/// When it was, in seconds: the least difference of the clocks, which a change of the clock of the day moves. So the
/// counter of starts that Windows keeps is what tells them apart.
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
