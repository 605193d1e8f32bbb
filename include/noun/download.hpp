#pragma once
/// @file
/// Downloads: bodies of any size, streamed to a file or a function.
///
///     auto done = api.download({.path = "exports/2026.csv"}, "2026.csv");
///     if (done) fmt::print("{} bytes\n", done->size);

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <noun/http.hpp>
#include <noun/options.hpp>
#include <noun/result.hpp>
#include <noun/stop.hpp>
#include <noun/text.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// A download that is complete. The status and the fields of its last response are in Result::response().
struct Download {
  std::uint64_t size = 0;  ///< bytes
  int resumed = 0;         ///< attempts that continued where the one before broke off
  int restarted = 0;       ///< attempts that started again at the first byte
};

/// Where a download goes: the path of a file, or a function.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class DownloadTarget {
 public:
  /// Takes the next bytes.
  using Function = std::function<Result<void>(std::string_view bytes)>;

  /// A file. It appears under this name, in place of an existing one, only when it is complete, and flushed to the disk
  /// if the file system can do that. It has the owner and the group of any new file, and the permissions of the file
  /// that it replaces, if that is of the same user (not on Windows). A link is replaced, not what it leads to. A path
  /// that leads to a directory, a device or a pipe is `invalid_argument`. Until it is complete its bytes are in a file
  /// beside it, named `.noun-*.part`. std::exit() ends a download within 2 s, and removes that file; a process that
  /// ends otherwise, or on the thread of the download, leaves it behind.
  template <std::convertible_to<Text> T>
  DownloadTarget(const T& path) : path_(Text(path).view()) {}
  /// A function that takes the bytes in order, and returns nothing, a Result<void>, or whether it wants more. It is
  /// called on the thread of Client::download(), or on a thread of noun if op::download() runs in the background. It
  /// cannot take bytes back: if the download can only start again, that is `truncated`. An error, an exception and
  /// `false` end the download as `cancelled`. After a stop request or the deadline it is not called again. In the
  /// background a call that runs may outlast a coroutine that awaits the download and is destroyed: the function must
  /// own what it uses.
  template <std::invocable<std::string_view> F>
    requires(!std::convertible_to<const F&, Text>)
  DownloadTarget(F function) : function_(adapted(std::move(function))) {}

  /// The path, if it is a file.
  const std::string& path() const noexcept { return path_; }
  /// The function; empty if it is a file.
  const Function& function() const noexcept { return function_; }

 private:
  template <class F>
  static Function adapted(F function) {
    using Returned = std::invoke_result_t<F&, std::string_view>;
    static_assert(std::is_void_v<Returned> || std::same_as<Returned, bool> || std::same_as<Returned, Result<void>>,
                  "noun: the function of a download returns nothing, a bool, or a noun::Result<void>");
    if constexpr (std::same_as<Returned, Result<void>>) {
      return Function(std::move(function));
    } else {
      return [function = std::move(function)](std::string_view bytes) mutable -> Result<void> {
        if constexpr (std::same_as<Returned, bool>) {
          if (!function(bytes)) return Error(Errc::cancelled, "the function that takes the bytes ended the download");
        } else {
          function(bytes);
        }
        return {};
      };
    }
  }

  std::string path_;
  Function function_;
};

/// The options of one download. Of the time limits only Timeouts::connect, the stall timeout and the deadline apply.
struct DownloadOptions {
  Query query = {};      ///< as in CallOptions
  /// As in CallOptions; `Accept` is `*/*` unless it is given. Not If-Range, nor Accept-Encoding. Not a Range of bytes; one
  /// in another unit (`items=0-9`) selects what is downloaded, and a fault then starts it again.
  Headers headers = {};
  Priority priority = Priority::normal;  ///< the order in which waiting calls are served
  /// Replaces Timeouts::stall; greater than zero. For a server that prepares the file before it sends the first byte.
  std::optional<Duration> stall_timeout = {};
  /// When the download must have ended, including all attempts and waits. One that still waits for a thread then sends
  /// nothing, and ends when it gets one.
  Deadline deadline = {};
  /// Ends the download within 50 ms of a stop request.
  StopToken stop = {};
  /// More bytes are `too_large`. Nothing: no limit.
  std::optional<std::uint64_t> max_bytes = {};
};

}}  // namespace noun
