#include "curl/curl_persistence.hpp"

#include <chrono>

namespace noun { inline namespace v0 { namespace curl {

void Persistence::ended(Duration idle, Instant now) noexcept {
  constexpr auto idle_limit = std::chrono::seconds(1);
  constexpr int enough = 2;
  constexpr auto doubt = std::chrono::minutes(1);
  if (idle >= idle_limit || ++ended_in_a_row_ < enough) return;
  ended_in_a_row_ = 0;
  doubted_until_ = after(now, doubt);
}

Persistence& Persistences::operator[](std::string_view origin) {
  const auto found = origins_.find(origin);
  return found != origins_.end() ? found->second : origins_.try_emplace(std::string(origin)).first->second;
}

}}}  // namespace noun::curl
