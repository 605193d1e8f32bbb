#include "torture/torture_journey.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <new>
#include <numeric>
#include <sstream>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <noun/coroutine.hpp>
#include <noun/file_ledger.hpp>
#include <noun/future.hpp>
#include <noun/testing/manual_clock.hpp>
#ifdef NOUN_TORTURE_SQLITE
#include <noun/sqlite_cache.hpp>
#endif

#include "coroutine_task.hpp"
#include "curl/raw_server.hpp"
#include "torture/torture_server.hpp"

namespace torture {
namespace {

using namespace std::chrono_literals;
using noun::Errc;
using noun::Result;

struct Thing {
  int id = 0;
  std::string name;
  bool operator==(const Thing&) const = default;
};
NOUN_DESCRIBE(Thing, id, name)

Thing thing(int id) {
  const Unharmed own;
  return {id, fmt::format("thing {}", id)};
}

noun::Item<Thing> seventh(const noun::Client& api) { return api.collection<Thing>("things")[7]; }

/// It is sent as text: where memory runs out, the destructor of a JSON object of nlohmann ends the program.
noun::Body ninth() { return noun::body::bytes(R"({"id":9,"name":"thing 9"})", "application/json"); }

/// What every fault that is made here may end as. A lack of memory is too_large where libcurl reports a long header
/// line as one.
constexpr Errc usual_codes[] = {Errc::resource, Errc::resolve,   Errc::connect,     Errc::tls,      Errc::send,
                                Errc::timeout,  Errc::truncated, Errc::credentials, Errc::too_large};

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

noun::Client Stage::client(noun::ClientOptions options) { return client(place_.url, std::move(options)); }

noun::Client Stage::client(const std::string& url, noun::ClientOptions options) {
  options.retry = {.initial_backoff = 1ms, .max_backoff = 4ms, .jitter = 0};
  options.timeouts = {.connect = 4s, .attempt = 5s, .stall = 4s};
  // The ledger of the process forgets quotas now and then.
  if (!options.quota_ledger) options.quota_ledger = noun::make_quota_ledger();
  return value_of(noun::Client::create(url, std::move(options)));
}

bool Stage::failed(std::string_view request, const noun::Error& error) {
  const Unharmed own;
  ++errors_;
  notes_.push_back({std::string(request), error.sent()});
  const auto code = error.code();
  is_true(!calm_, request, "failed, although nothing was made to: " + error.message());
  is_true(std::count(std::begin(usual_codes), std::end(usual_codes), code) +
                  std::count(allowed_.begin(), allowed_.end(), code) >
              0,
          request, fmt::format("is {}: {}", to_string(code), error.message()));
  is_true(!error.message().empty(), request, "has an error without a message");
  return false;
}

bool Stage::succeeded(std::string_view request) {
  const Unharmed own;
  notes_.push_back({std::string(request), noun::Sent::answered});
  return true;
}

void Stage::is_true(bool fact, std::string_view about, std::string_view otherwise) {
  const Unharmed own;
  if (!fact) lies_.push_back(fmt::format("{} {}", about, otherwise));
}

void Stage::calm_down() noexcept {
  stop_failing();
  calm_ = true;
}

void Stage::compare(const std::map<std::string, int>& seen) {
  for (const auto& [request, sent] : notes_) {
    const auto found = seen.find(request);
    const bool was_seen = found != seen.end();
    is_true(!was_seen || sent != noun::Sent::no, request, "reached the server, although its error says sent: no");
    is_true(was_seen || sent != noun::Sent::answered || request.empty(), request,
            "is answered, but did not reach the server");
  }
  for (const auto& [request, times] : seen)
    is_true(times == 1 || !request.starts_with("POST") || request == "POST /limited" || request == "POST /token",
            request, fmt::format("reached the server {} times", times));
}

namespace {

void get(Stage& stage) {
  const auto api = stage.client();
  stage.holds("GET /things/7", seventh(api).get(), thing(7));
  stage.calm_down();
  stage.holds("GET /things/8", api.collection<Thing>("things")[8].get(), thing(8));
}

void write(Stage& stage) {
  const auto api = stage.client();
  const auto things = api.collection<Thing>("things");
  stage.holds("POST /things", things.create(ninth()), thing(9));
  stage.holds("PUT /things/9", things[9].replace(ninth()), thing(9));
  stage.holds("PATCH /things/9", things[9].update(ninth()), thing(9));
  stage.holds("DELETE /things/9", things[9].remove());
}

void write_when_limited(Stage& stage) {
  const auto api = stage.client();
  stage.holds("POST /limited", api.collection<Thing>("limited").create(ninth()), thing(9));
}

void follow_redirect(Stage& stage) {
  const auto api = stage.client();
  stage.holds("GET /moved", api.singleton<Thing>("moved").get(), thing(7));
}

void decode(Stage& stage) {
  const auto api = stage.client();
  for (const auto* coding : {"gzip", "br", "zstd"})
    stage.holds(fmt::format("GET /coded/{}", coding), api.collection<Thing>("coded")[coding].get(), thing(7));
}

void follow_the_created(Stage& stage) {
  const auto api = stage.client({.headers = {{"X-Tenant", "blue"}}, .query = {{"version", "7"}}});
  const auto other = api.with({.headers = noun::Headers{{"X-Tenant", "green"}}});
  const auto copy = other;
  stage.holds("GET /things/7", seventh(copy).get({.query = {{"fields", "all"}}}), thing(7));
}

/// Takes items until an error, an exception, the end or a number of items. Returns whether it is the end.
bool take(Stage& stage, noun::Listing<Thing>& listing, std::vector<int>& ids, std::size_t most = 1000) try {
  for (const auto& each : listing) {
    if (!each) return stage.failed("", each.error());
    const Unharmed own;
    stage.is_true(*each == thing(each->id), "an item", "has another value");
    ids.push_back(each->id);
    if (ids.size() == most) return false;
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

/// What was taken, and what the bookmark leads to, are all items; and all were taken if that is what the listing says.
void list(Stage& stage, const noun::ListOptions& options) {
  const auto api = stage.client();
  const auto things = api.collection<Thing>("pages");
  std::vector<int> ids;
  std::string bookmark;
  bool is_end = false;
  for (const std::size_t most : {5U, 1000U}) {
    auto resumed = options;
    resumed.resume = bookmark;
    auto listing = things.list(std::move(resumed));
    is_end = take(stage, listing, ids, most);
    try {
      bookmark = listing.bookmark();
    } catch (const std::bad_alloc&) {
      const Unharmed own;
      bookmark = listing.bookmark();
    }
  }
  stage.calm_down();
  std::vector<int> all(12);
  std::iota(all.begin(), all.end(), 1);
  if (is_end) stage.is_true(ids == all, "the listing", "ended without an error before its last item");
  auto rest = things.list({.resume = bookmark});
  take(stage, rest, ids);
  stage.is_true(ids == all, "the listing and its bookmark", "lose or repeat items");
}

void list_pages(Stage& stage) { list(stage, {}); }
void list_ahead(Stage& stage) { list(stage, {.prefetch = 2, .key = "/id"}); }

void run_all(Stage& stage) {
  const auto api = stage.client();
  const auto things = api.collection<Thing>("things");
  std::vector<noun::Operation<Thing>> operations;
  for (int id = 1; id <= 8; ++id) operations.push_back(noun::op::get(things[id]));
  auto results = api.run_all(std::move(operations), {.in_flight = 4});
  int id = 0;
  for (const auto& each : results) {
    const Unharmed own;
    ++id;
    stage.holds(fmt::format("GET /things/{}", id), each, thing(id));
  }
  stage.is_true(id == 8, "run_all", "has another number of results");
}

void wait_for_future(Stage& stage) {
  const auto api = stage.client();
  auto later = noun::future(noun::op::get(seventh(api)));
  stage.holds("GET /things/7", later.get(), thing(7));
}

noun_test::Task fetch(Stage& stage, noun::Item<Thing> item, noun_test::Gate& ended) {
  try {
    auto operation = noun::op::get(item);
    const auto result = co_await noun::async(std::move(operation));
    stage.holds("GET /things/7", result, thing(7));
  } catch (const std::bad_alloc&) {
  } catch (const std::system_error&) {
  }
  ended.open();
}

void await(Stage& stage) {
  const auto api = stage.client();
  noun_test::Gate ended;
  const auto task = fetch(stage, seventh(api), ended);
  ended.wait();
  while (!task.done()) std::this_thread::yield();
}

void stop(Stage& stage) {
  stage.allow(Errc::cancelled);
  const auto api = stage.client();
  noun_test::Gate ended;
  const auto call = noun::start(noun::op::get(api.singleton("silent")), [&](const Result<noun::Json>& result) {
    stage.is_true(!result, "GET /silent", "has a value");
    if (!result && result.error().code() != Errc::cancelled) stage.failed("GET /silent", result.error());
    ended.open();
  });
  call.stop();
  ended.wait();
}

void download(Stage& stage) {
  stage.allow(Errc::invalid_argument);
  const auto api = stage.client();
  const auto path = stage.file("whole");
  const auto result = api.download({.path = "file"}, path);
  if (result)
    stage.succeeded("GET /file");
  else
    stage.failed("GET /file", result.error());
  stage.calm_down();
  stage.is_true(std::filesystem::exists(path) ? content_of(path) == served_file() : !result, "the file",
                "is not whole");
  for (const auto& entry : std::filesystem::directory_iterator(stage.place().folder))
    stage.is_true(entry.path() == path, entry.path().string(), "is left");
}

void upload(Stage& stage) {
  stage.allow(Errc::invalid_argument);
  const auto path = stage.file("whole");
  {
    const Unharmed own;
    std::ofstream(path) << served_file();
  }
  const auto api = stage.client();
  const auto body = noun::body::multipart({{"title", "numbers"}, {"data", noun::body::file(path)}});
  stage.holds("POST /upload", api.collection<Thing>("upload").create(body), {1, "upload"});
}

void follow_events(Stage& stage) {
  const auto api = stage.client();
  auto events = api.stream<noun::EventText>({.path = "events"});
  std::string all;
  bool has_failed = false;
  for (const auto& each : events) {
    const Unharmed own;
    if (each)
      all += each->value.text + " ";
    else
      has_failed = !stage.failed("GET /events", each.error());
  }
  stage.is_true(std::string_view("one two three ").starts_with(all), "the stream", "has other events");
  stage.is_true(has_failed || all == "one two three ", "the stream", "ended without an error before its last event");
}

void finish(Stage& stage) {
  const auto api = stage.client({.clock = std::make_shared<noun::testing::ManualClock>()});
  const auto started = noun::op::create<void>(api.collection("jobs"), ninth());
  stage.holds("POST /jobs", api.finish<Thing>(started), thing(7));
}

void use_cache(Stage& stage, const std::shared_ptr<noun::Cache>& cache) {
  const auto api = stage.client({.cache = cache});
  const auto item = api.singleton<Thing>("cached");
  for (int i = 0; i < 2; ++i) stage.holds("", item.get(), thing(7));
  stage.calm_down();
  stage.holds("", item.get(), thing(7));
}

void use_memory_cache(Stage& stage) { use_cache(stage, noun::memory_cache()); }

#ifdef NOUN_TORTURE_SQLITE
void use_sqlite_cache(Stage& stage) {
  stage.allow(Errc::invalid_argument);
  use_cache(stage, stage.value_of(noun::sqlite_cache(stage.file("cache.db"), {.busy_timeout = 10ms})));
}
#endif

void share_quota(Stage& stage) {
  stage.allow(Errc::invalid_argument);
  const auto ledger = stage.value_of(noun::file_ledger(stage.file("quota")));
  const auto api = stage.client({.identity = "account-7", .quota_ledger = ledger});
  for (const int id : {1, 2})
    stage.holds(fmt::format("GET /shared/{}", id), api.collection<Thing>("shared")[id].get(), thing(7));
}

void get_with_token(Stage& stage) {
  const auto api =
      stage.client({.credentials = noun::oauth2_client_credentials(
                        {.token_url = stage.place().url + "/token", .client_id = "7", .client_secret = "s3cret"})});
  stage.holds("GET /secret", api.singleton<Thing>("secret").get(), thing(7));
}

void get_over_tls(Stage& stage) {
  const auto api = stage.client(stage.place().tls_url, {.tls = {.ca_file = stage.place().authority}});
  stage.holds("GET /things/7", seventh(api).get(), thing(7));
}

void get_through_proxy(Stage& stage) {
  auto url = stage.place().url;
  const auto part = url.find('/', std::string_view("http://").size());
  const auto api = stage.client("http://api.invalid" + url.substr(part), {.proxy = url.substr(0, part)});
  stage.holds("GET /things/7", seventh(api).get(), thing(7));
}

void get_from_a_name(Stage& stage) {
  auto url = stage.place().url;
  const auto api = stage.client(url.replace(url.find("127.0.0.1"), 9, "localhost"));
  stage.holds("GET /things/7", seventh(api).get(), thing(7));
}

void explain(Stage& stage) {
  stage.allow(Errc::not_found);
  const auto api = stage.client({.credentials = noun::bearer("t0k3n-of-the-client")});
  const auto result = api.singleton<Thing>("missing").get();
  const Unharmed own;
  stage.is_true(!result, "GET /missing", "has a value");
  if (result || result.error().code() != Errc::not_found)
    return void(result || stage.failed("GET /missing", result.error()));
  const auto& error = result.error();
  stage.is_true(error.message().find("there is no such thing") != std::string::npos, "the message", error.message());
  stage.is_true(error.request().curl.find("/missing") != std::string::npos, "the command", error.request().curl);
  stage.is_true(error.request().curl.find("t0k3n") == std::string::npos, "the command", "has a secret");
}

}  // namespace

const std::vector<Step>& journey() {
  static const std::vector<Step> steps{{"get", get},
                                       {"write", write},
                                       {"limited", write_when_limited},
                                       {"redirect", follow_redirect},
                                       {"codings", decode},
                                       {"with", follow_the_created},
                                       {"listing", list_pages},
                                       {"prefetch", list_ahead},
                                       {"run_all", run_all},
                                       {"future", wait_for_future},
                                       {"coroutine", await},
                                       {"stop", stop},
                                       {"download", download},
                                       {"upload", upload},
                                       {"events", follow_events},
                                       {"finish", finish},
                                       {"memory_cache", use_memory_cache},
#ifdef NOUN_TORTURE_SQLITE
                                       {"sqlite_cache", use_sqlite_cache},
#endif
                                       {"shared_quota", share_quota},
                                       {"token", get_with_token},
                                       {"tls", get_over_tls},
                                       {"proxy", get_through_proxy},
                                       {"name", get_from_a_name},
                                       {"error", explain}};
  return steps;
}

}  // namespace torture
