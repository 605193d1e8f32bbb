#pragma once
/// @file
/// What one gate and the store of its shared quota exchange, as a state machine: an event in, one step out. A driver
/// carries out the steps.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <noun/shared_quota.hpp>

#include "quota/gate.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// Read what is stored.
struct ReadStore {
  Duration limit = {};  ///< how long it may take
};
/// Swap the stored bytes for these, if the version is this.
struct SwapStore {
  Duration limit = {};
  std::uint64_t version = 0;
  std::string bytes = {};
};
/// Wait until the gate's driver counter rises or the stored version is another (if `watches`), at most until `until`.
struct WaitForChange {
  Instant until = Instant::max();
  bool watches = false;
  std::uint64_t version = 0;
};
/// This process has left the quota.
struct LeftStore {};
using StoreStep = std::variant<ReadStore, SwapStore, WaitForChange, LeftStore>;

/// Something that the ledger's observer is notified of.
struct SharingNews {
  enum class Kind : std::uint8_t { joined, left, unavailable, available, slow, lost, expired };

  Kind kind = Kind::joined;
  std::int64_t permits = 0;  ///< `expired`: how many
  std::string why = {};      ///< `unavailable`
};

/// How far the store's clock is ahead of the steady clock, by the shortest exchange.
class StoreClock {
 public:
  /// @param time  the store's, at an instant from `sent` to `received`.
  void observe(Instant sent, Instant received, Duration time) noexcept;
  Duration offset() const noexcept { return offset_; }

 private:
  std::optional<Duration> took_ = {};
  Duration offset_ = {};
};

/// The exchange of one gate. Not safe to use from many threads; the gate is.
class Synchronizer {
 public:
  explicit Synchronizer(std::shared_ptr<Gate> gate) noexcept : gate_(std::move(gate)) {}

  StoreStep next(Now now);
  /// @{
  /// The results of a step.
  /// @param sent  when the step was started.
  void on_read(QuotaStore::Stored stored, Instant sent, Now received);
  void on_swapped(QuotaStore::Swapped swapped, Instant sent, Now received);
  /// @param why  for the program; may be empty.
  void on_failed(Now now, const std::string& why = {});
  /// The stored version may be another than the one waited for.
  void on_changed() noexcept { is_stale_ = true; }
  /// @}
  std::vector<SharingNews> take_news() noexcept { return std::exchange(news_, {}); }
  const std::shared_ptr<Gate>& gate() const noexcept { return gate_; }

 private:
  void keep(QuotaStore::Stored stored, Duration offset_before, Now now);
  void on_damaged(Now now) { on_failed(now, "its state is damaged, or of another version of noun"); }
  void report_availability(const std::string& why = {});

  std::shared_ptr<Gate> gate_;
  QuotaStore::Stored stored_;
  std::string proposed_;
  std::int64_t expired_ = 0;
  Instant read_at_ = {};
  StoreClock clock_;
  bool is_stale_ = true;   // the stored version may be another
  bool is_fresh_ = false;  // nothing was waited for since it was read
  bool joined_ = false;
  bool unavailable_ = false;
  bool slow_ = false;
  std::vector<SharingNews> news_;
};

}}}  // namespace noun::quota
