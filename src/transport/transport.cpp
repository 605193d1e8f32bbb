#include <noun/transport.hpp>

namespace noun::inline v0 {

Transport::~Transport() = default;

}  // namespace noun::inline v0
