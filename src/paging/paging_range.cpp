// Parts of a list that the request field Range asks for: whether an answer is the one, and which comes next.
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "paging/page_reading.hpp"
#include "paging/paging.hpp"
#include "wire/content_range.hpp"

namespace noun { inline namespace v0 {

/// The item that the request asks for first.
std::uint64_t Pager::first_asked() const {
  const auto asked = wire::read_item_range(place_.range);
  return asked ? asked->first : 0;
}

/// What is wrong with an answer that is another part of the list than was asked for, or that does not say which it is:
/// its items may have come before.
std::optional<Refuse> Pager::other_part(const PageSeen& page) const {
  if (convention_.style != PagingStyle::range || !convention_.next_header.empty()) return std::nullopt;
  const bool has_field = page.response.headers.contains("Content-Range");
  const auto has = content_range_of(page.response);
  constexpr int partial_content = 206;
  if (!has_field && page.response.status == partial_content)
    return Refuse{Errc::protocol,
                  "the answer is a part (206) and has no Content-Range, so that it is not known of what",
                  "tell the service's owner"};
  if (has_field && !has)
    return Refuse{Errc::protocol,
                  "the Content-Range field cannot be read, so that it is not known whether there is another "
                  "page",
                  "tell the service's owner"};
  if (has && has->span) return other_range(page, *has->span, has->total.has_value());
  if (page.items == 0 || first_asked() == 0) return std::nullopt;
  return Refuse{Errc::protocol,
                fmt::format("the answer does not say which items it has, and those from {} on were asked for: it may "
                            "be the whole list",
                            first_asked()),
                "tell the service's owner"};
}

/// What is wrong with a part that is not the one that was asked for, or not all of it. Where the service does not know
/// how many items there are, it may name a range that is beyond the last one.
std::optional<Refuse> Pager::other_range(const PageSeen& page, wire::ItemSpan has, bool is_counted) const {
  const auto asked = wire::read_item_range(place_.range);
  if (asked && asked->first != has.first)
    return Refuse{Errc::protocol,
                  fmt::format("the answer begins at item {}, and {} was asked for", has.first, asked->first),
                  "tell the service's owner"};
  const bool is_beyond = page.items == 0 && !is_counted;
  if (has.last - has.first + 1 != page.items && !is_beyond)
    return Refuse{Errc::protocol,
                  fmt::format("the answer is items {} to {} by its Content-Range, and has {}", has.first, has.last,
                              page.items),
                  "tell the service's owner"};
  return std::nullopt;
}

/// Whether the service counts more items than those up to `end`. A total that stands elsewhere than in Content-Range
/// may count what the listing does not show.
bool Pager::is_longer_than(std::uint64_t end) const { return length_ && *length_ > end; }

/// The request field Range: as the answer gives it, or counted up behind its Content-Range.
Pager::Step Pager::by_range(const PageSeen& page) const {
  PagePlace next = place_;
  if (!convention_.next_header.empty()) {
    auto told = next_told(page.response, convention_);
    if (told.kind != NextTold::Kind::value) return LastPage{};
    next.range = std::move(told.text);
    return next;
  }
  const auto has = content_range_of(page.response);
  if (!has || !has->span || page.items == 0) {
    const auto end = first_asked() + page.items;
    if (!is_longer_than(end)) return LastPage{};
    return Refuse{Errc::protocol,
                  fmt::format("the service counts {} items, and gives none from item {} on", *length_, end),
                  "tell the service's owner"};
  }
  if (has->total && has->span->last + 1 >= *has->total) return LastPage{};
  const auto asked = wire::read_item_range(place_.range);
  const auto came = has->span->last - has->span->first + 1;
  const auto size = asked ? asked->last - asked->first + 1 : came;
  if (convention_.short_page_is_last && !has->total && came < size) return LastPage{};
  const auto start = has->span->last + 1;
  if (start > std::numeric_limits<std::uint64_t>::max() - size) return LastPage{};
  const auto unit_end = place_.range.find('=');
  const auto unit = unit_end == std::string::npos ? std::string() : place_.range.substr(0, unit_end + 1);
  next.range = fmt::format("{}{}-{}", unit, start, start + size - 1);
  return next;
}

std::string first_range(const PagingConvention& convention, std::size_t page_size) {
  if (convention.style != PagingStyle::range || !convention.next_header.empty() || page_size == 0) return {};
  return fmt::format("0-{}", page_size - 1);
}

}}  // namespace noun
