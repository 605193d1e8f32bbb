#include <noun/version.hpp>

namespace noun { inline namespace v0 {

const char* version() noexcept { return NOUN_VERSION; }

}}  // namespace noun
