#include "os/directory_watch.hpp"

namespace noun { inline namespace v0 {

bool DirectoryWatch::watch(const std::string&) noexcept { return false; }

bool DirectoryWatch::take(const std::function<bool(std::string_view)>&) noexcept { return false; }

}}  // namespace noun
