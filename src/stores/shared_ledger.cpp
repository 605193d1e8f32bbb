// The ledger whose quotas are shared through a store. One thread for all of its gates carries out what their
// synchronizers decide.
#include <algorithm>
#include <atomic>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <noun/clock.hpp>
#include <noun/shared_quota.hpp>

#include "loop/call_loop.hpp"
#include "loop/driver.hpp"
#include "loop/workers.hpp"
#include "os/own_process.hpp"
#include "os/process.hpp"
#include "os/threads.hpp"
#include "quota/synchronizer.hpp"
#include "stores/sharing_rules.hpp"
#include "wire/ascii.hpp"
#include "wire/digest.hpp"

namespace noun { inline namespace v0 {
namespace {

/// Steps of one gate in a row, while others wait.
constexpr int most_steps = 16;
/// How long the thread rests if the store cannot even wait.
constexpr Duration rest = std::chrono::milliseconds(100);

quota::HolderId random_id() {
  static std::atomic<std::uint64_t> seed{std::random_device()() | std::uint64_t{std::random_device()()} << 32U};
  std::mt19937_64 random(seed.fetch_add(0x9E3779B97F4A7C15U) ^ process_id());
  return (random() & 0xFFFF'FFFF'FFFFU) | 1U;
}

/// The name of a quota in the store, from which origin and identity cannot be read.
std::string key_of(std::string_view origin, std::string_view identity) {
  std::string text(origin);
  text += '\n';
  text += identity;
  return wire::hexadecimal(wire::hmac_sha256("noun quota", text).substr(0, 16));
}

std::string sentence_of(const quota::SharingNews& news) {
  using Kind = quota::SharingNews::Kind;
  switch (news.kind) {
    case Kind::joined: return "this process shares the quota now";
    case Kind::left: return "this process no longer shares the quota";
    case Kind::unavailable:
      return "the store of the shared quota is unavailable" + (news.why.empty() ? "" : ": " + news.why);
    case Kind::available: return "the store of the shared quota is available again";
    case Kind::slow: return "the store of the shared quota is slow; calls that need a permit wait for it";
    case Kind::lost: return "the store of the shared quota has lost its last state; the next responses show it again";
    case Kind::expired:
      return fmt::format("{} of a process that ended or hangs {} as spent",
                         news.permits == 1 ? "a permit" : fmt::format("{} permits", news.permits),
                         news.permits == 1 ? "counts" : "count");
  }
  return {};
}

/// One gate of the ledger.
struct SharedGate {
  SharedGate(std::string name, std::string server, std::shared_ptr<quota::Gate> gate)
      : key(std::move(name)), origin(std::move(server)), synchronizer(std::move(gate)) {}

  const std::string key;
  const std::string origin;
  quota::Synchronizer synchronizer;
};

/// What the ledger, the handles of its gates and its thread share.
class SharedQuotas final : public quota::Sleeper, public std::enable_shared_from_this<SharedQuotas> {
 public:
  SharedQuotas(std::unique_ptr<QuotaStore> store, const SharingOptions& options)
      : store_(std::move(store)), options_(options), clock_(system_clock()) {}
  SharedQuotas(const SharedQuotas&) = delete;
  SharedQuotas& operator=(const SharedQuotas&) = delete;

  std::shared_ptr<SharedGate> add(const std::string& key, const std::string& origin) {
    auto gate = std::make_shared<quota::Gate>();
    gate->share({.id = random_id(),
                 .lease = options_.lease,
                 .fails_alone = options_.when_unavailable == WhenUnavailable::fail,
                 .slow_after = options_.slow_after},
                weak_from_this());
    auto one = std::make_shared<SharedGate>(options_.prefix + ':' + key, origin, std::move(gate));
    std::list added{one};
    {
      const std::lock_guard lock(mutex_);
      gates_.splice(gates_.end(), added);
    }
    store_->interrupt();
    return one;
  }

  void retire(const std::shared_ptr<quota::Gate>& gate) {
    if (!is_ours()) return;
    gate->leave();
    store_->interrupt();
  }

  /// The thread ends when all gates have left.
  void stop() {
    stops_ = true;
    store_->interrupt();
  }

  void run() noexcept {
    mark_loop_thread();
    for (;;) try {
        std::vector<std::shared_ptr<SharedGate>> gates;
        {
          const std::lock_guard lock(mutex_);
          gates.assign(gates_.begin(), gates_.end());
        }
        if (gates.empty() && stops_) return;
        wait(exchange(gates), gates);
      } catch (...) {
        std::this_thread::sleep_for(rest);
      }
  }

  void on_woken(std::uint64_t) noexcept override {
    if (is_ours()) store_->interrupt();
  }

  /// Not in a child of fork(), which has no such thread and may have inherited locked locks.
  bool is_ours() const noexcept { return process_.is_current(); }

 private:
  struct Waits {
    Instant until = Instant::max();
    std::vector<QuotaStore::Watched> watched = {};
  };

  /// Carries out what is due.
  Waits exchange(const std::vector<std::shared_ptr<SharedGate>>& gates) {
    Waits waits;
    hangs_ = false;
    for (const auto& one : gates) {
      for (int steps = 0; carry_out(*one, waits); ++steps) {
        // The others are due, too.
        const bool was_slow = took_ > options_.slow_after;
        if (!was_slow && steps < most_steps) continue;
        waits.until = Instant::min();
        break;
      }
      if (!one->synchronizer.gate()->left()) continue;
      const std::lock_guard lock(mutex_);
      gates_.remove(one);
      waits.until = Instant::min();
    }
    return waits;
  }

  /// Carries out the next step of a gate.
  /// @returns  whether there may be another.
  bool carry_out(SharedGate& one, Waits& waits) {
    bool more = true;
    took_ = {};
    try {
      const auto step = one.synchronizer.next(clock_->now());
      const Instant sent = clock_->now().steady;
      if (const auto* const read = std::get_if<quota::ReadStore>(&step)) {
        limit_operation(read->limit);
        auto stored = store_->read(one.key);
        took_ = clock_->now().steady - sent;
        if (stored)
          one.synchronizer.on_read(*std::move(stored), sent, clock_->now());
        else
          fail(one, stored.error().message());
      } else if (const auto* const swap = std::get_if<quota::SwapStore>(&step)) {
        limit_operation(swap->limit);
        auto swapped = store_->compare_and_swap(one.key, swap->version, swap->bytes);
        took_ = clock_->now().steady - sent;
        if (swapped)
          one.synchronizer.on_swapped(*std::move(swapped), sent, clock_->now());
        else
          fail(one, swapped.error().message());
      } else {
        more = false;
        if (const auto* const wait = std::get_if<quota::WaitForChange>(&step)) {
          waits.until = std::min(waits.until, wait->until);
          if (wait->watches) waits.watched.push_back({one.key, wait->version});
        }
      }
    } catch (const std::exception& exception) {
      fail(one, exception.what());
    } catch (...) {
      fail(one, {});
    }
    wake(*one.synchronizer.gate(), *clock_);
    notify(one);
    return more;
  }

  /// Of a store that hangs, one quota alone waits for long.
  void limit_operation(Duration most) { store_->limit_operations(hangs_ ? options_.slow_after : most); }

  void fail(SharedGate& one, const std::string& why) {
    hangs_ = hangs_ || took_ > options_.slow_after;
    one.synchronizer.on_failed(clock_->now(), why);
    notify(one);
  }

  void notify(SharedGate& one) {
    for (const auto& news : one.synchronizer.take_news()) {
      if (!options_.observer) continue;
      const Event event{
          .kind = EventKind::notice, .url = one.origin, .at = clock_->now().wall, .note = sentence_of(news)};
      try {
        options_.observer(event);
      } catch (...) {
      }
    }
  }

  void wait(const Waits& waits, const std::vector<std::shared_ptr<SharedGate>>& gates) {
    const auto now = clock_->now().steady;
    if (waits.until <= now) return;
    auto changed = store_->wait_for_change(waits.watched, waits.until);
    if (!changed && !waits.watched.empty()) {
      // The next read or swap finds out.
      changed = store_->wait_for_change({}, std::min(waits.until, after(now, rest)));
      if (changed)
        for (const auto& watched : waits.watched) changed->push_back(watched.key);
    }
    if (!changed) {
      std::this_thread::sleep_for(std::min<Duration>(rest, waits.until - now));
      return;
    }
    for (const auto& one : gates)
      if (std::find(changed->begin(), changed->end(), one->key) != changed->end()) one->synchronizer.on_changed();
  }

  const std::unique_ptr<QuotaStore> store_;
  const SharingOptions options_;
  const std::shared_ptr<Clock> clock_;
  const OwnProcess process_;
  std::mutex mutex_;
  std::list<std::shared_ptr<SharedGate>> gates_;
  std::atomic<bool> stops_ = false;
  /// Of the ledger's thread: how long the last operation took, and whether one of this round took too long.
  Duration took_ = {};
  bool hangs_ = false;
};

/// Lives as long as the ledger or a handle of one of its gates, and the thread with it.
class SharedLedgerThread {
 public:
  explicit SharedLedgerThread(std::shared_ptr<SharedQuotas> quotas)
      : quotas_(std::move(quotas)), thread_(thread_without_signals([quotas = quotas_] { quotas->run(); })) {}
  SharedLedgerThread(const SharedLedgerThread&) = delete;
  SharedLedgerThread& operator=(const SharedLedgerThread&) = delete;
  ~SharedLedgerThread() {
    if (!quotas_->is_ours()) {
      // The thread is the parent's. Here its number may be that of another thread, which must not be detached.
      std::construct_at(&thread_);
      return;
    }
    quotas_->stop();
    // An observer may drop the last client.
    if (thread_.get_id() == std::this_thread::get_id())
      thread_.detach();
    else
      thread_.join();
  }

  SharedQuotas& quotas() const noexcept { return *quotas_; }

 private:
  const std::shared_ptr<SharedQuotas> quotas_;
  std::thread thread_;
};

class SharedQuotaLedger final : public QuotaLedger {
 public:
  SharedQuotaLedger(std::unique_ptr<QuotaStore> store, const SharingOptions& options)
      : thread_(std::make_shared<SharedLedgerThread>(std::make_shared<SharedQuotas>(std::move(store), options))) {}

  std::shared_ptr<quota::Gate> gate(std::string_view origin, std::string_view identity) override {
    const std::string key = key_of(origin, identity);
    const std::lock_guard lock(mutex_);
    std::erase_if(handles_, [](const auto& entry) { return entry.second.expired(); });
    if (const auto known = handles_.find(key); known != handles_.end())
      if (auto handle = known->second.lock()) return handle;
    const auto added = thread_->quotas().add(key, std::string(origin));
    // Permits keep the gate itself; the clients have a handle, so that the gate leaves with the last of them.
    const auto retire = [thread = thread_, own = added->synchronizer.gate()](quota::Gate*) {
      thread->quotas().retire(own);
    };
    std::shared_ptr<quota::Gate> handle(added->synchronizer.gate().get(), retire);
    handles_[key] = handle;
    return handle;
  }
  bool is_shared() const noexcept override { return true; }
  bool is_of_this_process() const noexcept override { return thread_->quotas().is_ours(); }

 private:
  const std::shared_ptr<SharedLedgerThread> thread_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<quota::Gate>> handles_;
};

}  // namespace

Result<std::shared_ptr<QuotaLedger>> shared_ledger(std::unique_ptr<QuotaStore> store,
                                                   const SharingOptions& options) try {
  if (!store) return Error(Errc::invalid_argument, "shared_ledger() has no store", "pass a QuotaStore");
  if (auto fault = fault_of(options)) return *std::move(fault);
  return std::shared_ptr<QuotaLedger>(std::make_shared<SharedQuotaLedger>(std::move(store), options));
} catch (const std::system_error&) {
  return Error(Errc::resource, "no thread can be started for the shared quotas",
               "raise the limit of the process's threads");
}

}}  // namespace noun
