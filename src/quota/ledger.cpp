// Ledger of one process: a gate for each origin and identity.
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
    // A client looks up its gate only once, so this is a cheap place to drop unused gates.
    std::erase_if(gates_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<quota::Gate>& entry = gates_[{std::string(origin), std::string(identity)}];
    std::shared_ptr<quota::Gate> gate = entry.lock();
    if (!gate) entry = gate = std::make_shared<quota::Gate>();
    return gate;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::weak_ptr<quota::Gate>> gates_;
};

}  // namespace

QuotaLedger::~QuotaLedger() = default;

std::shared_ptr<QuotaLedger> make_quota_ledger() { return std::make_shared<LocalQuotaLedger>(); }

}}  // namespace noun
