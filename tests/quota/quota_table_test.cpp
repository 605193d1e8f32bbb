// The table of the ledger's phases in src/ARCHITECTURE.md, row by row.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "quota/quota_bench.hpp"
#include "test_paths.hpp"

namespace quota_tests { namespace quota_table_test {

using noun::QuotaPhase;

struct Row {
  std::string phase;
  std::string event;
  std::string then;

  std::string id() const { return phase + ": " + event; }
};

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// The rows of the table behind the heading.
std::vector<Row> rows_of_the_page() {
  std::ifstream page(std::string(noun_test::source_dir) + "/src/ARCHITECTURE.md");
  std::vector<Row> rows;
  std::string line;
  while (std::getline(page, line) && line != "## The quota ledger, as a table") continue;
  while (std::getline(page, line) && !line.starts_with("## ")) {
    const auto first = line.find('|', 1);
    const auto second = first == std::string::npos ? first : line.find('|', first + 1);
    if (!line.starts_with("| ") || second == std::string::npos) continue;
    rows.push_back({trimmed(line.substr(1, first - 1)), trimmed(line.substr(first + 1, second - first - 1)),
                    trimmed(line.substr(second + 1, line.rfind('|') - second - 1))});
  }
  if (!rows.empty()) rows.erase(rows.begin());  // its head
  return rows;
}

std::string name_of(QuotaPhase phase) {
  switch (phase) {
    case QuotaPhase::learning: return "learning";
    case QuotaPhase::open: return "open";
    case QuotaPhase::closed: return "closed";
    case QuotaPhase::probing: return "probing";
  }
  return "?";
}

QuotaAnswer pausing(QuotaAnswer answer) {
  answer.pause = 5s;
  return answer;
}

void bring_to(QuotaBench& bench, const std::string& phase) {
  if (phase == "learning") return;
  bench.exchange(told(phase == "open" ? 10 : 0, 5s));
  if (phase == "closed") {
    bench.now = 5s;
    bench.exchange(rejected_for(7s));
  }
  if (phase == "probing") bench.now = 5s;
}

using Events = std::map<std::string, std::function<void(QuotaBench&)>>;

/// What happens in one step, by the table's words.
Events plain_events() {
  return {
      {"an answer that is no rejection", [](auto& bench) { bench.exchange(bare()); }},
      {"a request that fails without an answer", [](auto& bench) { bench.exchange(dropped()); }},
      {"a rejection", [](auto& bench) { bench.exchange(rejected()); }},
      {"an answer with permits left", [](auto& bench) { bench.exchange(told(9, 5s)); }},
      {"an answer with none left and a reset ahead", [](auto& bench) { bench.exchange(told(0, 5s)); }},
      {"an answer with none left and no reset",
       [](auto& bench) {
         bench = {};
         bench.exchange(told(1));
         bench.exchange(told(0));
       }},
      {"an answer without a word", [](auto& bench) { bench.exchange(bare()); }},
      {"the reset passes",
       [](auto& bench) {
         bench.now = 5s;
         bench.hold();
       }},
      {"a success that asks for a pause", [](auto& bench) { bench.exchange(pausing(told(9, 5s))); }},
      {"a request before its instant", [](auto& bench) { EXPECT_EQ(bench.hold(), "rejected 7000"); }},
      {"its instant comes",
       [](auto& bench) {
         bench.now += 7s;
         bench.hold();
       }},
      {"an answer that tells what is left", [](auto& bench) { bench.exchange(told(99, 5s)); }},
      {"an answer without a word, of a service that has told", [](auto& bench) { bench.exchange(bare()); }},
      {"the third of these in a row",
       [](auto& bench) {
         for (int i = 0; i < 3; ++i) {
           bench.exchange(bare());
           bench.now += 2s;
         }
       }},
      {"a second of silence",
       [](auto& bench) {
         bench.go();
         bench.now += 1s;
         bench.go();
       }},
  };
}

/// What happens to a request that was admitted before.
Events late_events() {
  return {
      {"a late answer of the window before",
       [](auto& bench) {
         bench = {};
         bench.exchange(told(10, 5s));
         const auto late = bench.go();
         bench.exchange(rejected_for(7s));
         bench.answer(late, told(8, 5s));
       }},
      {"a late rejection",
       [](auto& bench) {
         bench = {};
         bench.exchange(told(10, 5s));
         const auto late = bench.go();
         bench.exchange(rejected_for(7s));
         bench.answer(late, rejected_for(9s));
         EXPECT_EQ(bench.hold(), "rejected 9000") << "it can only ask for longer";
       }},
      {"a late answer of the new window",
       [](auto& bench) {
         bench = {};
         bench.exchange(told(2, 5s));
         bench.now = 4900ms;
         const auto late = bench.go();
         bench.now = 5s;
         bench.hold();
         EXPECT_EQ(name_of(bench.state.outlook().phase), "probing");
         bench.answer(late, told(99, 60s));
       }},
  };
}

const Events& events() {
  static const Events all = [] {
    Events both = plain_events();
    both.merge(late_events());
    return both;
  }();
  return all;
}

TEST(QuotaTable, of_the_page_is_what_a_quota_does) {
  const auto rows = rows_of_the_page();
  EXPECT_EQ(rows.size(), 20U);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.id());
    QuotaBench bench;
    bring_to(bench, row.phase);
    if (row.phase == "probing") bench.hold();
    EXPECT_EQ(name_of(bench.state.outlook().phase), row.phase);
    const auto event = events().find(row.event);
    ASSERT_NE(event, events().end()) << "no such event here";
    event->second(bench);
    EXPECT_EQ(name_of(bench.state.outlook().phase), row.then);
  }
}

TEST(QuotaTable, of_the_page_has_every_event) {
  std::map<std::string, int> seen;
  for (const Row& row : rows_of_the_page()) ++seen[row.event];
  for (const auto& [event, does] : events()) EXPECT_GT(seen[event], 0) << event;
}

}  // namespace quota_table_test
}  // namespace quota_tests
