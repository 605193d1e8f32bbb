#include "os/threads.hpp"

#include <utility>

namespace noun { inline namespace v0 {

/// Signals are delivered to no thread of a program: the system makes one for them.
std::thread thread_without_signals(std::function<void()> work) { return std::thread(std::move(work)); }

}}  // namespace noun
