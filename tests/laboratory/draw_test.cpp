// Tests of the draw: the same seed draws the same, and draws cover their ranges.
#include "laboratory/draw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace laboratory { namespace draw_test {

std::vector<std::string> options_of(std::uint64_t seed) {
  std::vector<std::string> options;
  for (const auto& one : draw(cells_with({"k1"}), 100, seed)) options.push_back(one.options());
  return options;
}

TEST(Draw, is_the_same_for_the_same_seed_and_another_for_another) {
  EXPECT_EQ(options_of(7), options_of(7));
  EXPECT_NE(options_of(7), options_of(8));
  EXPECT_EQ(options_of(7).front(), draw(cells_with({"k1"}), 1, 7).front().options());
}

TEST(Draw, covers_its_ranges_and_all_cells) {
  const auto draws = draw(cells_with({"k1"}), 2000, 1);
  std::set<std::string> groups;
  for (const auto& one : draws) {
    groups.insert(one.cell.group());
    EXPECT_EQ(one.cell.value(Dimension::clients), "k1");
  }
  EXPECT_EQ(groups.size(), 15U * 15);
  const auto covers = [&](const DrawRange& range, auto value_of) {
    std::set<double> values;
    for (const auto& one : draws) values.insert(static_cast<double>(value_of(one.settings)));
    EXPECT_GE(*values.begin(), range.least);
    EXPECT_LE(*values.rbegin(), range.most);
    EXPECT_EQ(*values.begin(), range.least);
    EXPECT_GE(*values.rbegin(), range.most * 0.95);
    EXPECT_GE(values.size(), 80U);
  };
  covers(drawn_limits, [](const GridSettings& settings) { return settings.limit; });
  covers(drawn_windows, [](const GridSettings& settings) { return settings.window / std::chrono::seconds(1); });
  covers(drawn_latencies, [](const GridSettings& settings) { return settings.latency / std::chrono::milliseconds(1); });
}

TEST(Draw, is_repeated_by_its_options) {
  const Draw one{.cell = cells_with({"aligned/epoch/+5s/all/ordered/x16/k1/n5"}).front(),
                 .settings = {.limit = 7,
                              .window = std::chrono::seconds(3),
                              .latency = std::chrono::milliseconds(20),
                              .retry_after = true,
                              .seed = 9}};
  EXPECT_EQ(one.options(),
            "--cell aligned/epoch/+5s/all/ordered/x16/k1/n5 --limit 7 --window 3 --latency 20 --seed 9 --retry-after");
}

TEST(Draw, is_severe_if_most_is_rejected_although_a_rival_shows_that_it_need_not_be) {
  Judgement judgement;
  judgement.outcome.finished = true;
  judgement.outcome.requests = 100;
  judgement.outcome.rejected = 60;
  EXPECT_EQ(severe(judgement), "60 of 100 requests rejected");
  judgement.best.waste = 0.6;
  EXPECT_EQ(severe(judgement), "");
  judgement.outcome.finished = false;
  EXPECT_EQ(severe(judgement), "not finished");
  judgement.best.elapsed = Duration::max();
  EXPECT_EQ(severe(judgement), "");
}

}  // namespace draw_test
}  // namespace laboratory
