#include "shared_place.hpp"

#include <noun/file_ledger.hpp>
#ifdef NOUN_EXPORT_REDIS
#include <noun/redis_ledger.hpp>
#endif

namespace noun_export {

bool is_path(std::string_view place) { return place.starts_with('/') || place.starts_with('.'); }

bool is_place(std::string_view place) { return is_path(place) || place.find("://") != std::string_view::npos; }

noun::Result<std::unique_ptr<noun::QuotaStore>> store_at(const std::string& place,
                                                         const noun::SharingOptions& options) {
  if (!is_place(place))
    return noun::Error(noun::Errc::invalid_argument, "the place of shared quotas is neither a directory nor a URL",
                       how_to_name_a_place);
  if (is_path(place)) return noun::file_store(place, options);
#ifdef NOUN_EXPORT_REDIS
  return noun::redis_store(place, options);
#else
  return noun::Error(noun::Errc::invalid_argument, "this program was built without Redis",
                     "name a directory, or build noun with -DNOUN_REDIS=ON");
#endif
}

}  // namespace noun_export
