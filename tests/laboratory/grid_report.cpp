#include "laboratory/grid_report.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace laboratory {
namespace {

using Group = std::vector<const Judgement*>;

/// In the order in which the groups first appear.
std::vector<std::pair<std::string, Group>> groups_of(const std::vector<Judgement>& judgements, bool must_meet) {
  std::vector<std::pair<std::string, Group>> groups;
  for (const auto& judgement : judgements) {
    if (judgement.must_meet != must_meet) continue;
    const auto name = judgement.cell.group();
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == name; });
    if (found == groups.end()) found = groups.insert(groups.end(), {name, {}});
    found->second.push_back(&judgement);
  }
  return groups;
}

std::vector<double> sorted(const Group& group, const std::function<double(const Judgement&)>& measure) {
  std::vector<double> values;
  for (const auto* judgement : group) values.push_back(measure(*judgement));
  std::sort(values.begin(), values.end());
  return values;
}

std::size_t met(const Group& group) {
  return static_cast<std::size_t>(
      std::count_if(group.begin(), group.end(), [](const auto* judgement) { return judgement->not_met.empty(); }));
}

double seconds_of(Duration span) { return std::chrono::duration<double>(span).count(); }

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::string barred_line(const std::string& name, const Group& group) {
  const auto rejected = sorted(group, [](const auto& j) { return static_cast<double>(j.outcome.rejected); });
  const auto used = sorted(group, [](const auto& j) { return j.outcome.worst_utilisation(); });
  const auto mean_used = sorted(group, [](const auto& j) { return j.outcome.mean_utilisation(); });
  const auto slowdown = sorted(group, [](const auto& j) { return j.slowdown(); });
  const auto late = sorted(group, [](const auto& j) { return seconds_of(j.outcome.probe_error); });
  return fmt::format("{:28}{:6}{:6}{:10.0f}{:9.1f} %{:7.1f} %{:11.3f}{:9.3f}{:11.3f} s\n", name, group.size(),
                     met(group), rejected.back(), 100 * used.front(), 100 * mean(mean_used), slowdown.back(),
                     slowdown[slowdown.size() / 2], late.back());
}

std::string compared_line(const std::string& name, const Group& group) {
  const auto waste = sorted(group, [](const auto& j) { return j.outcome.waste(); });
  const auto their_waste = sorted(group, [](const auto& j) { return j.best.waste; });
  const auto slowdown = sorted(group, [](const auto& j) { return j.slowdown(); });
  const auto relative = sorted(group, [](const auto& j) {
    return static_cast<double>(j.outcome.elapsed.count()) / static_cast<double>(j.best.elapsed.count());
  });
  return fmt::format("{:28}{:6}{:6}{:10.1f} %{:8.1f} %{:7.1f} %{:10.2f}{:9.2f}{:11.2f}{:9.2f}\n", name, group.size(),
                     met(group), 100 * mean(waste), 100 * waste.back(), 100 * mean(their_waste), slowdown.back(),
                     slowdown[slowdown.size() / 2], relative.back(), relative[relative.size() / 2]);
}

}  // namespace

std::string summary(const std::vector<Judgement>& judgements) {
  std::string text;
  const auto barred = groups_of(judgements, true);
  if (!barred.empty())
    text +=
        "With bars\nkind/reset                   cells   met  rejected  worst used   mean  time/least   median  "
        "probe late\n";
  for (const auto& [name, group] : barred) text += barred_line(name, group);
  const auto compared = groups_of(judgements, false);
  if (!compared.empty())
    text +=
        "\nCompared with the best of the rivals\nkind/reset                   cells better waste mean    worst   "
        "theirs "
        "time/least   median time/theirs   median\n";
  for (const auto& [name, group] : compared) text += compared_line(name, group);
  return text;
}

std::string not_met(const std::vector<Judgement>& judgements, std::size_t most) {
  std::map<std::string, Group> failing;
  for (const auto& judgement : judgements) {
    if (judgement.not_met.empty()) continue;
    const auto* gap = known_gap_of(judgement);
    const auto name = gap == nullptr ? judgement.cell.group() : fmt::format("{}: {}", gap->values, gap->reason);
    failing[(judgement.must_meet ? "bars not met, " : "worse than a rival, ") + name].push_back(&judgement);
  }
  std::string text;
  for (const auto& [name, group] : failing) {
    text += fmt::format("{} ({})\n", name, group.size());
    for (std::size_t i = 0; i < std::min(most, group.size()); ++i)
      text += fmt::format("  {}: {}\n", group[i]->cell.id(), group[i]->not_met);
  }
  return text;
}

std::string csv(const std::vector<Judgement>& judgements) {
  std::string text =
      "cell,must_meet,requests,rejected,worst_used,mean_used,elapsed_s,least_s,probe_late_s,best_rival,"
      "their_waste,their_elapsed_s,not_met\n";
  for (const auto& judgement : judgements) {
    const auto& outcome = judgement.outcome;
    text += fmt::format("{},{:d},{},{},{:.4f},{:.4f},{:.3f},{:.3f},{:.3f},", judgement.cell.id(), judgement.must_meet,
                        outcome.requests, outcome.rejected, outcome.worst_utilisation(), outcome.mean_utilisation(),
                        seconds_of(outcome.elapsed), seconds_of(judgement.least), seconds_of(outcome.probe_error));
    if (judgement.must_meet)
      text += ",,,";
    else
      text += fmt::format("\"{}\",{:.4f},{:.3f},", name_of(judgement.best.shape), judgement.best.waste,
                          seconds_of(judgement.best.elapsed));
    text += fmt::format("\"{}\"\n", judgement.not_met);
  }
  return text;
}

std::vector<std::string> surprises(const std::vector<Judgement>& judgements) {
  std::vector<std::string> found;
  for (const auto& judgement : judgements)
    if (judgement.must_meet && !judgement.not_met.empty() && known_gap_of(judgement) == nullptr)
      found.push_back(judgement.cell.id() + ": " + judgement.not_met);
  for (const auto& gap : known_gaps()) {
    const bool open = std::any_of(judgements.begin(), judgements.end(), [&](const Judgement& judgement) {
      return gap.has(judgement.cell) && !judgement.not_met.empty();
    });
    if (!open) found.push_back(fmt::format("{} meets its bars now: take it out of known_gaps.cpp", gap.values));
  }
  return found;
}

}  // namespace laboratory
