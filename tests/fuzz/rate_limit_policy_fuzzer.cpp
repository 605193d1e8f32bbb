// RateLimit and RateLimit-Policy: each line of the input is a line of the field.
#include "fuzz/invariant.hpp"
#include "wire/rate_limit_policy.hpp"
#include "wire/structured_field.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using noun::Duration;
  using noun_fuzz::require;
  const auto lines = noun_fuzz::lines_of(noun_fuzz::text_of(data, size));
  const bool is_list = noun::wire::parse_structured_list(lines).has_value();
  const bool is_structured = is_list || noun::wire::parse_structured_dictionary(lines).has_value();
  if (const auto limits = noun::wire::parse_rate_limit_field(lines)) {
    require(is_structured, "limits are a structured field");
    for (const auto& limit : *limits) {
      require(limit.limit.value_or(0) >= 0, "a limit is not negative");
      require(limit.remaining.value_or(0) >= 0, "what remains is not negative");
      require(limit.resets_in.value_or(Duration::zero()) >= Duration::zero(), "a reset is not negative");
    }
  }
  if (const auto policies = noun::wire::parse_rate_limit_policy(lines)) {
    require(is_structured, "policies are a structured field");
    for (const auto& policy : *policies) {
      require(policy.quota >= 0, "a quota is not negative");
      require(policy.window.value_or(Duration(1)) > Duration::zero(), "a window is longer than zero");
    }
  }
  return 0;
}
