#include "resource/option_rules.hpp"

#include <limits>
#include <ostream>

#include <fmt/format.h>

#include "decision/event_feed.hpp"
#include "paging/styles.hpp"
#include "resource/dialect_rules.hpp"
#include "resource/field_rules.hpp"
#include "resource/paging_rules.hpp"
#include "wire/ascii.hpp"

namespace noun { inline namespace v0 {
namespace {

/// A converted -1 is above it.
constexpr std::size_t largest_page_size = 1'000'000'000;
constexpr std::size_t most_pages_ahead = 1000;
constexpr std::size_t least_bookmark_key = 16;

struct Rule {
  bool holds;
  const char* clause;
};

/// Whether a media type is JSON or has the suffix +json (RFC 6839, section 3.1).
bool is_json_type(std::string_view type) {
  const auto essence = wire::lowered(wire::trimmed(type.substr(0, type.find(';'))));
  return essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
}

}  // namespace

std::optional<std::string> fault_of_retry(std::string_view path, const RetryPolicy& policy) {
  const auto& [max_attempts, initial_backoff, max_backoff, jitter, give_up_after] = policy;
  const auto zero = Duration::zero();
  const Rule rules[] = {
      {max_attempts >= 1, "max_attempts must be at least 1"},
      {initial_backoff > zero, "initial_backoff must be greater than zero"},
      {max_backoff >= initial_backoff, "max_backoff must be at least initial_backoff"},
      {jitter >= 0 && jitter <= 1, "jitter must be 0 to 1"},
      {give_up_after >= zero, "give_up_after must not be negative"},
  };
  for (const auto& rule : rules)
    if (!rule.holds) return fmt::format("{}.{}", path, rule.clause);
  return std::nullopt;
}

std::optional<std::string> fault_of_options(const ClientOptions& options) {
  if (auto fault = fault_of_retry("ClientOptions::retry", options.retry)) return fault;
  const auto zero = Duration::zero();
  const Rule rules[] = {
      {options.budget.capacity >= 0 && options.budget.capacity <= 1e9,
       "ClientOptions::budget.capacity must be 0 to 1e9"},
      {options.budget.per_success >= 0 && options.budget.per_success <= 1e9,
       "ClientOptions::budget.per_success must be 0 to 1e9"},
      {options.quota.reserve >= 0 && options.quota.reserve <= 1'000'000'000'000,
       "ClientOptions::quota.reserve must be 0 to 1,000,000,000,000"},
      {options.quota.max_wait >= zero, "ClientOptions::quota.max_wait must not be negative"},
      {options.quota.in_flight_unknown >= 1 && options.quota.in_flight_unknown <= 1'000'000,
       "ClientOptions::quota.in_flight_unknown must be 1 to 1,000,000"},
      {options.timeouts.connect > zero, "ClientOptions::timeouts.connect must be greater than zero"},
      {options.timeouts.attempt > zero, "ClientOptions::timeouts.attempt must be greater than zero"},
      {options.timeouts.stall > zero, "ClientOptions::timeouts.stall must be greater than zero"},
      {options.limits.head >= 1024 && options.limits.head <= 100'000,
       "ClientOptions::limits.head must be 1024 to 100,000 bytes"},
      {options.limits.fields >= 1, "ClientOptions::limits.fields must be at least 1"},
      {options.limits.ratio >= 1, "ClientOptions::limits.ratio must be at least 1"},
      {options.limits.json_depth >= 1 && options.limits.json_depth <= 10'000,
       "ClientOptions::limits.json_depth must be 1 to 10,000"},
      {options.limits.json_values >= 1, "ClientOptions::limits.json_values must be at least 1"},
      {options.limits.pages >= 1, "ClientOptions::limits.pages must be at least 1"},
      {options.limits.empty_pages >= 1, "ClientOptions::limits.empty_pages must be at least 1"},
      {options.limits.connections >= 1 && options.limits.connections <= 1'000'000,
       "ClientOptions::limits.connections must be 1 to 1,000,000"},
      {options.limits.idle_time >= zero, "ClientOptions::limits.idle_time must not be negative"},
      {options.bookmark_key.empty() || options.bookmark_key.size() >= least_bookmark_key,
       "ClientOptions::bookmark_key must have at least 16 bytes"},
      {!options.dialect.limited_statuses.empty() || !options.dialect.limited_if_exhausted.empty(),
       "ClientOptions::dialect.limited_statuses and limited_if_exhausted must not both be empty"},
      {options.dialect.not_modified_cost == 0 || options.dialect.not_modified_cost == 1,
       "ClientOptions::dialect.not_modified_cost must be 0 or 1"},
      {options.dialect.search_method == Method::post || options.dialect.search_method == Method::query,
       "ClientOptions::dialect.search_method must be POST or QUERY"},
      {is_json_type(options.dialect.content_type),
       "ClientOptions::dialect.content_type must be application/json or another type that ends in +json"},
      {is_json_type(options.dialect.patch_content_type),
       "ClientOptions::dialect.patch_content_type must be application/json or another type that ends in +json"},
  };
  for (const auto& rule : rules)
    if (!rule.holds) return rule.clause;
  // The dialect's texts are sent in headers too.
  Headers named = {{"Content-Type", options.dialect.content_type}};
  named.add("Content-Type", options.dialect.patch_content_type);
  named.add("Accept", options.dialect.accept);
  if (!options.dialect.idempotency_header.empty()) named.add(options.dialect.idempotency_header, "key");
  if (const auto fault = fault_of_headers(named)) return "ClientOptions::dialect is invalid: " + *fault;
  if (auto fault = fault_of_paging("ClientOptions::dialect.paging", options.dialect.paging)) return fault;
  return fault_of_limits(options.dialect);
}

std::string advice_on_option(std::string_view clause) {
  return fmt::format("fix {}", clause.substr(0, clause.find_first_of(" [")));
}

std::optional<OptionFault> fault_of_options(const ListOptions& options, const Paging& paging) {
  if (options.paging)
    if (auto fault = fault_of_paging("ListOptions::paging", *options.paging))
      return OptionFault{*std::move(fault), "fix ListOptions::paging"};
  if (options.page_size && (*options.page_size == 0 || *options.page_size > largest_page_size))
    return OptionFault{"ListOptions::page_size must be 1 to 1,000,000,000", "fix ListOptions::page_size"};
  const bool sized_by_range = options.page_size && !detail::first_range(paging.style, *options.page_size).empty();
  if (options.page_size && paging.size_parameter.empty() && !sized_by_range)
    return OptionFault{"the dialect has no parameter for ListOptions::page_size",
                       "set ClientOptions::dialect.paging.size_parameter, or leave ListOptions::page_size empty"};
  if (options.page_size && options.query.contains(paging.size_parameter))
    return OptionFault{
        fmt::format("ListOptions::page_size and the query parameter {} are both set", paging.size_parameter),
        "set only one of them"};
  if (options.max_items && *options.max_items > std::numeric_limits<std::size_t>::max() / 2)
    return OptionFault{"ListOptions::max_items must not be negative", "fix ListOptions::max_items"};
  if (options.prefetch > most_pages_ahead)
    return OptionFault{"ListOptions::prefetch must be 0 to 1,000", "fix ListOptions::prefetch"};
  if (auto fault = fault_of_pointer("ListOptions::key", options.key))
    return OptionFault{*std::move(fault), "use a JSON pointer, such as /id"};
  return std::nullopt;
}

std::optional<OptionFault> fault_of_options(const StreamOptions& options, const StreamRules& rules) {
  if (options.ends == StreamEnd::at_marker && rules.end_marker.empty() && rules.end_events.empty())
    return OptionFault{"StreamOptions::ends is at_marker, and no marker is known",
                       "set end_marker or end_events in StreamOptions::rules"};
  if (options.last_event_id.size() > longest_event_id || fault_of_headers({{"Last-Event-ID", options.last_event_id}}))
    return OptionFault{"StreamOptions::last_event_id cannot be sent in a header", "fix StreamOptions::last_event_id"};
  return std::nullopt;
}

std::string_view to_string(BadItems choice) noexcept {
  switch (choice) {
    case BadItems::stop: return "stop";
    case BadItems::deliver: return "deliver";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, BadItems choice) { return out << to_string(choice); }

}}  // namespace noun
