// Tests of listings of a collection that changes meanwhile: no item is repeated, and possible losses are reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "journeys/window_monitor.hpp"
#include "wire/integer.hpp"
#include "wire/page_url.hpp"

namespace journeys { namespace changing_listing_test {

constexpr std::size_t page_size = 10;

/// A collection of ids, the newest first; `change` is called after each response.
class ChangingList final : public noun::Transport {
 public:
  explicit ChangingList(int count) {
    for (int id = count; id > 0; --id) ids.push_back(id);
  }

  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    const auto first = std::min(place(attempt.url), ids.size());
    const auto end = std::min(first + page_size, ids.size());
    noun::Response response{.status = 200, .headers = {{"X-Total-Count", std::to_string(ids.size())}}};
    noun::Json items = noun::Json::array();
    for (auto i = first; i < end; ++i) items.push_back({{"id", ids[i]}, {"name", ""}});
    response.body = items.dump();
    read_to = end;
    change();
    return response;
  }

  void insert() { ids.insert(ids.begin(), ++newest); }
  void erase(std::size_t index) {
    stayed.erase(ids[index]);
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(index));
  }

  std::vector<int> ids;
  int newest = 1000;
  std::set<int> stayed;
  std::size_t read_to = 0;
  std::function<void()> change = [] {};

 private:
  std::size_t place(std::string_view url) const {
    const auto number = [&](std::string_view name) -> std::optional<std::size_t> {
      const auto text = noun::wire::parameter_of(url, name);
      return text ? noun::wire::read_integer<std::size_t>(*text) : std::nullopt;
    };
    if (const auto page = number("page")) return (*page - 1) * page_size;
    if (const auto offset = number("offset")) return *offset;
    const auto after = number("after");
    if (!after) return 0;
    const auto next = std::find_if(ids.begin(), ids.end(), [&](int id) { return id < static_cast<int>(*after); });
    return static_cast<std::size_t>(next - ids.begin());
  }
};

struct Reading {
  std::shared_ptr<kit::ManualClock> clock = std::make_shared<kit::ManualClock>();
  std::shared_ptr<ChangingList> list = std::make_shared<ChangingList>(95);
  noun::paging::Style style;
  std::vector<std::string> notices;
  std::vector<int> taken;
  std::string bookmark;
  bool changed = false;

  explicit Reading(noun::paging::Style paged_by) : style(std::move(paged_by)) {
    list->stayed.insert(list->ids.begin(), list->ids.end());
  }
  /// Reads up to `most` items from the bookmark; returns whether the listing ended.
  bool read(std::size_t most, std::string key = "/id") {
    const noun::Client api{"https://api.example.com",
                           {.dialect = {.paging = {.style = style}},
                            .observer =
                                [this](const noun::Event& event) {
                                  if (event.kind == noun::EventKind::notice) notices.push_back(event.note);
                                },
                            .transport = list,
                            .clock = clock,
                            .quota_ledger = noun::make_quota_ledger()}};
    auto posts = api.collection<Language>("posts").list({.resume = bookmark, .key = std::move(key)});
    bool ended = true;
    for (const auto& post : posts) {
      taken.push_back(post.value().id);
      if (--most == 0) {
        ended = false;
        break;
      }
    }
    bookmark = posts.bookmark();
    changed = changed || posts.tally().changed;
    return ended;
  }
  std::vector<int> lost() const {
    std::vector<int> missing;
    for (const int id : list->stayed)
      if (std::find(taken.begin(), taken.end(), id) == taken.end()) missing.push_back(id);
    return missing;
  }
  std::size_t doubled() const { return taken.size() - std::set<int>(taken.begin(), taken.end()).size(); }
  bool has_notice(std::string_view what) const {
    return std::any_of(notices.begin(), notices.end(),
                       [&](const auto& notice) { return notice.find(what) != std::string::npos; });
  }
};

constexpr std::size_t to_the_end = 1000000;

class ListByLastItem : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(ListByLastItem, delivers_remaining_items_exactly_once_while_the_list_changes) {
  Reading reading(noun::paging::LastItem{.parameter = "after"});
  std::minstd_rand random(GetParam());
  reading.list->change = [&] {
    auto& list = *reading.list;
    if (random() % 2 == 0) list.insert();
    for (auto deleted = random() % 3; deleted > 0 && !list.ids.empty(); --deleted)
      list.erase(random() % list.ids.size());
  };
  const std::string key = GetParam() % 2 == 0 ? "" : "/id";
  for (int leg = 0; leg < 100 && !reading.read(1 + random() % 15, key); ++leg) {
  }
  EXPECT_EQ(reading.lost(), std::vector<int>());
  EXPECT_EQ(reading.doubled(), 0U);
  EXPECT_TRUE(std::is_sorted(reading.taken.rbegin(), reading.taken.rend()));
}

INSTANTIATE_TEST_SUITE_P(seeds, ListByLastItem, ::testing::Range(1U, 21U));

class NumberedList : public ::testing::TestWithParam<std::tuple<noun::paging::Style, std::uint32_t>> {
 protected:
  Reading reading{std::get<0>(GetParam())};
  std::minstd_rand random{std::get<1>(GetParam())};
};

const noun::paging::Style numbered[] = {noun::paging::PageNumber{}, noun::paging::Offset{}};

TEST_P(NumberedList, with_insertions_delivers_every_item_once_and_reports_duplicates) {
  std::size_t inserted = 0;
  reading.list->change = [&] {
    for (auto more = random() % 4; more > 0 && inserted < 20; --more, ++inserted) reading.list->insert();
  };
  EXPECT_TRUE(reading.read(to_the_end));
  EXPECT_EQ(reading.lost(), std::vector<int>());
  EXPECT_EQ(reading.doubled(), 0U);
  EXPECT_TRUE(reading.has_notice("were left out"));
  EXPECT_TRUE(reading.changed);
}

TEST_P(NumberedList, without_a_key_repeats_items_moved_by_an_insertion) {
  reading.list->change = [this] {
    if (reading.list->ids.size() < 98) reading.list->insert();
  };
  EXPECT_TRUE(reading.read(to_the_end, ""));
  EXPECT_EQ(reading.lost(), std::vector<int>());
  EXPECT_EQ(reading.doubled(), 3U);
}

TEST_P(NumberedList, reports_changes_whenever_items_are_lost) {
  reading.list->change = [this] {
    auto& list = *reading.list;
    if (random() % 3 == 0) list.insert();
    if (random() % 3 == 0 && !list.ids.empty()) list.erase(random() % list.ids.size());
  };
  for (int leg = 0; leg < 100 && !reading.read(1 + random() % 40); ++leg) {
  }
  if (!reading.lost().empty()) {
    EXPECT_TRUE(reading.changed);
    EXPECT_TRUE(reading.has_notice("while the list was read"));
  }
}

TEST_P(NumberedList, after_deletions_loses_moved_items_and_reports_it_also_after_resuming) {
  EXPECT_FALSE(reading.read(15));
  for (int deleted = 0; deleted < 6; ++deleted) reading.list->erase(0);
  EXPECT_TRUE(reading.read(to_the_end));
  EXPECT_EQ(reading.lost(), std::vector<int>{80});
  EXPECT_TRUE(reading.changed);
  EXPECT_TRUE(reading.has_notice("the total changed from 95 to 89"));
}

INSTANTIATE_TEST_SUITE_P(seeds, NumberedList,
                         ::testing::Combine(::testing::ValuesIn(numbered), ::testing::Range(1U, 6U)));

}  // namespace changing_listing_test
}  // namespace journeys
