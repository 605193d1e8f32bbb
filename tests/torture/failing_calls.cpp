#include "torture/failing_calls.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

// Each with how it reports an error, and errors that it may have. What is not here cannot fail where it is called.
#define NOUN_TORTURE_FUNCTIONS(FUNCTION)                                           \
  FUNCTION(socket, by_errno, EMFILE, ENFILE, ENOBUFS)                              \
  FUNCTION(socketpair, by_errno, EMFILE, ENOMEM)                                   \
  FUNCTION(connect, by_errno, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, ETIMEDOUT) \
  FUNCTION(getsockopt, by_errno, ENOBUFS)                                          \
  FUNCTION(setsockopt, by_errno, ENOMEM)                                           \
  FUNCTION(getsockname, by_errno, ENOBUFS)                                         \
  FUNCTION(getpeername, by_errno, ENOTCONN)                                        \
  FUNCTION(send, by_errno, EAGAIN, EINTR, ECONNRESET, EPIPE)                       \
  FUNCTION(sendto, by_errno, EAGAIN, EINTR, ECONNRESET, EPIPE)                     \
  FUNCTION(sendmsg, by_errno, EAGAIN, EINTR, ECONNRESET, EPIPE)                    \
  FUNCTION(recv, by_errno, EAGAIN, EINTR, ECONNRESET, ENOMEM)                      \
  FUNCTION(recvfrom, by_errno, EAGAIN, EINTR, ECONNRESET, ENOMEM)                  \
  FUNCTION(recvmsg, by_errno, EAGAIN, EINTR, ECONNRESET, ENOMEM)                   \
  FUNCTION(poll, by_errno, EINTR, ENOMEM)                                          \
  FUNCTION(__poll_chk, by_errno, EINTR, ENOMEM)                                    \
  FUNCTION(epoll_create1, by_errno, EMFILE, ENOMEM)                                \
  FUNCTION(epoll_ctl, by_errno, ENOMEM, ENOSPC)                                    \
  FUNCTION(epoll_wait, by_errno, EINTR)                                            \
  FUNCTION(eventfd, by_errno, EMFILE, ENOMEM)                                      \
  FUNCTION(pipe, by_errno, EMFILE, ENFILE)                                         \
  FUNCTION(pipe2, by_errno, EMFILE, ENFILE)                                        \
  FUNCTION(fcntl, by_errno, ENOLCK)                                                \
  FUNCTION(fcntl64, by_errno, ENOLCK)                                              \
  FUNCTION(open, by_errno, EMFILE, EACCES, ENOSPC, EIO)                            \
  FUNCTION(open64, by_errno, EMFILE, EACCES, ENOSPC, EIO)                          \
  FUNCTION(openat, by_errno, EMFILE, EACCES, ENOSPC, EIO)                          \
  FUNCTION(fopen, by_null, EMFILE, EACCES)                                         \
  FUNCTION(fopen64, by_null, EMFILE, EACCES)                                       \
  FUNCTION(read, by_errno, EINTR, EIO)                                             \
  FUNCTION(pread, by_errno, EINTR, EIO)                                            \
  FUNCTION(pread64, by_errno, EINTR, EIO)                                          \
  FUNCTION(write, by_errno, EINTR, ENOSPC, EIO)                                    \
  FUNCTION(pwrite, by_errno, EINTR, ENOSPC, EIO)                                   \
  FUNCTION(pwrite64, by_errno, EINTR, ENOSPC, EIO)                                 \
  FUNCTION(lseek, by_errno, EINVAL)                                                \
  FUNCTION(fsync, by_errno, EINTR, ENOSPC, EIO)                                    \
  FUNCTION(fdatasync, by_errno, EINTR, ENOSPC, EIO)                                \
  FUNCTION(ftruncate, by_errno, EINTR, ENOSPC, EIO)                                \
  FUNCTION(ftruncate64, by_errno, EINTR, ENOSPC, EIO)                              \
  FUNCTION(rename, by_errno, EACCES, ENOSPC, EIO)                                  \
  FUNCTION(renameat, by_errno, EACCES, ENOSPC, EIO)                                \
  FUNCTION(unlink, by_errno, EACCES, EIO)                                          \
  FUNCTION(unlinkat, by_errno, EACCES, EIO)                                        \
  FUNCTION(mkdir, by_errno, EACCES, ENOSPC, EIO)                                   \
  FUNCTION(flock, by_errno, EINTR, ENOLCK)                                         \
  FUNCTION(stat, by_errno, EACCES, EIO)                                            \
  FUNCTION(stat64, by_errno, EACCES, EIO)                                          \
  FUNCTION(lstat, by_errno, EACCES, EIO)                                           \
  FUNCTION(lstat64, by_errno, EACCES, EIO)                                         \
  FUNCTION(fstat, by_errno, EIO)                                                   \
  FUNCTION(fstat64, by_errno, EIO)                                                 \
  FUNCTION(fchmod, by_errno, EPERM, EIO)                                           \
  FUNCTION(mmap, by_errno, ENOMEM)                                                 \
  FUNCTION(mmap64, by_errno, ENOMEM)                                               \
  FUNCTION(inotify_init1, by_errno, EMFILE, ENOMEM)                                \
  FUNCTION(inotify_add_watch, by_errno, ENOSPC, ENOMEM)                            \
  FUNCTION(getrandom, by_errno, EINTR, ENOSYS)                                     \
  FUNCTION(close, after_all, EINTR, EIO)                                           \
  FUNCTION(pthread_create, by_result, EAGAIN)                                      \
  FUNCTION(getaddrinfo, by_result, EAI_AGAIN, EAI_MEMORY)

namespace torture {
namespace {

enum Place : std::size_t {
  at_malloc,
#define NOUN_TORTURE_PLACE(name, how, ...) at_##name,
  NOUN_TORTURE_FUNCTIONS(NOUN_TORTURE_PLACE) place_count
};

std::array<std::atomic<std::size_t>, place_count> calls;
std::atomic<std::ptrdiff_t> blocks = 0;
std::atomic<bool> counts = false;
std::atomic<bool> failed = false;
/// Where the first call that failed returns to.
const void* failed_from = nullptr;
std::atomic<std::chrono::steady_clock::rep> failed_at;
Fault chosen;
thread_local int unharmed = 0;

void show_stack() noexcept {
  std::array<void*, 64> frames;
  ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), frames.size()), STDERR_FILENO);
}

/// Counts a call; returns its error, or 0.
/// @param from  where the call returns to.
int error_at(Place place, const void* from) noexcept {
  if (unharmed > 0 || !counts.load(std::memory_order_acquire)) return 0;
  const auto number = calls[place].fetch_add(1, std::memory_order_relaxed) + 1;
  if (place != chosen.function || number < chosen.number || (number > chosen.number && !chosen.lasts)) return 0;
  if (chosen.number == 0) return 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  if (!failed.exchange(true)) {
    failed_at = now.count();
    const Unharmed showing;
    failed_from = from;
    if (chosen.is_shown) show_stack();
  }
  if (now - std::chrono::steady_clock::duration(failed_at) > std::chrono::milliseconds(100)) return 0;
  return chosen.error;
}

/// What wakes a thread is a descriptor that is always ready: its reads and writes do not fail. Of the
/// commands of fcntl only those that lock do.
bool may_fail(Place place, long descriptor, long command, long lock) noexcept {
  struct stat status {};
  if (place == at_fcntl || place == at_fcntl64)
    return command == F_SETLK && reinterpret_cast<const struct flock*>(lock)->l_type != F_UNLCK;
  if (place != at_read && place != at_write) return true;
  const Unharmed asking;
  return ::fstat(static_cast<int>(descriptor), &status) == 0 && S_ISREG(status.st_mode);
}

enum class How { by_errno, by_null, by_result, after_all };

using Real = long (*)(long, long, long, long, long, long);

template <How how>
long call(Place place, const void* from, Real real, long a, long b, long c, long d, long e, long f) noexcept {
  const int error = may_fail(place, a, b, c) ? error_at(place, from) : 0;
  if (error == 0) return real(a, b, c, d, e, f);
  if constexpr (how == How::by_result) return error;
  if constexpr (how == How::after_all) real(a, b, c, d, e, f);
  errno = error;
  return how == How::by_null ? 0 : -1;
}

}  // namespace

const std::vector<FailingFunction>& failing_functions() {
  static const std::vector<FailingFunction> all{{"malloc", {ENOMEM}},
#define NOUN_TORTURE_ERRORS(name, how, ...) {#name, {__VA_ARGS__}},
                                                NOUN_TORTURE_FUNCTIONS(NOUN_TORTURE_ERRORS)};
  return all;
}

void start_failing(const Fault& fault) noexcept {
  chosen = fault;
  for (auto& each : calls) each = 0;
  failed = false;
  counts.store(true, std::memory_order_release);
}

void stop_failing() noexcept { counts = false; }
bool has_failed() noexcept { return failed; }
std::string failed_in() {
  Dl_info library{};
  return failed_from != nullptr && ::dladdr(failed_from, &library) != 0 ? library.dli_fname : "";
}

std::size_t calls_of(std::size_t function) noexcept { return calls[function]; }
std::ptrdiff_t blocks_in_use() noexcept { return blocks; }

Unharmed::Unharmed() noexcept { ++unharmed; }
Unharmed::~Unharmed() { --unharmed; }

namespace {

/// Counts a block that may have been allocated.
void* counted(void* block) noexcept {
  if (block != nullptr) blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}

bool is_out_of_memory(const void* from) noexcept {
  if (error_at(at_malloc, from) == 0) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace
}  // namespace torture

// Functions of the program come before those of the libraries. Their arguments are integers and pointers, at most six.
extern "C" {
#define NOUN_TORTURE_DEFINE(name, how, ...)                                                                           \
  long noun_torture_##name(long, long, long, long, long, long) __asm__(#name);                                        \
  long noun_torture_##name(long a, long b, long c, long d, long e, long f) {                                          \
    static const auto real = reinterpret_cast<torture::Real>(::dlsym(RTLD_NEXT, #name));                              \
    return torture::call<torture::How::how>(torture::at_##name, __builtin_return_address(0), real, a, b, c, d, e, f); \
  }
NOUN_TORTURE_FUNCTIONS(NOUN_TORTURE_DEFINE)

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);

void* malloc(std::size_t size) {
  return torture::is_out_of_memory(__builtin_return_address(0)) ? nullptr : torture::counted(__libc_malloc(size));
}
void* calloc(std::size_t count, std::size_t size) {
  return torture::is_out_of_memory(__builtin_return_address(0)) ? nullptr
                                                                : torture::counted(__libc_calloc(count, size));
}
void* realloc(void* block, std::size_t size) {
  if (block != nullptr && size == 0) return free(block), nullptr;
  if (torture::is_out_of_memory(__builtin_return_address(0))) return nullptr;
  auto* const other = __libc_realloc(block, size);
  return block == nullptr ? torture::counted(other) : other;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return torture::is_out_of_memory(__builtin_return_address(0)) ? nullptr
                                                                : torture::counted(__libc_memalign(alignment, size));
}
void* memalign(std::size_t alignment, std::size_t size) { return aligned_alloc(alignment, size); }
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = aligned_alloc(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}
void free(void* block) {
  if (block == nullptr) return;
  torture::blocks.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(block);
}
}
