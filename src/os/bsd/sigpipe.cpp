#include "os/sigpipe.hpp"

namespace noun { inline namespace v0 {

/// The sockets of new_socket() raise none, whoever writes to them.
SigpipeGuard::SigpipeGuard(bool) noexcept : active_(false) {}
SigpipeGuard::~SigpipeGuard() = default;

}}  // namespace noun
