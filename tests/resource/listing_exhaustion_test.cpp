// Listings and many operations for which memory runs out at each allocation: an error is seen or all is delivered, and
// the bookmark gives the rest. Nothing hangs, and nothing is delivered twice.
#include <noun/listing.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <new>

#include "resource/listing_bench.hpp"
#include "resource/scarce_memory.hpp"

namespace resource_test { namespace listing_exhaustion_test {

/// Too long for a string to hold in itself. Things are JSON texts: nlohmann's destructor of an object asks for memory.
std::string thing(int number) { return "the thing of this listing that has the number " + std::to_string(number); }

std::vector<std::string> things(int first, int last) {
  std::vector<std::string> all;
  for (int number = first; number <= last; ++number) all.push_back(thing(number));
  return all;
}

/// How a service pages, and with what options it is listed.
struct Manner {
  const char* name;
  noun::Paging paging = {};
  noun::ListOptions options = {};
  bool links = false;
  bool observed = false;
  bool by_page = false;
  /// The number of the last thing; there are two on a page.
  int last = 6;
};

std::vector<Manner> manners() {
  return {{.name = "links", .links = true},
          {.name = "keys, observed", .options = {.key = "/id"}, .links = true, .observed = true},
          {.name = "bad items among the others", .options = {.bad_items = noun::BadItems::deliver}, .links = true},
          {.name = "by page", .options = {.bad_items = noun::BadItems::deliver}, .links = true, .by_page = true},
          {.name = "numbered by guess", .options = {.page_size = 2}},
          {.name = "last item",
           .paging = {.style = noun::paging::LastItem{.parameter = "after", .key = ""}}}};
}

int number_in(std::string_view url, std::string_view name, int otherwise) {
  const auto at = url.find(name);
  return at == std::string_view::npos ? otherwise : std::stoi(std::string(url.substr(at + name.size())));
}

/// Answers out of a plenty of its own, and lets memory run out for the thread that asks it.
class ScarceTransport final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const std::stop_token&) override {
    noun::Result<noun::Response> answer = noun::Response();
    {
      const Plenty plenty;
      answer = answer_to(attempt.url);
    }
    if (++requests == fail_behind) fail_allocations(n, count);
    return answer;
  }

  bool links = false;
  int last = 6;
  std::atomic<int> requests = 0;
  /// Behind the answer to this request.
  std::atomic<int> fail_behind = 0;
  std::size_t n = 0;
  std::size_t count = 0;

 private:
  noun::Response answer_to(std::string_view url) const {
    if (url.find("/things/") != std::string_view::npos)
      return {.status = 200, .body = Json(thing(number_in(url, "/things/", 0))).dump()};
    const int page = number_in(url, "?page=", number_in(url, "&page=", 1));
    const int first = url.find("after=") == std::string_view::npos ? 2 * page - 1 : number_in(url, "number%20", 0) + 1;
    Json body = Json::array();
    for (int number = first; number < first + 2 && number <= last; ++number) body.push_back(thing(number));
    noun::Response answer{.status = 200, .body = body.dump(), .url = std::string(url)};
    if (links && 2 * page < last) answer.headers = next("?page=" + std::to_string(page + 1));
    return answer;
  }
};

/// A listing in one of the manners.
struct Scarcity : Bench {
  std::shared_ptr<ScarceTransport> service = std::make_shared<ScarceTransport>();
  const Manner manner;
  std::atomic<std::size_t> events = 0;

  explicit Scarcity(Manner how) : manner(std::move(how)) {
    service->links = manner.links;
    service->last = manner.last;
  }
  noun::Collection<std::string> collection() {
    noun::ClientOptions options{.transport = service};
    options.dialect.paging = manner.paging;
    if (manner.observed) options.observer = [this](const noun::Event&) { ++events; };
    return client(options).collection<std::string>("things");
  }
  noun::Listing<std::string> list(std::size_t prefetch, std::string bookmark = {}) {
    auto options = manner.options;
    options.prefetch = prefetch;
    options.resume = std::move(bookmark);
    return collection().list(std::move(options));
  }
};

void add_to(std::vector<std::string>& texts, const std::string& text) { texts.push_back(text); }
void add_to(std::vector<std::string>& texts, const noun::Page<std::string>& page) {
  EXPECT_TRUE(page.faults.empty());
  texts.insert(texts.end(), page.items.begin(), page.items.end());
}

/// What a range gives until it ends, or something fails. What it takes for itself does not fail.
template <class Range>
bool take_into(std::vector<std::string>& texts, Range&& range) {
  try {
    for (const auto& one : range) {
      if (!one) return false;
      const Plenty plenty;
      add_to(texts, *one);
    }
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// Takes a listing while memory runs out once, and the rest after it: by the bookmark, and by the listing itself unless
/// its error is permanent.
/// @param prepare  makes memory run out.
/// @returns        whether it did.
template <class Prepare>
bool takes_all(const Manner& manner, std::size_t prefetch, Prepare prepare) {
  const auto failed_before = failed_allocations();
  Scarcity bench(manner);
  auto listing = bench.list(prefetch);
  std::vector<std::string> taken;
  const auto take = [&] { return manner.by_page ? take_into(taken, listing.pages()) : take_into(taken, listing); };
  prepare(*bench.service);
  const bool ended = take();
  fail_allocations(0);
  bench.service->fail_behind = 0;
  EXPECT_TRUE(!ended || taken == things(1, manner.last)) << "it ended without an error, after " << taken.size();
  const auto expect_rest_by_bookmark = [&] {
    auto resumed = bench.list(0, listing.bookmark());
    std::vector<std::string> rest;
    EXPECT_TRUE(take_into(rest, resumed));
    EXPECT_EQ(rest, things(static_cast<int>(taken.size()) + 1, manner.last));
  };
  expect_rest_by_bookmark();
  // On a thread of noun it may run out a few times more.
  bool took_all = ended;
  for (int tries = 0; tries < 10 && !took_all; ++tries) took_all = take();
  if (!took_all) EXPECT_EQ(code_of(*listing.begin()), Errc::resource);
  expect_rest_by_bookmark();
  return failed_allocations() != failed_before;
}

/// Each n, until memory would run out after the end.
template <class Prepare>
void at_every_allocation(const std::vector<Manner>& manners, std::size_t prefetch, Prepare prepare) {
  for (const auto& manner : manners)
    for (const std::size_t count : {1U, 7U}) {
      std::size_t n = 1;
      for (; n < 20'000 && !testing::Test::HasFailure(); ++n) {
        SCOPED_TRACE(std::string(manner.name) + ", allocation " + std::to_string(n) + " and " + std::to_string(count));
        if (!takes_all(manner, prefetch, [&](ScarceTransport& service) { prepare(service, n, count); })) break;
      }
      EXPECT_GT(n, 20U) << "memory never ran out";
    }
}

TEST(ListingExhaustion, loses_and_repeats_nothing) {
  at_every_allocation(manners(), 0,
                      [](ScarceTransport&, std::size_t n, std::size_t count) { fail_allocations(n, count); });
}

TEST(ListingExhaustion, of_the_caller_loses_and_repeats_nothing_that_is_read_ahead) {
  at_every_allocation(manners(), 2,
                      [](ScarceTransport&, std::size_t n, std::size_t count) { fail_allocations(n, count); });
}

TEST(ListingExhaustion, in_the_background_is_told_to_the_caller) {
  for (const int request : {1, 2})
    at_every_allocation(manners(), 2, [&](ScarceTransport& service, std::size_t n, std::size_t count) {
      service.fail_behind = request;
      service.n = n;
      service.count = count;
    });
}

// So long a listing keeps no copy of what it decides with.
TEST(ListingExhaustion, late_in_a_long_listing_loses_and_repeats_nothing) {
  at_every_allocation(
      {{.name = "links", .links = true, .last = 140}, {.name = "by guess", .options = {.page_size = 2}, .last = 140}},
      0, [&](ScarceTransport& service, std::size_t n, std::size_t count) {
        service.fail_behind = 69;
        service.n = n;
        service.count = count;
      });
}

/// Takes the results of six reads, of which some may be errors; each has its own place.
template <class Prepare>
bool each_has_its_result(Prepare prepare) {
  const auto failed_before = failed_allocations();
  Scarcity bench(manners().front());
  auto results = bench.collection().get_all(std::vector{1, 2, 3, 4, 5, 6}, {.in_flight = 3});
  prepare(*bench.service);
  int number = 0;
  for (bool ended = false; !ended;) try {
      for (auto at = results.begin(); at != results.end(); ++at) {
        const Plenty plenty;
        ++number;
        if (*at) EXPECT_EQ(**at, thing(number));
      }
      ended = true;
    } catch (const std::bad_alloc&) {
    }
  fail_allocations(0);
  EXPECT_EQ(number, 6);
  return failed_allocations() != failed_before;
}

TEST(OutcomesExhaustion, is_the_error_of_the_operation_that_it_met) {
  for (const int behind : {0, 1, 3})
    for (const std::size_t count : {1U, 7U}) {
      std::size_t n = 1;
      for (; n < 20'000 && !HasFailure(); ++n) {
        SCOPED_TRACE(std::to_string(n) + " behind " + std::to_string(behind));
        const bool ran_out = each_has_its_result([&](ScarceTransport& service) {
          if (behind == 0) return fail_allocations(n, count);
          service.fail_behind = behind;
          service.n = n;
          service.count = count;
        });
        if (!ran_out) break;
      }
      EXPECT_GT(n, 10U) << "memory never ran out";
    }
}

}  // namespace listing_exhaustion_test
}  // namespace resource_test
