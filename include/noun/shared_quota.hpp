#pragma once
/// @file
/// One quota for many processes. The clients of one identity share what the server's responses report, and divide its
/// permits fairly. <noun/file_ledger.hpp> shares it on one machine, <noun/redis_ledger.hpp> among machines; with
/// shared_ledger() a program brings a store of its own.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <noun/event.hpp>
#include <noun/quota.hpp>
#include <noun/result.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// What calls do while the store of a shared quota is unavailable: three operations in a row failed, because it cannot
/// be reached or changed, is slower than `slow_after`, or has damaged bytes. A process that has never joined first
/// waits one second: the store may be restarting. The store is tried again, with a second for each operation: if it is
/// only slow, it is used again, and calls that need a permit wait for it; a slow store is unavailable after one
/// failure.
enum class WhenUnavailable {
  /// The process spends the permits that it holds, and then its share of what it knows to remain.
  continue_alone,
  fail,  ///< calls that need a permit fail with `resource`, and nothing was sent
};

/// How a quota is shared.
struct SharingOptions {
  /// What calls do while the store is unavailable.
  WhenUnavailable when_unavailable = WhenUnavailable::continue_alone;
  /// An operation of a file or Redis store that takes longer counts as failed, the resolution of a host name excepted;
  /// 1 ms to 10 s. After failures, an operation of a Redis store, including connecting and logging in, may take a
  /// second, until three in a row are fast again. The end of the last client waits for an operation under way.
  Duration slow_after = std::chrono::milliseconds(50);
  /// How long a silent process keeps its permits; 1 s to 10 min. After that they count as spent until the server's
  /// window resets.
  Duration lease = std::chrono::seconds(10);
  /// With what the store's keys, channels or files start; up to 64 letters, digits, `-`, `_` and `:`.
  std::string prefix = "noun";
  /// Whether a password may be sent to a store unencrypted. To loopback it always may.
  bool password_over_tcp = false;
  /// Is notified when this process joins or leaves a quota, when the store becomes unavailable, available again or slow
  /// or loses its state, and when permits of another process expired. Called on the ledger's thread; a blocking call
  /// there is refused.
  std::function<void(const Event&)> observer = {};
};

/// Keeps the bytes of shared quotas, each under a key and with a version. It decides nothing. Keys are 1 to 128
/// letters, digits, `-`, `_` and `:`; others are `invalid_argument`. noun calls it from one thread at a time, except
/// interrupt(). An exception counts as an error.
class NOUN_API QuotaStore {
 public:
  /// What is stored under a key.
  struct Stored {
    /// 0: nothing is stored. Each swap has a greater version, also after the store has lost its bytes, so that a user
    /// with an old one never takes other bytes for its own.
    std::uint64_t version = 0;
    std::string bytes = {};  ///< empty: nothing is stored
    /// The store's clock when it carried out the operation: the same for all its users. If it is set to another time,
    /// leases and windows move with it.
    Duration time = {};
  };
  /// The result of compare_and_swap().
  struct Swapped {
    bool swapped = false;  ///< whether the bytes are stored now
    Stored stored = {};    ///< if swapped, without the bytes; if not, what is there instead
  };
  /// A key, and the version that its user has.
  struct Watched {
    std::string key = {};       ///< what read() was called with
    std::uint64_t version = 0;  ///< Stored::version
  };

  QuotaStore() = default;
  QuotaStore(const QuotaStore&) = delete;
  QuotaStore& operator=(const QuotaStore&) = delete;
  virtual ~QuotaStore();

  /// Returns what is stored under the key.
  virtual Result<Stored> read(const std::string& key) = 0;
  /// Stores the bytes as a new version if the stored version is `version`; 0: if nothing is stored.
  virtual Result<Swapped> compare_and_swap(const std::string& key, std::uint64_t version, const std::string& bytes) = 0;
  /// Waits until one of the keys has another version, until `until`, or until interrupt() is called; may return
  /// earlier.
  /// @returns  the keys that may have changed.
  virtual Result<std::vector<std::string>> wait_for_change(const std::vector<Watched>& watched, Instant until) = 0;
  /// Sets how long an operation may take: SharingOptions::slow_after, or longer after failures. Called before each read()
  /// and compare_and_swap(), on the same thread. A store that wraps another one passes it on. Does nothing if the store
  /// does not override it.
  virtual void limit_operations(Duration most) noexcept;
  /// Ends a wait_for_change(), or the next one. Safe to call from any thread.
  virtual void interrupt() noexcept = 0;
  /// Returns the keys that start with `prefix`, sorted, and changes nothing. Only read_shared_quotas() calls it.
  /// @returns  `invalid_argument` if the store does not override it.
  virtual Result<std::vector<std::string>> keys(const std::string& prefix);
};

/// Returns a ledger that shares quotas through the store. Clients that use it need ClientOptions::identity, and the
/// system's clock (ClientOptions::clock). It has a thread, which a child of fork() does not have: create the ledger and
/// its clients after a fork. In the child, calls with its parent's are `invalid_argument`.
/// @returns  `invalid_argument` without a store or if the options are invalid; `resource` if no thread can be started.
/// @threadsafety  safe.
NOUN_API Result<std::shared_ptr<QuotaLedger>> shared_ledger(std::unique_ptr<QuotaStore> store,
                                                            const SharingOptions& options = {});

/// A shared quota as it is stored.
struct SharedQuota {
  std::string key;  ///< a hash of origin and identity, after the prefix
  /// What is known of it, and the processes that share it: `holders[].permits` has the leased permits. An error if the
  /// stored bytes cannot be read.
  Result<QuotaSnapshot> quota;
};

/// Returns all shared quotas of a store, in the order of their keys. Joins none of them and changes nothing.
/// @param store   used on the calling thread.
/// @param prefix  SharingOptions::prefix of their ledgers.
NOUN_API Result<std::vector<SharedQuota>> read_shared_quotas(QuotaStore& store, const std::string& prefix = "noun");

}}  // namespace noun
