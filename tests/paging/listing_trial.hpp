#pragma once
/// @file
/// Trials of the listing machine: a server with a list of numbers, and a consumer that meets faults, stops and resumes.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "paging/listing_machine.hpp"
#include "paging/paging_bench.hpp"
#include "wire/json_scan.hpp"
#include "wire/page_url.hpp"

namespace noun::paging_tests {

using namespace noun::detail;

enum class Kind { automatic, link, number, offset, cursor, next_url, last_item, range, automatic_from_zero };
inline constexpr Kind kinds[] = {Kind::automatic, Kind::link,      Kind::number, Kind::offset,             Kind::cursor,
                                 Kind::next_url,  Kind::last_item, Kind::range,  Kind::automatic_from_zero};

/// A list of the numbers from 1 to `size`, which never changes.
struct Server {
  Kind kind = Kind::link;
  std::size_t size = 0;
  std::size_t page_size = 1;
  bool counts = false;  ///< reports X-Total-Count, or the total in Content-Range

  Paging paging() const {
    Paging paging{.items = kind == Kind::range || kind == Kind::automatic ? "" : "/items"};
    switch (kind) {
      case Kind::automatic:
      case Kind::automatic_from_zero: break;
      case Kind::link: paging.style = paging::LinkHeader{}; break;
      case Kind::number: paging.style = paging::PageNumber{}; break;
      case Kind::offset: paging.style = paging::Offset{}; break;
      case Kind::cursor: paging.style = paging::Cursor{.parameter = "cursor", .from = "/next"}; break;
      case Kind::next_url: paging.style = paging::NextUrl{.from = "/next"}; break;
      case Kind::last_item: paging.style = paging::LastItem{.parameter = "after", .key = ""}; break;
      case Kind::range: paging.style = paging::ItemRange{}; break;
    }
    return paging;
  }

  PagePlace first() const {
    const auto size_parameter = fmt::format("{}?per_page={}", list, page_size);
    return {.url = size_parameter, .range = first_range(paging().style, page_size)};
  }

  static std::size_t number_in(const std::string& url, const char* name, std::size_t otherwise) {
    const auto text = wire::parameter_of(url, name);
    return text ? std::stoul(std::string(*text)) : otherwise;
  }

  std::size_t begin_of(const paging::PageRequest& request) const {
    switch (kind) {
      case Kind::automatic:
      case Kind::link:
      case Kind::number: return (number_in(request.url, "page", 1) - 1) * page_size;
      case Kind::automatic_from_zero: return number_in(request.url, "page", 0) * page_size;
      case Kind::offset: return number_in(request.url, "offset", 0);
      case Kind::cursor:
      case Kind::next_url: return number_in(request.url, "cursor", 0);
      case Kind::last_item: return number_in(request.url, "after", 0);
      case Kind::range: return std::stoul(request.range);
    }
    return 0;
  }

  FetchedPage answer(const paging::PageRequest& request) const {
    const auto begin = std::min(begin_of(request), size);
    const auto end = std::min(begin + page_size, size);
    auto response = std::make_shared<Response>(Response{.status = 200, .url = request.url});
    std::vector<std::size_t> numbers(end - begin);
    std::iota(numbers.begin(), numbers.end(), begin + 1);
    const auto items = fmt::format("[{}]", fmt::join(numbers, ","));
    const auto page = begin / page_size + 1;
    const auto next = [&](const char* name, std::size_t value) {
      return wire::with_parameter(request.url, name, std::to_string(value));
    };
    response->body = items;
    if (kind == Kind::link && end < size)
      response->headers.add("Link", fmt::format("<{}>; rel=next, <{}>; rel=last", next("page", page + 1),
                                                next("page", (size + page_size - 1) / page_size)));
    if (kind == Kind::cursor || kind == Kind::next_url) {
      const auto where = kind == Kind::cursor ? std::to_string(end) : '"' + next("cursor", end) + '"';
      response->body = fmt::format(R"({{"items":{},"next":{}}})", items, end < size ? where : "null");
    } else if (kind == Kind::automatic_from_zero) {
      response->body = fmt::format(R"({{"items":{},"number":{}}})", items, page - 1);
    } else if (!paging().items.empty()) {
      response->body = fmt::format(R"({{"items":{}}})", items);
    }
    if (kind == Kind::range) {
      const auto span = end > begin ? fmt::format("{}-{}", begin, end - 1) : std::string("*");
      response->headers.add("Content-Range", fmt::format("{}/{}", span, counts ? std::to_string(size) : "*"));
    } else if (counts) {
      response->headers.add("X-Total-Count", std::to_string(size));
    }
    FetchedPage fetched{.response = response};
    fetched.items = wire::json_elements(response->body, paging().items).elements;
    return fetched;
  }
};

struct Trial {
  Server server;
  std::size_t prefetch = 0;
  bool has_key = false;
  std::size_t faults = 0;   ///< in ten fetches
  std::size_t resumes = 0;  ///< in ten pages
  std::size_t budget = Limits().body;
};

/// Returns a number below `end`, which is at least 1.
using Choose = std::function<std::size_t(std::size_t end)>;

/// Drives one machine after another until the listing ends, and collects what a consumer took.
class Consumer {
 public:
  Consumer(const Trial& trial, Choose choose) : trial_(trial), below_(std::move(choose)) { open({}); }

  /// Returns what is wrong; empty if the listing ends.
  std::string drain() {
    for (int steps = 0; steps < 100'000; ++steps) {
      auto step = machine_->next();
      if (auto* fetch = std::get_if<Fetch>(&step)) {
        start(std::move(*fetch));
      } else if (std::holds_alternative<Await>(step)) {
        if (in_flight_.empty()) return "nothing to wait for";
        arrive();
      } else if (auto* deliver = std::get_if<Deliver>(&step)) {
        if (take(*deliver)) continue;
        open(machine_->bookmark(taken_of_page_));
      } else if (const auto* fail = std::get_if<Fail>(&step)) {
        const auto* refuse = std::get_if<Refuse>(&fail->why);
        if (refuse != nullptr) return fmt::format("{}: {}", to_string(refuse->code), refuse->what);
      } else {
        return std::get<End>(step).is_short ? "the listing is short" : "";
      }
      read_ahead();
    }
    return "the listing does not end";
  }

  const std::vector<int>& taken() const { return taken_; }
  std::size_t most_in_flight() const { return most_in_flight_; }

 private:
  bool happens(std::size_t in_ten) { return below_(10) + in_ten >= 10; }

  void open(std::optional<Bookmark> resume) {
    in_flight_.clear();
    // As it would be read in another process.
    if (resume) resume = std::get<Bookmark>(read_bookmark(write_bookmark(*resume, ""), ""));
    machine_.emplace(ListingSettings{.paging = trial_.server.paging(),
                                     .limits = {.body = trial_.budget},
                                     .origins = {*wire::origin_of(list)},
                                     .first = trial_.server.first(),
                                     .resume = std::move(resume),
                                     .key = trial_.has_key ? "/id" : "",
                                     .prefetch = trial_.prefetch});
  }

  void start(Fetch fetch) {
    in_flight_.push_back(std::move(fetch));
    std::erase_if(in_flight_, [&](const Fetch& each) { return !machine_->is_wanted(each.id); });
    most_in_flight_ = std::max(most_in_flight_, in_flight_.size());
  }

  void read_ahead() {
    while (auto fetch = machine_->read_ahead()) start(*std::move(fetch));
    if (!in_flight_.empty() && happens(3)) arrive();
  }

  void arrive() {
    const auto at = in_flight_.begin() + static_cast<std::ptrdiff_t>(below_(in_flight_.size()));
    const auto fetch = std::move(*at);
    in_flight_.erase(at);
    if (happens(trial_.faults))
      return machine_->on_error(fetch.id, Error(Errc::timeout, "a fault"));
    auto page = trial_.server.answer(fetch.request);
    if (fetch.largest && page.response->body.size() > *fetch.largest)
      machine_->on_error(fetch.id, Error(Errc::too_large, "the body is too long"));
    else
      machine_->on_page(fetch.id, std::move(page));
  }

  /// Takes the page, or some of its items; false if the consumer stops there.
  bool take(const Deliver& page) {
    taken_of_page_ = page.skip;
    const bool stops = happens(trial_.resumes);
    const auto end = stops && page.items.size() > page.skip ? page.skip + below_(page.items.size() - page.skip + 1)
                                                            : page.items.size();
    for (; taken_of_page_ < end; ++taken_of_page_) taken_.push_back(std::stoi(std::string(page.items[taken_of_page_])));
    return !stops;
  }

  Trial trial_;
  Choose below_;
  std::optional<ListingMachine> machine_;
  std::deque<Fetch> in_flight_;
  std::vector<int> taken_;
  std::size_t taken_of_page_ = 0;
  std::size_t most_in_flight_ = 0;
};

/// What a consumer takes of a list of so many numbers.
inline std::vector<int> all_of(std::size_t size) {
  std::vector<int> all(size);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

}  // namespace noun::paging_tests
