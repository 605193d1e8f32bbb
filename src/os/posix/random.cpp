#include "os/random.hpp"

#include <openssl/rand.h>

namespace noun { inline namespace v0 {

bool fill_with_random_bytes(std::span<char> bytes) noexcept {
  return RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) == 1;
}

}}  // namespace noun
