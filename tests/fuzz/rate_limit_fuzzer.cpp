// Rate-limit fields: the first byte of the input chooses the dialect, each line of the rest is a header field.
#include <chrono>
#include <set>
#include <string>

#include "fuzz/invariant.hpp"
#include "vocabulary/presets.hpp"
#include "wire/ascii.hpp"
#include "wire/rate_limit.hpp"

namespace {

using noun::Duration;
using noun_fuzz::require;

constexpr noun::WallTime now{std::chrono::seconds(1'768'910'400)};

/// A dialect of every kind of field.
noun::Dialect dialect_of_everything(std::size_t choice) {
  noun::Dialect dialect;
  dialect.partition_header = "Bucket";
  dialect.quotas.insert(
      dialect.quotas.end(),
      {{.limit = "L", .used_of_limit = "Used", .refill_per_second = "Refill", .retry_after = "Wait"},
       {.name = "day", .limit = "L", .remaining = "R", .reset = "T", .used = "Spent"},
       {.prefix = "left-"}});
  dialect.quotas[0].reset_form = static_cast<noun::ResetForm>(choice % 8);
  dialect.quotas[1].retry_after_form = static_cast<noun::ResetForm>(choice / 8 % 8);
  return dialect;
}

noun::Dialect dialect_of(std::size_t choice) {
  const auto& presets = noun_test::presets;
  return choice < presets.size() ? presets[choice].second() : dialect_of_everything(choice);
}

bool is_name(const std::string& text) {
  return text.size() <= 64 &&
         std::none_of(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; });
}

void check(const noun::wire::ReportedQuota& quota) {
  require(quota.limit.value_or(0) >= 0, "a limit is not negative");
  require(quota.remaining.value_or(0) >= 0, "what remains is not negative");
  require(quota.window.value_or(Duration(1)) > Duration::zero(), "a window is longer than zero");
  const auto refill = quota.refill_per_second.value_or(1);
  require(refill >= 1e-6 && refill <= 1e9, "a refill rate is in its range");
  if (!quota.reset) return;
  require(quota.reset->in.has_value() != quota.reset->at.has_value(), "a reset is a wait or an instant");
  require(quota.reset->in.value_or(Duration::zero()) >= Duration::zero(), "a reset is not negative");
  require(noun::wire::time_until(*quota.reset, now) >= Duration::zero(), "the time until a reset is not negative");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto dialect = dialect_of(data[0]);
  noun::Headers headers;
  for (const auto line : noun_fuzz::lines_of(noun_fuzz::text_of(data + 1, size - 1))) {
    const auto colon = std::min(line.find(':'), line.size());
    const auto value = line.substr(std::min(colon + 1, line.size()));
    headers.push_back({std::string(line.substr(0, colon)), std::string(noun::wire::trimmed(value))});
  }
  const auto reading = noun::wire::read_rate_limit(headers, dialect, now);
  check(reading);
  require(reading.retry_after.value_or(Duration::zero()) >= Duration::zero(), "a wait is not negative");
  require(is_name(reading.partition), "a partition has a short printable name");
  require(reading.more.size() <= 16, "at most 16 further quotas");
  std::set<std::string> names;
  for (const auto& quota : reading.more) {
    check(quota);
    require(!quota.name.empty() && is_name(quota.name), "a further quota has a short printable name");
    require(names.insert(quota.name).second, "the names of further quotas are unique");
  }
  return 0;
}
