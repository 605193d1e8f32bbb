// A client and a simulated server that speak the same dialect.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <noun/noun.hpp>
#include <noun/testing.hpp>

namespace journeys_test { namespace simulated_dialects_test {

namespace kit = noun::testing;
namespace paging = noun::paging;

using noun::Errc;
using noun::Json;
using ::testing::HasSubstr;

struct Stage {
  explicit Stage(noun::Dialect dialect, kit::ServiceOptions options = {})
      : service(std::make_shared<kit::SimulatedService>(clock, with(std::move(options), dialect))),
        api("https://api.example.com", {.dialect = std::move(dialect), .transport = service, .clock = clock}) {}

  static kit::ServiceOptions with(kit::ServiceOptions options, noun::Dialect dialect) {
    options.dialect = std::move(dialect);
    return options;
  }
  void fill(int count) {
    for (int id = 1; id <= count; ++id)
      service->add("/tasks", std::to_string(id), Json{{"id", std::to_string(id)}, {"even", id % 2 == 0}});
  }

  std::shared_ptr<kit::ManualClock> clock = std::make_shared<kit::ManualClock>();
  std::shared_ptr<kit::SimulatedService> service;
  noun::Client api;
};

/// The ids of a list, and the message of its error.
std::pair<std::vector<int>, std::string> ids_of(const Stage& stage, noun::ListOptions options = {}) {
  std::vector<int> ids;
  for (const auto& task : stage.api.collection("tasks").list(std::move(options))) {
    if (!task) return {ids, task.error().message()};
    ids.push_back(std::stoi((*task)["id"].get<std::string>()));
  }
  return {ids, ""};
}

std::optional<Errc> code_of(const auto& result) {
  return result ? std::nullopt : std::optional(result.error().code());
}

const std::pair<const char*, noun::Paging> pagings[] = {
    {"Automatic", {}},
    {"Automatic, own names", {.style = paging::Automatic{.page_parameter = "p"}, .size_parameter = "n"}},
    {"LinkHeader", {.style = paging::LinkHeader{}}},
    {"SinglePage", {.style = paging::SinglePage{}}},
    {"PageNumber", {.style = paging::PageNumber{}}},
    {"PageNumber from 0", {.style = paging::PageNumber{.first = 0}, .items = "/data"}},
    {"Offset", {.style = paging::Offset{}, .items = "/data", .size_parameter = "limit"}},
    {"Cursor in the body", {.style = paging::Cursor{.parameter = "after", .from = "/meta/next"}, .items = "/data"}},
    {"Cursor in a header", {.style = paging::Cursor{.parameter = "after", .from_header = "X-Next"}}},
    {"NextUrl in a header", {.style = paging::NextUrl{.from_header = "X-Next-Url"}}},
    {"LastItem", {.style = paging::LastItem{.parameter = "after"}, .end = {.more_pointer = "/more"}}},
    {"ItemRange", {.style = paging::ItemRange{}}},
    {"ItemRange in a header", {.style = paging::ItemRange{.next_header = "Next-Range"}}},
    {"counted pages", {.style = paging::PageNumber{}, .items = "/d", .totals = {.pages_pointer = "/pages"}}},
    {"gitlab", paging::gitlab()},
    {"total_count", paging::total_count()},
    {"drf", paging::drf()},
    {"odata", paging::odata()},
    {"hal", paging::hal()},
    {"json_api", paging::json_api()},
    {"start_at", paging::start_at()},
    {"google", paging::google("things")},
    {"stripe", paging::stripe()},
    {"slack", paging::slack("channels")},
    {"kubernetes", paging::kubernetes()},
    {"postgrest", paging::postgrest()},
    {"heroku", paging::heroku()},
    {"pagerduty", paging::pagerduty("incidents")},
    {"cloudflare", paging::cloudflare()},
    {"algolia", paging::algolia()},
    {"json_server", paging::json_server()},
};

TEST(SimulatedDialects, a_list_in_every_style_is_read_to_its_end) {
  for (const auto& [name, style] : pagings)
    for (const std::size_t count : {0U, 1U, 20U, 67U}) {
      SCOPED_TRACE(name + std::string(", ") + std::to_string(count));
      Stage stage({.paging = style}, {.page_size = 10});
      stage.service->add_collection("/tasks");
      stage.fill(static_cast<int>(count));
      const auto sized = style.size_parameter.empty() ? noun::ListOptions() : noun::ListOptions{.page_size = 10};
      const auto [ids, error] = ids_of(stage, sized);
      EXPECT_EQ(error, "");
      ASSERT_EQ(ids.size(), count);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(ids[i], static_cast<int>(i) + 1);
      const bool is_one_page = std::holds_alternative<paging::SinglePage>(style.style) || count <= 10;
      EXPECT_GE(stage.service->requests(), is_one_page ? 1U : count / 10);
    }
}

TEST(SimulatedDialects, a_list_is_filtered_by_its_query_and_refuses_unknown_parameters) {
  Stage stage({}, {.parameters = {"sort"}});
  stage.fill(50);
  EXPECT_EQ(ids_of(stage, {.query = {{"even", "true"}, {"sort", "id"}}}).first.size(), 25U);
  EXPECT_EQ(ids_of(stage, {.query = {{"even", "true"}, {"id", "8"}}}).first, std::vector{8});
  EXPECT_THAT(ids_of(stage, {.query = {{"evn", "true"}}}).second, HasSubstr("unknown parameter \"evn\""));
}

TEST(SimulatedDialects, members_are_in_envelopes_and_paths_have_slashes) {
  auto dialect = noun::dialects::json_api();
  dialect.trailing_slash = true;
  Stage stage(dialect);
  stage.service->add_collection("/tasks");
  const auto tasks = stage.api.collection("tasks");
  const auto made = tasks.create(Json{{"id", "7"}, {"title", "x"}});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ((*made)["title"], "x");
  EXPECT_EQ(made.response()->headers.get("Location"), "/tasks/7/");
  EXPECT_EQ((*tasks["7"].update(Json{{"title", "y"}}))["title"], "y");
  EXPECT_EQ((*tasks["7"].get())["title"], "y");
  EXPECT_TRUE(tasks["7"].remove());
  EXPECT_EQ(code_of(stage.api.send({.path = "/tasks"})), Errc::not_found);
}

TEST(SimulatedDialects, a_changed_item_is_not_overwritten) {
  Stage stage({});
  stage.fill(1);
  const auto task = stage.api.collection("tasks")["1"];
  const auto read = task.get();
  const std::string etag(read.response()->headers.get("ETag").value_or(""));
  EXPECT_EQ(code_of(task.get({.if_none_match = etag})), Errc::not_modified);
  ASSERT_TRUE(task.update(Json{{"even", 7}}, {.if_match = etag}));
  EXPECT_EQ(code_of(task.update(Json{{"even", 8}}, {.if_match = etag})), Errc::conflict);
  EXPECT_EQ(code_of(task.replace(Json{{"even", 8}}, {.if_none_match = "*"})), Errc::conflict);
  EXPECT_EQ((*task.get())["even"], 7);
}

TEST(SimulatedDialects, limits_are_reported_in_the_words_of_the_dialect) {
  using namespace std::chrono_literals;
  for (const auto& make : {noun::dialects::plain, noun::dialects::github, noun::dialects::gitlab,
                           noun::dialects::linear, noun::dialects::sentry, noun::dialects::kong,
                           noun::dialects::pagerduty, noun::dialects::nginx}) {
    const auto dialect = make();
    SCOPED_TRACE(dialect.name);
    Stage stage(dialect, {.limit = 5, .period = 60s});
    stage.fill(1);
    for (int i = 0; i < 12; ++i) EXPECT_TRUE(stage.api.collection("tasks")["1"].get());
    EXPECT_LE(stage.service->rejected(), 2U);
    EXPECT_GE(stage.clock->waited(), 60s);
    EXPECT_TRUE(stage.api.quota_snapshot().remaining) << "reported, and read";
  }
}

}}  // namespace journeys_test::simulated_dialects_test
