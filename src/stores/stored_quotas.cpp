#include <noun/shared_quota.hpp>

#include <fmt/format.h>

#include "quota/shared_state.hpp"
#include "stores/sharing_rules.hpp"

namespace noun { inline namespace v0 {
namespace {

Result<QuotaSnapshot> snapshot_of(const std::string& key, const Result<QuotaStore::Stored>& stored) {
  if (!stored) return stored.error();
  // Instants are those of the store's clock.
  const auto state = quota::SharedState::read(stored->bytes, Duration::zero());
  if (!state)
    return Error(Errc::resource, fmt::format("the state of the shared quota {} is damaged or of another version", key),
                 "use one version of noun, or delete the key; the quota is known again after the next response");
  return state->snapshot(Instant(stored->time));
}

}  // namespace

QuotaStore::~QuotaStore() = default;

void QuotaStore::limit_operations(Duration) noexcept {}

Result<std::vector<std::string>> QuotaStore::keys(const std::string&) {
  return Error(Errc::invalid_argument, "this store of shared quotas does not list its keys",
               "override QuotaStore::keys()");
}

Result<std::vector<SharedQuota>> read_shared_quotas(QuotaStore& store, const std::string& prefix) {
  if (auto fault = fault_of(SharingOptions{.prefix = prefix})) return *std::move(fault);
  const auto keys = store.keys(prefix + ':');
  if (!keys) return keys.error();
  std::vector<SharedQuota> quotas;
  for (const auto& key : *keys) {
    const auto stored = store.read(key);
    // Nothing is stored if the key expired meanwhile, or if a file is older than the last start of the machine.
    if (stored && stored->version == 0) continue;
    quotas.push_back({key, snapshot_of(key, stored)});
  }
  return quotas;
}

}}  // namespace noun
