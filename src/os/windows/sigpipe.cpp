#include "os/sigpipe.hpp"

namespace noun { inline namespace v0 {

SigpipeGuard::SigpipeGuard(bool) noexcept : active_(false) {}
SigpipeGuard::~SigpipeGuard() = default;

}}  // namespace noun
