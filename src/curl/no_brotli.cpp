// For builds without libbrotlidec.
#include "curl/decompressor.hpp"

namespace noun { inline namespace v0 {

std::unique_ptr<Decompressor> brotli_decompressor() { return nullptr; }
bool has_brotli() noexcept { return false; }

}}  // namespace noun
