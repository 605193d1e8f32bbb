// Ledger of one process: a gate for each origin and identity.
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <noun/quota.hpp>

#include "quota/gate.hpp"

namespace noun { inline namespace v0 {
namespace {

class LocalQuotaLedger final : public QuotaLedger {
 public:
  std::shared_ptr<quota::Gate> gate(std::string_view origin, std::string_view identity) override {
    const std::lock_guard lock(mutex_);
    // Looks at all gates only when there are twice as many as the last time, so that a client costs the same among many.
    if (gates_.size() >= drop_unused_at_) {
      std::erase_if(gates_, [](const auto& entry) { return entry.second.expired(); });
      drop_unused_at_ = 2 * gates_.size() + 16;
    }
    std::weak_ptr<quota::Gate>& entry = gates_[{std::string(origin), std::string(identity)}];
    std::shared_ptr<quota::Gate> gate = entry.lock();
    if (!gate) entry = gate = std::make_shared<quota::Gate>();
    return gate;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::weak_ptr<quota::Gate>> gates_;
  std::size_t drop_unused_at_ = 16;
};

}  // namespace

QuotaLedger::~QuotaLedger() = default;

std::shared_ptr<QuotaLedger> make_quota_ledger() { return std::make_shared<LocalQuotaLedger>(); }

}}  // namespace noun
