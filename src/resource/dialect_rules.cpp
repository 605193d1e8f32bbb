#include "resource/dialect_rules.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "resource/field_rules.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

using Fault = std::optional<std::string>;

constexpr std::size_t longest_name = 64;

Fault fault_of_quota(std::string_view path, const QuotaHeaders& quota) {
  const auto is_shown = [](char c) { return c >= ' ' && c <= '~'; };
  if (quota.name.size() > longest_name || !std::all_of(quota.name.begin(), quota.name.end(), is_shown))
    return fmt::format("{}.name must be at most {} printable ASCII characters", path, longest_name);
  if (!quota.used.empty() && quota.limit.empty())
    return fmt::format("{}.used needs the header of the limit; set {}.limit", path, path);
  return fault_of_names(path, {{"limit", quota.limit},
                               {"remaining", quota.remaining},
                               {"reset", quota.reset},
                               {"used", quota.used},
                               {"used_of_limit", quota.used_of_limit},
                               {"refill_per_second", quota.refill_per_second},
                               {"retry_after", quota.retry_after},
                               {"prefix", quota.prefix}});
}

Fault fault_of_quotas(const std::vector<QuotaHeaders>& quotas) {
  for (auto quota = quotas.begin(); quota != quotas.end(); ++quota) {
    const auto path = fmt::format("ClientOptions::dialect.quotas[{}]", quota - quotas.begin());
    if (auto fault = fault_of_quota(path, *quota)) return fault;
    const auto same_name = [&](const QuotaHeaders& other) { return other.name == quota->name; };
    if (!quota->name.empty() && std::any_of(quotas.begin(), quota, same_name))
      return fmt::format("{}.name must be unique", path);
  }
  return std::nullopt;
}

Fault fault_of_signs(const std::vector<BodySign>& signs) {
  for (std::size_t i = 0; i < signs.size(); ++i) {
    const auto path = fmt::format("ClientOptions::dialect.body_signs[{}]", i);
    if (signs[i].statuses.empty()) return path + ".statuses must not be empty";
    if (auto fault = fault_of_statuses(path + ".statuses", signs[i].statuses, 200)) return fault;
    if (auto fault = fault_of_pointer(path + ".pointer", signs[i].pointer)) return fault;
    if (signs[i].text.empty()) return path + ".text must not be empty";
  }
  return std::nullopt;
}

Fault fault_of_polling(const Polling& polling) {
  for (const auto& name : polling.monitor_headers)
    if (!is_header_name(name))
      return fmt::format("ClientOptions::dialect.polling.monitor_headers must be names of headers, not \"{}\"",
                         wire::printable_excerpt(name, 40));
  for (const auto& [member, pointer] : std::initializer_list<NamedText>{
           {"monitor", polling.monitor},
           {"status", polling.status},
           {"error", polling.error},
           {"result", polling.result},
           {"result_url", polling.result_url},
           {"percent", polling.percent}})
    if (auto fault = fault_of_pointer(fmt::format("ClientOptions::dialect.polling.{}", member), pointer)) return fault;
  return fault_of_names("ClientOptions::dialect.polling", {{"wait_milliseconds", polling.wait_milliseconds}});
}

}  // namespace

/// An empty name is valid: the dialect does not have this header.
Fault fault_of_names(std::string_view path, std::initializer_list<NamedText> headers) {
  for (const auto& [member, name] : headers)
    if (!name.empty() && !is_header_name(name))
      return fmt::format("{}.{} must be the name of a header, not \"{}\"", path, member,
                         wire::printable_excerpt(name, 40));
  return std::nullopt;
}

Fault fault_of_statuses(std::string_view path, const std::vector<int>& statuses, int least) {
  for (const int status : statuses)
    if (status < least || status > 599) return fmt::format("{} must be {} to 599, not {}", path, least, status);
  return std::nullopt;
}

/// @source RFC 6901, section 3.
Fault fault_of_pointer(std::string_view path, const std::string& pointer) {
  if (!pointer.empty() && pointer.front() != '/')
    return fmt::format("{} must be empty or begin with a slash (RFC 6901)", path);
  for (auto at = pointer.find('~'); at != std::string::npos; at = pointer.find('~', at + 1))
    if (const auto escaped = pointer.substr(at + 1, 1); escaped != "0" && escaped != "1")
      return fmt::format("{} must write a tilde in a name as ~0 and a slash as ~1 (RFC 6901)", path);
  return std::nullopt;
}

std::optional<std::string> fault_of_limits(const Dialect& dialect) {
  if (auto fault = fault_of_quotas(dialect.quotas)) return fault;
  if (auto fault = fault_of_names("ClientOptions::dialect", {{"retry_after", dialect.retry_after},
                                                             {"partition_header", dialect.partition_header},
                                                             {"everywhere_header", dialect.everywhere_header},
                                                             {"structured", dialect.structured},
                                                             {"structured_policy", dialect.structured_policy}}))
    return fault;
  if (dialect.farthest_reset <= Duration::zero())
    return "ClientOptions::dialect.farthest_reset must be greater than zero";
  if (auto fault = fault_of_statuses("ClientOptions::dialect.limited_statuses", dialect.limited_statuses, 400))
    return fault;
  if (auto fault =
          fault_of_statuses("ClientOptions::dialect.limited_if_exhausted", dialect.limited_if_exhausted, 400))
    return fault;
  if (auto fault = fault_of_statuses("ClientOptions::dialect.transient_statuses", dialect.transient_statuses, 400))
    return fault;
  if (auto fault = fault_of_signs(dialect.body_signs)) return fault;
  if (auto fault = fault_of_pointer("ClientOptions::dialect.wait_pointer", dialect.wait_pointer)) return fault;
  if (dialect.default_wait < Duration::zero()) return "ClientOptions::dialect.default_wait must not be negative";
  if (auto fault = fault_of_pointer("ClientOptions::dialect.member.reply", dialect.member.reply)) return fault;
  if (auto fault = fault_of_pointer("ClientOptions::dialect.member.request", dialect.member.request)) return fault;
  if (auto fault = fault_of_polling(dialect.polling)) return fault;
  return fault_of_names("ClientOptions::dialect", {{"retry_verdict_header", dialect.retry_verdict_header},
                                                  {"poll_interval_header", dialect.poll_interval_header}});
}

}}  // namespace noun
