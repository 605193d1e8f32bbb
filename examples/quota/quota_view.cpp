#include "quota_view.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <noun/json.hpp>

#include "export_end.hpp"
#include "printable_text.hpp"
#include "progress_view.hpp"

namespace noun_quota {
namespace {

using progress::grouped;
using progress::in_words;
using progress::printable;
using Row = std::vector<std::string>;

std::string number(std::int64_t value) { return grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0))); }
std::string number(std::optional<std::int64_t> value) { return value ? number(*value) : "-"; }

std::string label_of(const noun::QuotaSnapshot& quota) {
  if (quota.policy.empty()) return quota.partition.empty() ? "-" : printable(quota.partition);
  return printable(fmt::format("{}/{}", quota.partition, quota.policy));
}

std::string name_of(const noun::QuotaHolder& holder) { return fmt::format("{:012x}", holder.id); }

/// The first column is aligned at its left, the others at their right.
std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format("  {:>{}}", row[i], widths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

struct Sum {
  std::int64_t leased = 0;
  std::int64_t wanted = 0;
};

Sum sum_of(const std::vector<noun::QuotaHolder>& holders) {
  Sum sum;
  for (const auto& holder : holders) {
    sum.leased += holder.permits;
    sum.wanted += holder.wanted;
  }
  return sum;
}

std::string table_of(const noun::QuotaSnapshot& quota) {
  std::vector<Row> partitions{{"partition", "limit", "remaining", "resets in", "sent", "rejected"}};
  for (const auto& one : quota.partitions)
    partitions.push_back({label_of(one), number(one.limit), number(one.remaining),
                          one.resets_in ? in_words(*one.resets_in) : "-", grouped(one.sent), grouped(one.rejected)});
  auto text = table(partitions);
  if (quota.holders.empty()) return text + "  no process shares it now\n";
  std::vector<Row> holders{{"process", "leased", "wanted", "expires in"}};
  for (const auto& holder : quota.holders)
    holders.push_back({name_of(holder), number(holder.permits), number(holder.wanted),
                       holder.expires_in > noun::Duration::zero() ? in_words(holder.expires_in) : "expired"});
  const auto [leased, wanted] = sum_of(quota.holders);
  holders.push_back({fmt::format("total of {}", quota.holders.size()), number(leased), number(wanted), ""});
  return text + table(holders);
}

double seconds(noun::Duration time) { return std::chrono::duration<double>(time).count(); }

noun::Json json_of_partition(const noun::QuotaSnapshot& quota) {
  noun::Json json = {
      {"partition", quota.partition}, {"policy", quota.policy}, {"sent", quota.sent}, {"rejected", quota.rejected}};
  if (quota.limit) json["limit"] = *quota.limit;
  if (quota.remaining) json["remaining"] = *quota.remaining;
  if (quota.resets_in) json["resets_in_s"] = seconds(*quota.resets_in);
  return json;
}

noun::Json json_of_quota(const noun::QuotaSnapshot& quota) {
  const auto [leased, wanted] = sum_of(quota.holders);
  noun::Json json = {
      {"leased", leased}, {"wanted", wanted}, {"partitions", noun::Json::array()}, {"holders", noun::Json::array()}};
  for (const auto& one : quota.partitions) json["partitions"].push_back(json_of_partition(one));
  for (const auto& holder : quota.holders)
    json["holders"].push_back({{"id", name_of(holder)},
                               {"leased", holder.permits},
                               {"wanted", holder.wanted},
                               {"expires_in_s", seconds(holder.expires_in)}});
  return json;
}

}  // namespace

std::string table_of(const std::vector<noun::SharedQuota>& quotas) {
  if (quotas.empty()) return "no shared quotas; a client stores one when it sends its first request\n";
  std::string text;
  for (const auto& [key, quota] : quotas) {
    text += (text.empty() ? "" : "\n") + key + '\n';
    text += quota ? table_of(*quota) : fmt::format("  {}\n", printable(noun_export::message_of(quota.error())));
  }
  return text;
}

std::string json_of(const std::vector<noun::SharedQuota>& quotas) {
  auto all = noun::Json::array();
  for (const auto& [key, quota] : quotas) {
    auto json = quota ? json_of_quota(*quota) : noun::Json{{"error", noun_export::message_of(quota.error())}};
    json["key"] = key;
    all.push_back(std::move(json));
  }
  return all.dump(2) + '\n';
}

}  // namespace noun_quota
