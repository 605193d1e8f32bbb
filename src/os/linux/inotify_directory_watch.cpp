#include "os/directory_watch.hpp"

#include <array>

#include <sys/inotify.h>
#include <unistd.h>

namespace noun { inline namespace v0 {

bool DirectoryWatch::watch(const std::string& directory) noexcept {
  if (!changes_ || !owner_.is_current()) {
    // A child of fork() would take the events of its parent.
    changes_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    watch_ = -1;
    owner_ = {};
  }
  constexpr auto events = IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW;
  const int watch = ::inotify_add_watch(*changes_, directory.c_str(), events);
  if (watch != watch_ && watch_ >= 0) ::inotify_rm_watch(*changes_, watch_);
  watch_ = watch;
  return watch_ >= 0;
}

bool DirectoryWatch::take(const std::function<bool(std::string_view)>& concerns) noexcept {
  bool found = false;
  alignas(inotify_event) std::array<char, 4096> bytes;
  for (ssize_t size = 0; (size = ::read(*changes_, bytes.data(), bytes.size())) > 0;)
    for (const auto* at = bytes.data(); at < bytes.data() + size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      at += sizeof *event + event->len;
      found |= event->len == 0 || concerns(static_cast<const char*>(event->name));
    }
  return found;
}

}}  // namespace noun
