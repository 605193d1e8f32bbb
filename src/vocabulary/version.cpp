#include <noun/version.hpp>

namespace noun::inline v0 {

const char* version() noexcept { return NOUN_VERSION; }

}  // namespace noun::inline v0
