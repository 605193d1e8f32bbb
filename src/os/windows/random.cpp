#include "os/random.hpp"

#include <windows.h>

#include <bcrypt.h>

namespace noun { inline namespace v0 {

bool fill_with_random_bytes(std::span<char> bytes) noexcept {
  return ::BCryptGenRandom(nullptr, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<ULONG>(bytes.size()),
                           BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
}

}}  // namespace noun
