// For builds without libzstd.
#include "curl/decompressor.hpp"

namespace noun { inline namespace v0 {

std::unique_ptr<Decompressor> zstd_decompressor() { return nullptr; }
bool has_zstd() noexcept { return false; }

}}  // namespace noun
