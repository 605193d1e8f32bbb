#include "resource/page_judge.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "paging/page_count.hpp"

namespace noun { inline namespace v0 {
namespace {

/// So many pages are decided on by a pager of which there is a copy. A pager that has seen more is dearer to copy than
/// a page is to read; where it is lost, the listing goes on as one that is resumed there.
constexpr std::size_t copied_pages = 64;

/// From the first item to the last: what is around them, as an instant or a number of the request, makes no other page.
std::string_view text_of(const std::vector<std::string_view>& items) {
  if (items.empty()) return {};
  const auto* end = items.back().data() + items.back().size();
  return {items.front().data(), static_cast<std::size_t>(end - items.front().data())};
}

}  // namespace

PageJudge::PageJudge(const ClientCore& core, const FeedOptions& options, const PagePlace& first)
    : core_(core), options_(options), pager_(new_pager(first, options.start)) {}

Pager PageJudge::new_pager(const PagePlace& place, PagerStart start) const {
  const auto& environment = core_.environment;
  return {environment.dialect.paging, environment.limits, place, options_.body, core_.origins, start};
}

const Pager& PageJudge::pager_at(const PagePlace& place) {
  if (lost_) pager_ = new_pager(place, *lost_);
  lost_.reset();
  return pager_;
}

JudgedPage PageJudge::decide(const PagePlace& place, Arrival& arrival) {
  const bool guessing = pager_.guessing();
  std::optional<Pager> before;
  if (decided_ < copied_pages) before = pager_;
  try {
    JudgedPage judged;
    judged.page.push_back(judge(place, arrival));
    judged.next = judged.page.front().next;
    ++decided_;
    items_given_ += judged.page.front().items.size();
    largest_page_ = std::max(largest_page_, judged.page.front().items.size());
    return judged;
  } catch (...) {
    if (before)
      pager_ = *std::move(before);
    else
      lost_ = guessing ? PagerStart::guessed : PagerStart::elsewhere;
    throw;
  }
}

FedPage PageJudge::judge(const PagePlace& place, Arrival& arrival) {
  const PageSeen seen{.response = *arrival.response,
                      .items = arrival.items.size(),
                      .last_item = arrival.items.empty() ? std::string_view() : arrival.items.back(),
                      .fingerprint = std::hash<std::string_view>{}(text_of(arrival.items))};
  auto decision = pager_.decide(seen);
  FedPage page{.place = place,
               .response = arrival.response,
               .items = std::move(arrival.items),
               .sent = std::move(arrival.sent),
               .deliver = decision.deliver,
               .guessing = pager_.guessing(),
               .promised = pager_.promised()};
  if (auto* next = std::get_if<NextPage>(&decision.next)) page.next = std::move(next->place);
  if (auto* refuse = std::get_if<Refuse>(&decision.next)) page.refused = std::move(*refuse);
  const auto& paging = core_.environment.dialect.paging;
  const auto largest = std::max(largest_page_, seen.items);
  page.pages_left = page.next ? pages_behind(seen, place.url, paging, largest) : 0;
  if (page.pages_left && options_.max_items && seen.items > 0) {
    const auto wanted = *options_.max_items - std::min(*options_.max_items, items_given_ + seen.items);
    page.pages_left = std::min(*page.pages_left, wanted / seen.items + (wanted % seen.items == 0 ? 0 : 1));
  }
  return page;
}

}}  // namespace noun
