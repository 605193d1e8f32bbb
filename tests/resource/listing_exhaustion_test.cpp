// Tests of listings and operations while each single allocation fails: there is an error or everything is delivered,
// and the bookmark resumes with the rest. Nothing hangs, and nothing is delivered twice.
#include <noun/future.hpp>
#include <noun/listing.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <new>

#include "resource/failing_allocations.hpp"
#include "resource/listing_bench.hpp"

namespace resource_test { namespace listing_exhaustion_test {

/// Too long for the small string optimization. JSON strings, because nlohmann's destructor of an object allocates.
std::string thing(int number) { return "the thing of this listing that has the number " + std::to_string(number); }

std::vector<std::string> things(int first, int last) {
  std::vector<std::string> all;
  for (int number = first; number <= last; ++number) all.push_back(thing(number));
  return all;
}

/// A paging style of a server, and the options of the listing.
struct PagingCase {
  const char* name;
  noun::Paging paging = {};
  noun::ListOptions options = {};
  bool links = false;
  bool observed = false;
  bool by_page = false;
  bool by_operation = false;
  bool resumed = false;
  /// The number of the last item; there are two on a page.
  int last = 6;
};

std::vector<PagingCase> paging_cases() {
  return {{.name = "links", .links = true},
          {.name = "keys, observed", .options = {.key = "/id"}, .links = true, .observed = true},
          {.name = "bad items among the others", .options = {.bad_items = noun::BadItems::deliver}, .links = true},
          {.name = "by page", .options = {.bad_items = noun::BadItems::deliver}, .links = true, .by_page = true},
          {.name = "numbered by guess", .options = {.page_size = 2}},
          {.name = "resumed", .links = true, .resumed = true},
          {.name = "last item",
           .paging = {.style = noun::paging::LastItem{.parameter = "after", .key = ""}}}};
}

int number_in(std::string_view url, std::string_view name, int otherwise) {
  const auto at = url.find(name);
  return at == std::string_view::npos ? otherwise : std::stoi(std::string(url.substr(at + name.size())));
}

/// Responds without failing allocations, and then starts to fail allocations of the calling thread.
class FailingTransport final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    noun::Result<noun::Response> response = noun::Response();
    {
      const NoFailingAllocations plenty;
      response = response_to(attempt.url);
    }
    if (++requests == fail_after) fail_allocations(n, count);
    return response;
  }

  bool links = false;
  int last = 6;
  std::atomic<int> requests = 0;
  /// Allocations fail after the response to this request; 0 for none.
  std::atomic<int> fail_after = 0;
  std::size_t n = 0;
  std::size_t count = 0;

 private:
  noun::Response response_to(std::string_view url) const {
    if (url.find("/things/") != std::string_view::npos)
      return {.status = 200, .body = Json(thing(number_in(url, "/things/", 0))).dump()};
    const int page = number_in(url, "?page=", number_in(url, "&page=", 1));
    const int first = url.find("after=") == std::string_view::npos ? 2 * page - 1 : number_in(url, "number%20", 0) + 1;
    Json body = Json::array();
    for (int number = first; number < first + 2 && number <= last; ++number) body.push_back(thing(number));
    noun::Response response{.status = 200, .body = body.dump(), .url = std::string(url)};
    if (links && 2 * page < last) response.headers = next("?page=" + std::to_string(page + 1));
    return response;
  }
};

/// A client and its listing for one paging case.
struct ExhaustionBench : Bench {
  std::shared_ptr<FailingTransport> service = std::make_shared<FailingTransport>();
  const PagingCase paging_case;
  std::atomic<std::size_t> events = 0;

  explicit ExhaustionBench(PagingCase how) : paging_case(std::move(how)) {
    service->links = paging_case.links;
    service->last = paging_case.last;
  }
  noun::Collection<std::string> collection() {
    noun::ClientOptions options{.transport = service};
    options.dialect.paging = paging_case.paging;
    if (paging_case.observed) options.observer = [this](const noun::Event&) { ++events; };
    return client(options).collection<std::string>("things");
  }
  noun::Listing<std::string> list(std::size_t prefetch, std::string bookmark = {}) {
    auto options = paging_case.options;
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

/// Appends the items of a range until its end or a failure; returns whether it ended. Appending itself does not fail.
template <class Range>
bool take_into(std::vector<std::string>& texts, Range&& range) {
  try {
    for (const auto& one : range) {
      if (!one) return false;
      const NoFailingAllocations plenty;
      add_to(texts, *one);
    }
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// The same by operations, each of which must complete.
bool take_operations_into(std::vector<std::string>& texts, noun::Listing<std::string>& listing) {
  for (;;) {
    auto later = noun::future(noun::op::next_page(listing));
    if (later.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
      ADD_FAILURE() << "an operation did not complete";
      return false;
    }
    const auto page = later.get();
    if (!page || !*page) return page.has_value();
    add_to(texts, **page);
  }
}

/// Reads a listing while allocations fail once, and then the rest: by the bookmark, and by the listing itself unless
/// its error is permanent.
/// @param prepare  starts to fail allocations.
/// @returns        whether an allocation failed.
template <class Prepare>
bool takes_all(const PagingCase& paging_case, std::size_t prefetch, Prepare prepare) {
  const auto failed_before = failed_allocations();
  ExhaustionBench bench(paging_case);
  auto listing = bench.list(prefetch, paging_case.resumed ? bench.list(0).bookmark() : "");
  std::vector<std::string> taken;
  const auto take = [&] {
    if (paging_case.by_operation) return take_operations_into(taken, listing);
    return paging_case.by_page ? take_into(taken, listing.pages()) : take_into(taken, listing);
  };
  prepare(*bench.service);
  const bool ended = take();
  fail_allocations(0);
  bench.service->fail_after = 0;
  EXPECT_TRUE(!ended || taken == things(1, paging_case.last))
      << "the listing ended without an error after " << taken.size();
  const auto expect_rest_by_bookmark = [&] {
    auto resumed = bench.list(0, listing.bookmark());
    std::vector<std::string> rest;
    EXPECT_TRUE(take_into(rest, resumed));
    EXPECT_EQ(rest, things(static_cast<int>(taken.size()) + 1, paging_case.last));
  };
  expect_rest_by_bookmark();
  // On a thread of noun, further allocations may fail.
  bool took_all = ended;
  for (int tries = 0; tries < 10 && !took_all; ++tries) took_all = take();
  if (!took_all) EXPECT_EQ(code_of(*listing.begin()), Errc::resource);
  expect_rest_by_bookmark();
  return failed_allocations() != failed_before;
}

/// Runs with each n until no allocation fails before the end; more than `least` must have failed.
template <class Prepare>
void at_every_allocation(const std::vector<PagingCase>& paging_cases, std::size_t prefetch, Prepare prepare,
                         std::size_t least = 10) {
  for (const auto& paging_case : paging_cases)
    for (const std::size_t count : {1U, 7U}) {
      std::size_t n = 1;
      for (; n < 20'000 && !::testing::Test::HasFailure(); ++n) {
        SCOPED_TRACE(std::string(paging_case.name) + ", allocation " + std::to_string(n) + " and " +
                     std::to_string(count));
        if (!takes_all(paging_case, prefetch, [&](FailingTransport& service) { prepare(service, n, count); })) break;
      }
      EXPECT_GT(n, least) << "no allocation failed";
    }
}

TEST(ListingExhaustion, loses_and_repeats_no_items) {
  at_every_allocation(paging_cases(), 0,
                      [](FailingTransport&, std::size_t n, std::size_t count) { fail_allocations(n, count); });
}

TEST(ListingExhaustion, on_the_calling_thread_loses_and_repeats_no_items_read_ahead) {
  at_every_allocation(paging_cases(), 2,
                      [](FailingTransport&, std::size_t n, std::size_t count) { fail_allocations(n, count); });
}

TEST(ListingExhaustion, in_the_background_is_reported_to_the_caller) {
  for (const int request : {1, 2})
    at_every_allocation(paging_cases(), 2, [&](FailingTransport& service, std::size_t n, std::size_t count) {
      service.fail_after = request;
      service.n = n;
      service.count = count;
    });
}

/// Where the strategy starts to fail allocations of its thread.
struct FailingStrategy {
  std::atomic<int> calls = 0;
  int fail_at = 0;
  std::size_t n = 0;
  std::size_t count = 0;

  noun::Result<std::optional<noun::paging::PageRequest>> next_of(const noun::paging::PageRequest& request) {
    std::optional<noun::paging::PageRequest> next;
    {
      const NoFailingAllocations plenty;
      if (const int page = number_in(request.url, "?page=", 1); page < 3)
        next = {.url = "?page=" + std::to_string(page + 1)};
    }
    if (++calls == fail_at) fail_allocations(n, count);
    return next;
  }
};

TEST(ListingExhaustion, on_the_worker_that_reads_pages_loses_and_repeats_no_items) {
  const auto failing = std::make_shared<FailingStrategy>();
  const noun::Paging paging{.style = noun::paging::PageStrategy(
                                [failing](const noun::paging::PageRequest& request, const noun::paging::PageResponse&) {
                                  return failing->next_of(request);
                                })};
  for (const bool by_operation : {false, true})
    for (const std::size_t prefetch : {0U, 2U})
      for (const int page : {1, 2, 3}) {
        if (!by_operation && prefetch == 0) continue;  // reads on the caller's thread
        at_every_allocation({{.name = by_operation ? "strategy, by operation" : "strategy",
                              .paging = paging,
                              .by_operation = by_operation}},
                            prefetch, [&](FailingTransport&, std::size_t n, std::size_t count) {
                              failing->calls = 0;
                              failing->fail_at = page;
                              failing->n = n;
                              failing->count = count;
                            },
                            1);
      }
}

// A listing of this length keeps no copy of its state.
TEST(ListingExhaustion, late_in_a_long_listing_loses_and_repeats_no_items) {
  at_every_allocation(
      {{.name = "links", .links = true, .last = 140}, {.name = "by guess", .options = {.page_size = 2}, .last = 140}},
      0, [&](FailingTransport& service, std::size_t n, std::size_t count) {
        service.fail_after = 69;
        service.n = n;
        service.count = count;
      });
}

/// Reads six items, of which some may be errors; each result has its position.
template <class Prepare>
bool each_has_its_result(Prepare prepare) {
  const auto failed_before = failed_allocations();
  ExhaustionBench bench(paging_cases().front());
  auto results = bench.collection().get_all(std::vector{1, 2, 3, 4, 5, 6}, {.in_flight = 3});
  prepare(*bench.service);
  int number = 0;
  for (bool ended = false; !ended;) try {
      for (auto at = results.begin(); at != results.end(); ++at) {
        const NoFailingAllocations plenty;
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

TEST(OutcomesExhaustion, is_the_error_of_the_affected_operation) {
  for (const int request : {0, 1, 3})
    for (const std::size_t count : {1U, 7U}) {
      std::size_t n = 1;
      for (; n < 20'000 && !HasFailure(); ++n) {
        SCOPED_TRACE(std::to_string(n) + " after request " + std::to_string(request));
        const bool failed = each_has_its_result([&](FailingTransport& service) {
          if (request == 0) return fail_allocations(n, count);
          service.fail_after = request;
          service.n = n;
          service.count = count;
        });
        if (!failed) break;
      }
      EXPECT_GT(n, 1U) << "no allocation failed";
    }
}

}  // namespace listing_exhaustion_test
}  // namespace resource_test
