#pragma once
/// @file
/// Conditional requests and a private cache of responses (RFC 9111). A response that has not changed is not sent again,
/// and at many services it does not count for the quota.
///
///     noun::Client api{base_url, {.cache = noun::memory_cache()}};

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <noun/http.hpp>
#include <noun/result.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

namespace detail {

class CacheAccess;
class ClientCore;
struct CacheSettings;

}  // namespace detail

/// When a stored response is used.
enum class CacheMode {
  /// Every GET is sent, with `If-None-Match` if a stored response has an ETag. The program never receives data that is
  /// older than the server's response.
  validate,
  /// A response that is fresh by its own header fields (Cache-Control, Expires) is used without a request, and others
  /// are validated. What has no such fields is not fresh. `stale-while-revalidate` and `stale-if-error` apply if the
  /// response grants them. A GET waits if one with the same URL and header fields is in flight on the client, and uses
  /// its response if that is fresh.
  rfc9111,
};

/// How one call uses the cache of its client.
enum class UseCache {
  normal,  ///< as ClientOptions::cache_mode says
  reload,  ///< the whole response is requested, with `Cache-Control: no-cache`, and stored
  off,     ///< nothing stored is used, and nothing is stored
};

/// @{
/// The enumerator's name, as it is written here.
/// @threadsafety  safe; the operator as the stream.
NOUN_API std::string_view to_string(CacheMode mode) noexcept;
NOUN_API std::string_view to_string(UseCache use) noexcept;
NOUN_API std::ostream& operator<<(std::ostream& out, CacheMode mode);
NOUN_API std::ostream& operator<<(std::ostream& out, UseCache use);
/// @}

/// How GoogleTest shows an enumerator: as to_string().
template <class E>
  requires(std::same_as<E, CacheMode> || std::same_as<E, UseCache>)
void PrintTo(const E& value, std::ostream* out) {
  *out << to_string(value);
}

/// The name of what a cache keeps. Both parts are 16 bytes, a digest of the URL, the identity and Cache::seed(). They
/// may have any value, also NUL.
struct CacheKey {
  std::string group;  ///< the URL without its query: a successful write removes a group
  std::string name;   ///< the URL with its query, and the method

  /// Whether both parts are equal.
  friend bool operator==(const CacheKey&, const CacheKey&) = default;
};

/// Keeps bytes under keys. It decides nothing but what to give up when it is full. memory_cache() and sqlite_cache()
/// (<noun/sqlite_cache.hpp>) make one; implement it to keep them elsewhere.
///
/// What is stored contains whole responses, and is as secret as they are. It contains no request and no credentials. Its
/// keys are digests, but memory_cache() has the paths of URLs in them.
/// An error of any function, or an exception, does not end a call: the call continues without the cache, and the
/// observer gets a notice.
/// @threadsafety  all functions are called by many threads at once: those of the program and workers of noun; by the
///                one that moves the bytes of calls in the background only if an observer starts a call there, or an
///                executor runs functions there.
class NOUN_API Cache {
 public:
  Cache() = default;
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  virtual ~Cache();

  /// 16 or more random bytes, made with the cache and kept as long as what it keeps. Digests in keys depend on it, so
  /// that nobody can look for an identity in them.
  virtual std::string seed() const = 0;
  /// Returns the bytes that were put last, or nothing if there are none.
  virtual Result<std::optional<std::string>> get(const CacheKey& key) = 0;
  /// Stores bytes in place of others under the key. To make room, it may remove what was used least recently.
  /// @returns  false if nothing is stored: the bytes are more than an eighth of all that it may keep.
  virtual Result<bool> put(const CacheKey& key, std::string_view bytes) = 0;
  /// Removes what is stored under the key, if anything is.
  virtual Result<void> remove(const CacheKey& key) = 0;
  /// Removes what is stored under all keys of the group.
  virtual Result<void> remove_group(std::string_view group) = 0;

 private:
  friend class detail::ClientCore;
  /// Makes a client's access to it. Virtual, so that a program without a cache does not link the decisions about one.
  virtual std::shared_ptr<detail::CacheAccess> access(std::shared_ptr<Cache> self,
                                                      detail::CacheSettings settings) const;
};

/// Makes a cache in this process. When it is full, it removes what was used least recently.
/// @param max_bytes  the most that it keeps, keys included.
/// @throws noun::Exception  `resource` if the system has no random numbers.
/// @threadsafety     safe; the cache too. Many clients may share it; those with other credentials do not see each
///                   other's responses. A client that has it behind a Cache of the program does not share with these.
NOUN_API std::shared_ptr<Cache> memory_cache(std::size_t max_bytes = std::size_t{64} * 1024 * 1024);

}}  // namespace noun
