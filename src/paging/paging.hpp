#pragma once
/// @file
/// Which page comes next, and whether it may be asked for. Sees one answer at a time and sends nothing.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/limits.hpp>
#include <noun/message.hpp>

#include "decision/redirect.hpp"
#include "wire/content_range.hpp"
#include "wire/page_url.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 {

/// What a pager needs to see of a page.
struct PageSeen {
  /// Its `url` is what relative links are resolved against.
  const Response& response;
  std::size_t items = 0;
  /// The bytes of the last item; empty where there is none.
  std::string_view last_item = {};
  /// Of the items: two pages with the same one are the same page.
  std::uint64_t fingerprint = 0;
};

/// Where a page is: what it is asked for with, less what all pages of the listing have in common.
struct PagePlace {
  /// Absolute, without a fragment.
  std::string url = {};
  /// What goes into the listing's body at `cursor_pointer`, as JSON; the whole body where a strategy says so. Empty:
  /// the body is sent as it is.
  std::string cursor = {};
  /// The request field `Range`; empty for none.
  std::string range = {};

  friend bool operator==(const PagePlace&, const PagePlace&) = default;
};

/// Ask for this page next.
struct NextPage {
  PagePlace place;
};
/// There is no further page.
struct LastPage {};

/// What an answer says on whether there is more.
enum class MoreTold { nothing, more, end };

/// What follows from a page.
struct PageDecision {
  /// Whether the page is news; otherwise its items are those of the page before, or others than were asked for.
  bool deliver = true;
  std::variant<NextPage, LastPage, Refuse> next = LastPage{};
};

/// Where a listing begins.
enum class PagerStart {
  first_page,  ///< at its first page
  guessed,     ///< where it was left while guessing()
  elsewhere,   ///< where it was left otherwise
};

/// Follows one listing from page to page.
class Pager {
 public:
  /// @param first    the first page to be asked for; its URL of an allowed origin.
  /// @param body     ListOptions::body.
  /// @param allowed  where pages may come from: the client's origin and the trusted ones.
  Pager(PagingConvention convention, const Limits& limits, PagePlace first, std::string body,
        std::vector<wire::UrlOrigin> allowed, PagerStart start = PagerStart::first_page);

  /// What the page at `place` is asked for with.
  PageRequest request_for(const PagePlace& place) const;
  /// Decides on the page that place() answered with, and goes on to the next.
  PageDecision decide(const PageSeen& page);
  /// The page that decide() saw last, or went on to.
  const PagePlace& place() const noexcept { return place_; }
  /// The page number `pages` behind place(), as far as the last answer lets it be known: the numbers or offsets are
  /// counted up, to where its totals end. A guess: decide() on the pages before may come to another place.
  std::optional<PagePlace> ahead(std::size_t pages) const;
  /// Whether it is a guess that the service numbers its pages.
  bool guessing() const noexcept { return guessing_; }
  /// Whether this status, of the page at place(), says that the listing has ended with the page before: 404 where pages
  /// are counted, 416 where ranges are, and none told of this one. Never of the first page that was asked for.
  bool ends_at(int status) const;
  /// How many items the last answer promised in all, where it said so exactly.
  std::optional<std::uint64_t> promised() const noexcept { return promised_; }

 private:
  using Step = std::variant<PagePlace, LastPage, Refuse>;
  /// Numbers of pages or offsets that may be asked for: first, first + step, and so on below `end`.
  struct Outlook {
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::int64_t end = 0;
    /// Whether all of them are there, and not only likely to be.
    bool is_sure = false;
  };
  struct LastNumber {
    std::int64_t number = 0;
    bool is_sure = true;
  };

  void note(const PageSeen& page);
  bool has_grown(const PageSeen& page) const;
  bool repetition_is_fault() const noexcept;
  bool at_second_page() const;
  bool is_promised() const;
  bool is_first_again(const PageSeen& page) const;
  bool may_be_numbered(const PageSeen& page) const;

  Step step_behind(const PageSeen& page);
  Step by_link(const PageSeen& page);
  Step by_number(const PageSeen& page);
  Step by_told(const PageSeen& page) const;
  Step by_last_item(const PageSeen& page) const;
  Step by_range(const PageSeen& page) const;
  std::uint64_t first_asked() const;
  std::optional<Refuse> other_part(const PageSeen& page) const;
  std::optional<Refuse> other_range(const PageSeen& page, wire::ItemSpan has, bool is_counted) const;
  bool is_longer_than(std::uint64_t end) const;
  Step by_strategy(const PageSeen& page) const;

  bool enough_came(const PageSeen& page) const;
  bool is_short(const PageSeen& page) const;
  bool counted_out(const PageSeen& page, MoreTold more) const;
  std::optional<std::uint64_t> came_so_far(const PageSeen& page) const;
  std::optional<std::uint64_t> size_asked() const;
  bool into_body() const noexcept;
  std::optional<std::int64_t> number_at(const PagePlace& place) const;
  std::optional<Refuse> before_the_first(std::int64_t number) const;
  Step at_number(std::int64_t number) const;
  Step with_cursor(std::string_view text, std::string json) const;

  PageDecision go(const PageSeen& page, Step step);
  std::optional<Refuse> fault_of(const PagePlace& place) const;
  std::optional<Refuse> over_a_limit(const PageSeen& page);
  std::optional<Outlook> outlook_behind(const PageSeen& page, const PagePlace& next) const;
  std::optional<LastNumber> last_number_told(const PageSeen& page, const PagePlace& next) const;
  std::optional<LastNumber> last_number_by_total(const PageSeen& page) const;

  PagingConvention convention_;
  Limits limits_;
  PagePlace place_;
  std::string body_;
  std::vector<wire::UrlOrigin> allowed_;
  std::unordered_set<std::uint64_t> visited_;
  std::uint64_t last_fingerprint_ = 0;
  /// Of a first page that was asked for without a number, though it may have one.
  std::optional<std::uint64_t> unnumbered_first_;
  std::size_t pages_ = 0;
  std::size_t empty_in_a_row_ = 0;
  std::uint64_t received_ = 0;
  std::size_t largest_page_ = 0;
  std::size_t smallest_page_ = std::numeric_limits<std::size_t>::max();
  std::optional<std::uint64_t> promised_;
  /// How many items there are by the last Content-Range.
  std::optional<std::uint64_t> length_;
  std::optional<Outlook> outlook_;
  bool secure_;
  bool at_first_page_;
  bool guessing_;
};

/// Where a page would begin behind this item, which is on `page`: known where the service pages by last items.
/// @param body  ListOptions::body.
std::optional<PagePlace> place_behind(std::string_view item, const PagePlace& page, const PagingConvention& convention,
                                      std::string_view body);

/// The request field `Range` of a first page with so many items; empty where the convention does not count in it.
std::string first_range(const PagingConvention& convention, std::size_t page_size);

}}  // namespace noun
