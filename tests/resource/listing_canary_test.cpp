// Tests of listings with secrets in every possible place, and next links to other origins in every form: no other
// origin receives a request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resource/listing_bench.hpp"
#include "wire/hostile_targets.hpp"
#include "wire/url.hpp"

namespace resource_test { namespace listing_canary_test {

using ::testing::AnyOf;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using noun::paging::PageRequest;

constexpr const char* canary = "canary-token-0815";

bool is_own(std::string_view url) {
  const auto origin = noun::wire::origin_of(url);
  return origin && origin == noun::wire::origin_of("https://api.example.com") &&
         url.find("@") == std::string_view::npos;
}

/// The network: the API, which sends `responses` and then empty pages, and all other origins.
class Network final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    const bool has_secret = fmt::format("{}\n{}", attempt.url, attempt.body).find(canary) != std::string::npos ||
                            std::any_of(attempt.headers.begin(), attempt.headers.end(), [](const auto& field) {
                              return field.value.find(canary) != std::string::npos;
                            });
    const bool own = is_own(attempt.url);
    (own ? urls : foreign_urls).emplace_back(attempt.url);
    ranges.emplace_back(attempt.headers.get("Range").value_or(""));
    if (own) requests_with_secret += has_secret ? 1 : 0;
    if (own && urls.size() <= responses.size()) return responses[urls.size() - 1];
    return noun::Response{.status = 200, .body = R"({"items": []})"};
  }

  std::vector<noun::Response> responses;
  std::vector<std::string> urls;
  std::vector<std::string> foreign_urls;
  std::vector<std::string> ranges;
  std::size_t requests_with_secret = 0;
};

/// A way to report the next page.
struct Carrier {
  const char* name;
  noun::Paging paging;
  std::function<noun::Response(const std::string& attack)> response;

  friend void PrintTo(const Carrier& carrier, std::ostream* out) { *out << carrier.name; }
};

noun::Response response(Json body, noun::Headers headers = {}) {
  body["items"] = {1, 2};
  return {.status = 200, .headers = std::move(headers), .body = body.dump()};
}

noun::Paging by(noun::paging::Style style) {
  return {.style = std::move(style), .items = "/items", .items_may_be_absent = true};
}

noun::Result<std::optional<PageRequest>> follow_x_next(const PageRequest&, const noun::paging::PageResponse& page) {
  const auto next = page.response.headers.get("X-Next");
  if (!next) return std::nullopt;
  return PageRequest{.url = std::string(*next), .body = canary};
}

std::vector<Carrier> url_carriers() {
  using namespace noun::paging;
  return {
      {"link_header", by(LinkHeader{}), [](const auto& to) { return response(Json::object(), next(to)); }},
      {"automatic", by(Automatic{}), [](const auto& to) { return response(Json::object(), next(to)); }},
      {"member", by(NextUrl{.from = "/next"}),
       [](const auto& to) {
         return response({{"next", to}});
       }},
      {"object", by(NextUrl{.from = {"/_links/next/href", "/_links/next"}}),
       [](const auto& to) {
         return response({{"_links", {{"next", {{"href", to}}}}}});
       }},
      {"header", by(NextUrl{.from_header = "X-Next"}),
       [](const auto& to) {
         return response(Json::object(), {{"X-Next", to}});
       }},
      {"strategy", by(follow_x_next),
       [](const auto& to) {
         return response(Json::object(), {{"X-Next", to}});
       }},
  };
}

std::vector<Carrier> text_carriers() {
  using namespace noun::paging;
  const auto in_header = [](const std::string& text) { return response(Json::object(), {{"X-Next", text}}); };
  return {
      {"cursor", by(Cursor{.parameter = "after", .from = "/next"}),
       [](const auto& text) {
         return response({{"next", text}});
       }},
      {"header_cursor", by(Cursor{.parameter = "after", .from_header = "X-Next"}), in_header},
      {"last_item", by(LastItem{.parameter = "after", .key = ""}),
       [](const auto& text) {
         return noun::Response{.status = 200, .body = Json{{"items", {Json(1), Json(text)}}}.dump()};
       }},
      {"range", by(ItemRange{.next_header = "X-Next"}), in_header},
      {"page_number", by(PageNumber{.next_header = "X-Next"}), in_header},
  };
}

const std::vector<std::string>& attacks() {
  static const auto all = noun_test::hostile_targets({"https", "api.example.com"}, {"https", "evil.example"});
  return all;
}

struct ListingRun : Bench {
  std::shared_ptr<Network> network = std::make_shared<Network>();
  std::vector<int> taken;
  std::optional<noun::Error> error;

  ListingRun(const Carrier& carrier, const std::string& attack, std::size_t prefetch, noun::Response second) {
    network->responses = {carrier.response(attack), std::move(second)};
    const auto api =
        client({.credentials = noun::bearer(canary), .dialect = {.paging = carrier.paging}, .transport = network});
    auto list = api.collection("numbers").list({.query = {{"key", canary}},
                                                .headers = {{"X-Api-Key", canary}, {"Cookie", canary}},
                                                .prefetch = prefetch,
                                                .body = Json{{"token", canary}}.dump()});
    for (const auto& number : list)
      if (!number)
        error = number.error();
      else
        taken.push_back(number->is_number() ? number->get<int>() : 0);
  }
  ListingRun(const Carrier& carrier, const std::string& attack, std::size_t prefetch)
      : ListingRun(carrier, attack, prefetch, {.status = 200, .body = R"({"items": []})"}) {}
};

class NextPage : public ::testing::TestWithParam<std::tuple<Carrier, std::size_t>> {};

class NextUrl : public NextPage {};

TEST_P(NextUrl, to_another_origin_ends_the_listing_and_nothing_is_sent_there) {
  const auto& [carrier, prefetch] = GetParam();
  for (const auto& attack : attacks()) {
    SCOPED_TRACE(attack.substr(0, 80));
    const ListingRun run(carrier, attack, prefetch);
    EXPECT_THAT(run.network->foreign_urls, IsEmpty());
    EXPECT_EQ(run.network->urls.size(), 1U);
    EXPECT_EQ(run.network->requests_with_secret, 1U);
    EXPECT_EQ(run.taken, numbers(1, 2));
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->code(), Errc::refused);
    EXPECT_EQ(run.error->message().find(canary), std::string::npos) << run.error->message();
  }
}

TEST_P(NextUrl, to_the_same_origin_is_followed_with_all_headers) {
  const auto& [carrier, prefetch] = GetParam();
  const ListingRun run(carrier, "/v1/numbers?page=2", prefetch);
  EXPECT_EQ(run.network->urls.size(), 2U);
  EXPECT_EQ(run.network->requests_with_secret, 2U);
  EXPECT_FALSE(run.error);
}

class NextText : public NextPage {};

TEST_P(NextText, that_looks_like_a_url_is_sent_as_text) {
  const auto& [carrier, prefetch] = GetParam();
  for (const auto& attack : attacks()) {
    SCOPED_TRACE(attack.substr(0, 80));
    const ListingRun run(carrier, attack, prefetch);
    EXPECT_THAT(run.network->foreign_urls, IsEmpty());
    for (const auto& url : run.network->urls) EXPECT_THAT(url, StartsWith(numbers_url + "?"));
    for (const auto& range : run.network->ranges) EXPECT_EQ(range.find_first_of("\r\n"), std::string::npos);
    if (run.error) {
      EXPECT_EQ(run.error->message().find(canary), std::string::npos) << run.error->message();
    }
  }
}

const auto name_of = [](const auto& info) {
  return fmt::format("{}_{}_ahead", std::get<0>(info.param).name, std::get<1>(info.param));
};

INSTANTIATE_TEST_SUITE_P(carriers, NextUrl,
                         ::testing::Combine(::testing::ValuesIn(url_carriers()), ::testing::Values(0, 4)), name_of);
INSTANTIATE_TEST_SUITE_P(carriers, NextText,
                         ::testing::Combine(::testing::ValuesIn(text_carriers()), ::testing::Values(0, 4)), name_of);

TEST(ForeignRedirect, of_a_later_page_is_refused_in_every_style) {
  for (const auto& carrier : url_carriers())
    for (const int status : {301, 302, 303, 307, 308}) {
      const ListingRun run(carrier, "/v1/numbers?page=2", 0,
                           {.status = status, .headers = {{"Location", "https://evil.example/"}}});
      EXPECT_THAT(run.network->foreign_urls, IsEmpty()) << carrier.name << status;
      EXPECT_EQ(run.network->urls.size(), 2U) << carrier.name << status;
      ASSERT_TRUE(run.error) << carrier.name << status;
      EXPECT_THAT(run.error->code(), AnyOf(Errc::refused, Errc::redirected)) << carrier.name << status;
    }
}

}  // namespace listing_canary_test
}  // namespace resource_test
