// Listings. With a good server, whatever fails, arrives late or is resumed, all items are delivered once and in order.
// With a server of arbitrary pages the listing ends, leaves no allowed origin and reads ahead without a difference; a
// refusal stays one; and a bookmark resumes at the next item.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fuzz/invariant.hpp"
#include "paging/listing_trial.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"

namespace {

using namespace noun;
using namespace noun::detail;
using namespace noun::paging_tests;
using noun_fuzz::require;

std::size_t below(FuzzedDataProvider& input, std::size_t end) {
  return input.ConsumeIntegralInRange<std::size_t>(0, end - 1);
}

void check_good_server(FuzzedDataProvider& input) {
  const Trial trial{.server = {.kind = kinds[below(input, std::size(kinds))],
                               .size = below(input, 60),
                               .page_size = 1 + below(input, 12),
                               .counts = input.ConsumeBool()},
                    .prefetch = below(input, 9),
                    .has_key = input.ConsumeBool(),
                    .faults = below(input, 6),
                    .resumes = below(input, 6),
                    .budget = input.ConsumeBool() ? Limits().body : 1 + below(input, 300)};
  Consumer consumer(trial, [&](std::size_t end) { return below(input, end); });
  const auto fault = consumer.drain();
  require(fault.empty(), fault.c_str());
  require(consumer.taken() == all_of(trial.server.size), "all items are delivered once, in order");
  require(consumer.most_in_flight() <= std::max<std::size_t>(trial.prefetch, 1), "no more is read ahead than allowed");
}

constexpr std::size_t most_pages = 20;

/// A server whose pages are in a table: the same page for the same request, whatever it says.
struct TableServer {
  Paging paging = {};
  std::string body = {};
  std::vector<Response> pages = {};

  /// Which page: in the style's parameter, in the body, or in Range.
  std::uint64_t number_of(const paging::PageRequest& request) const {
    const auto in_url = wire::parameter_of(request.url, "at").value_or("0");
    const auto in_body = wire::json_at(request.body, "/at").value_or(in_url);
    const auto text = request.range.empty() ? in_body : std::string_view(request.range);
    return wire::read_integer<std::uint64_t>(text.substr(0, text.find('-'))).value_or(pages.size());
  }

  FetchedPage respond(const paging::PageRequest& request) const {
    const auto number = number_of(request);
    auto response = std::make_shared<Response>(number < pages.size() ? pages[number] : pages.back());
    response->url = request.url;
    FetchedPage fetched{.response = response};
    fetched.items = wire::json_elements(response->body, paging.items).elements;
    return fetched;
  }
};

Paging some_paging(FuzzedDataProvider& input) {
  const bool in_body = input.ConsumeBool();
  const std::string parameter = in_body ? "" : "at";
  const std::string into_body = in_body ? "/at" : "";
  const paging::Style styles[] = {paging::Automatic{.page_parameter = "at"},
                                  paging::SinglePage{},
                                  paging::LinkHeader{},
                                  paging::PageNumber{.parameter = "at", .first = 0},
                                  paging::PageNumber{.parameter = "at", .first = 1, .next = "/next"},
                                  paging::Offset{.parameter = "at", .into_body = into_body},
                                  paging::Cursor{.parameter = parameter, .from = "/next", .into_body = into_body},
                                  paging::NextUrl{.from = "/next"},
                                  paging::LastItem{.parameter = parameter, .key = "/id", .into_body = into_body},
                                  paging::ItemRange{},
                                  paging::ItemRange{.next_header = "Next-Range"}};
  Paging paging{.style = styles[below(input, std::size(styles))], .items = "/items", .size_parameter = "size"};
  paging.end.short_page = input.ConsumeBool();
  paging.end.total = input.ConsumeBool();
  if (input.ConsumeBool()) paging.end.more_pointer = "/more";
  if (input.ConsumeBool()) paging.totals.items_pointer = "/total";
  if (input.ConsumeBool()) paging.totals.pages_pointer = "/pages";
  return paging;
}

std::string some_reference(FuzzedDataProvider& input) {
  switch (below(input, 6)) {
    case 0: return "https://other.example.com/";
    case 1: return "http://api.example.com/things?at=1";
    case 2: return input.ConsumeRandomLengthString(12);
    default: return fmt::format("?at={}", below(input, 8));
  }
}

std::string some_next(FuzzedDataProvider& input) {
  switch (below(input, 4)) {
    case 0: return "null";
    case 1: return std::to_string(below(input, 8));
    case 2: return wire::json_quoted(some_reference(input));
    default: return wire::json_quoted(std::to_string(below(input, 8)));
  }
}

Response some_page(FuzzedDataProvider& input) {
  std::vector<std::string> items(below(input, 4));
  for (auto& item : items) item = fmt::format("{{\"id\":{}}}", below(input, 16));
  Response response{.status = 200, .headers = {}, .body = {}, .url = {}};
  response.body = fmt::format(R"({{"items":[{}],"next":{},"more":{},"total":{},"pages":{}}})", fmt::join(items, ","),
                              some_next(input), input.ConsumeBool(), below(input, 40), below(input, 8));
  if (input.ConsumeBool()) response.headers.add("Link", "<" + some_reference(input) + ">; rel=next");
  if (input.ConsumeBool()) response.headers.add("X-Total-Count", std::to_string(below(input, 40)));
  if (input.ConsumeBool()) response.headers.add("Next-Range", input.ConsumeRandomLengthString(8));
  const auto first = below(input, 16);
  const auto range = fmt::format("items {}-{}/{}", first, first + items.size() - 1, below(input, 40));
  if (input.ConsumeBool()) response.headers.add("Content-Range", range);
  return response;
}

TableServer some_server(FuzzedDataProvider& input) {
  TableServer server{.paging = some_paging(input)};
  if (input.ConsumeBool()) server.body = "{\"at\":0}";
  for (auto count = 1 + below(input, 6); count > 0; --count) server.pages.push_back(some_page(input));
  return server;
}

/// One machine, its fetches, and what a consumer took.
class Reader {
 public:
  Reader(FuzzedDataProvider& input, const TableServer& server, std::string key, std::size_t prefetch,
         std::size_t faults, std::optional<Bookmark> resume = {})
      : input_(input),
        server_(server),
        key_(std::move(key)),
        prefetch_(prefetch),
        faults_(faults),
        is_resumed_(resume.has_value()),
        machine_({.paging = server.paging,
                  .limits = {.body = input.ConsumeBool() ? Limits().body : 1 + below(input, 300),
                             .pages = most_pages,
                             .empty_pages = 4},
                  .origins = {*wire::origin_of(list)},
                  .first = {.url = list + "?size=2", .range = first_range(server.paging.style, 2)},
                  .resume = std::move(resume),
                  .body = server.body,
                  .key = key_,
                  .prefetch = prefetch}) {}

  /// Reads to the end, or until so many items were taken; then returns the bookmark.
  std::optional<Bookmark> read(std::size_t most) {
    for (;;) {
      auto step = machine_.next();
      if (auto* fetch = std::get_if<Fetch>(&step)) {
        start(std::move(*fetch));
      } else if (std::holds_alternative<Await>(step)) {
        require(!in_flight_.empty(), "who waits has a fetch");
        arrive();
      } else if (const auto* page = std::get_if<Deliver>(&step)) {
        if (const auto taken = take(*page, most)) return checked(machine_.bookmark(*taken));
      } else if (const auto* fail = std::get_if<Fail>(&step)) {
        const auto* refuse = std::get_if<Refuse>(&fail->why);
        if (refuse == nullptr) continue;
        check_refusal(*refuse);
        return std::nullopt;
      } else {
        require(std::holds_alternative<End>(machine_.next()) && !machine_.read_ahead(), "the end stays the end");
        return std::nullopt;
      }
      while (auto fetch = machine_.read_ahead()) start(*std::move(fetch));
      while (!in_flight_.empty() && below(input_, 3) == 2) arrive();
    }
  }

  const std::vector<std::string>& taken() const { return taken_; }

 private:
  void start(Fetch fetch) {
    require(wire::origin_of(fetch.request.url) == wire::origin_of(list), "no request leaves the origin");
    require(++fetched_ <= (pages_ + failed_ + 1) * (prefetch_ + 1), "fetches are bounded");
    in_flight_.push_back(std::move(fetch));
    std::erase_if(in_flight_, [&](const Fetch& each) { return !machine_.is_wanted(each.id); });
  }

  void arrive() {
    const auto at = in_flight_.begin() + static_cast<std::ptrdiff_t>(below(input_, in_flight_.size()));
    const auto fetch = std::move(*at);
    in_flight_.erase(at);
    if (faults_ > 0 && below(input_, 4) == 3) {
      --faults_, ++failed_;
      ErrorDetails fault{.code = Errc::server_error, .what = "a fault"};
      if (input_.ConsumeBool()) fault.status = 410;
      return machine_.on_error(fetch.id, Error(std::move(fault)));
    }
    auto page = server_.respond(fetch.request);
    if (fetch.largest && page.response->body.size() > *fetch.largest)
      machine_.on_error(fetch.id, Error(Errc::too_large, "the body is too long"));
    else
      machine_.on_page(fetch.id, std::move(page));
  }

  /// Returns how many items of the page were taken, if that is enough.
  std::optional<std::size_t> take(const Deliver& page, std::size_t most) {
    require(page.number == ++pages_ && pages_ <= most_pages, "pages are counted, and limited");
    require(page.skip <= page.items.size() || is_resumed_, "no item is skipped that was not delivered");
    for (auto at = page.skip; at < page.items.size(); ++at) {
      if (taken_.size() == most) return at;
      taken_.emplace_back(page.items[at]);
      const bool is_new = std::count(taken_.begin(), taken_.end(), taken_.back()) == 1;
      require(is_new || key_.empty() || is_resumed_, "no key is delivered twice");
    }
    return taken_.size() == most ? std::optional(std::max(page.skip, page.items.size())) : std::nullopt;
  }

  void check_refusal(const Refuse& refuse) {
    require(!refuse.what.empty(), "a refusal has words");
    for (int i = 0; i < 3; ++i) {
      require(!machine_.read_ahead(), "nothing is read ahead of a refusal");
      const auto again = machine_.next();
      const auto* fail = std::get_if<Fail>(&again);
      const auto* same = fail != nullptr ? std::get_if<Refuse>(&fail->why) : nullptr;
      require(same != nullptr && same->code == refuse.code && same->what == refuse.what, "a refusal stays one");
    }
  }

  Bookmark checked(const Bookmark& bookmark) const {
    const auto text = read_bookmark(write_bookmark(bookmark, ""), "");
    const auto* again = std::get_if<Bookmark>(&text);
    require(again != nullptr, "a bookmark can be read");
    require(fits(again->place, server_.paging, server_.body), "a bookmark fits its listing");
    require(may_resume_at(again->place.url, origin, {*wire::origin_of(list)}, list), "a listing resumes where it was");
    return *again;
  }

  FuzzedDataProvider& input_;
  const TableServer& server_;
  std::string key_;
  std::size_t prefetch_;
  std::size_t faults_;
  bool is_resumed_;
  ListingMachine machine_;
  std::vector<Fetch> in_flight_;
  std::vector<std::string> taken_;
  std::size_t fetched_ = 0;
  std::size_t failed_ = 0;
  std::size_t pages_ = 0;
};

bool is_start_of(const std::vector<std::string>& start, const std::vector<std::string>& all) {
  return start.size() <= all.size() && std::equal(start.begin(), start.end(), all.begin());
}

void check_any_server(FuzzedDataProvider& input) {
  const auto server = some_server(input);
  const std::string key = input.ConsumeBool() ? "/id" : "";
  const auto prefetch = below(input, 5);
  const auto faults = below(input, 4);
  const auto stop = below(input, 40);
  constexpr std::size_t all = 1000;

  Reader plain(input, server, key, 0, 0);
  plain.read(all);
  Reader first(input, server, key, prefetch, faults);
  const auto bookmark = first.read(stop);
  require(is_start_of(first.taken(), plain.taken()), "reading ahead makes no difference");
  if (!bookmark) return;
  Reader second(input, server, key, prefetch, faults, *bookmark);
  second.read(all);
  // It does not know the keys and pages before: it may go on where the first refused. For paging::LastItem it begins
  // after an item, where this server may have something else.
  if (!key.empty() || std::holds_alternative<paging::LastItem>(server.paging.style)) return;
  auto both = first.taken();
  both.insert(both.end(), second.taken().begin(), second.taken().end());
  require(is_start_of(plain.taken(), both), "a bookmark resumes at the next item");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // As many decisions as the longest list needs once. What is longer only resumes again and again.
  constexpr std::size_t longest = 256;
  FuzzedDataProvider input(data, std::min(size, longest));
  if (input.ConsumeBool())
    check_good_server(input);
  else
    check_any_server(input);
  return 0;
}
