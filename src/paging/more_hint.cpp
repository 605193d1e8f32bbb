#include "paging/more_hint.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "paging/page.hpp"
#include "paging/styles.hpp"
#include "vocabulary/json_pointer.hpp"
#include "wire/ascii.hpp"
#include "wire/http_date.hpp"
#include "wire/integer.hpp"
#include "wire/json_scan.hpp"
#include "wire/link.hpp"
#include "wire/page_url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

using Words = std::vector<std::string>;

/// The words of a name in lower case: `@odata.nextLink` is odata, next, link.
Words words_of(std::string_view name) {
  Words words;
  bool goes_on = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char letter = name[i];
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    if (!is_upper && !(letter >= 'a' && letter <= 'z') && !wire::is_digit(letter)) {
      goes_on = false;
      continue;
    }
    const bool begins = is_upper && i > 0 && !(name[i - 1] >= 'A' && name[i - 1] <= 'Z');
    if (!goes_on || begins) words.emplace_back();
    words.back() += wire::to_lower(letter);
    goes_on = true;
  }
  return words;
}

bool has_one_of(const Words& words, std::initializer_list<std::string_view> wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  });
}

std::string joined(const Words& words) {
  std::string all;
  for (const auto& word : words) all += word;
  return all;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

/// Names of the next page: by a word in them, unless another word says that they are something else.
bool names_next(const Words& words) {
  if (has_one_of(words, {"prev",    "previous", "before", "start", "first", "self",    "current", "sync",    "at",
                         "time",    "date",     "run",    "retry", "step",  "steps",   "action",  "actions", "attempt",
                         "billing", "update",   "check",  "due",   "event", "payment", "invoice"}))
    return false;
  return has_one_of(words, {"next", "cursor", "continue", "continuation", "nextpage", "nexttoken", "nextpagetoken",
                            "nexturl", "nexturi", "nexthref", "nextcursor", "nextlink", "nextoffset"}) ||
         std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.starts_with("continuation"); }) ||
         joined(words) == "lastevaluatedkey";
}

/// Names of a boolean that is true if there are more pages.
bool says_more(const Words& words) {
  return has_one_of(words, {"more"}) || (has_one_of(words, {"has", "is"}) && has_one_of(words, {"next"})) ||
         is_one_of(joined(words),
                   {"hasmore", "hasnext", "hasnextpage", "truncated", "istruncated", "exceededtransferlimit"});
}

/// Names of a boolean that is false if there are more pages.
bool says_last(const Words& words) { return is_one_of(joined(words), {"last", "islast", "lastpage", "islastpage"}); }

/// Names of an object that is about the page, not about its items.
bool is_about_pages(const Words& words) {
  return has_one_of(words, {"meta", "metadata", "link", "links", "paging", "pagination", "paginator", "page", "pages",
                            "pageinfo", "cursors", "hits"}) ||
         is_one_of(joined(words), {"resultinfo", "info"}) || names_next(words);
}

std::optional<std::uint64_t> count_of(std::string_view json) {
  return is_number(json) ? wire::read_integer<std::uint64_t>(json) : std::nullopt;
}

/// Names of a cursor, which may have any text.
bool names_cursor(const Words& words) {
  const auto name = joined(words);
  return name.find("cursor") != std::string::npos || name.find("token") != std::string::npos;
}

/// A time is no position in a list.
bool is_time(std::string_view text) { return wire::parse_rfc3339(text).has_value(); }

/// Whether a text is a number, or the offset of a time zone.
bool is_numeric(std::string_view text) { return text.find_first_not_of("0123456789.:+-Z") == std::string_view::npos; }

/// The last name of a pointer.
Words last_of(std::string_view pointer) { return words_of(pointer.substr(pointer.rfind('/') + 1)); }

/// Whether the items are the members of the object that the body is, whose names mean nothing.
bool body_is_items(const Paging& paging) { return paging.items_are_members && paging.items.empty(); }

/// How a Dialect says where the next page is.
/// @param from  the option of the place: `from` or `next`, and with a field `from_header` or `next_header`.
std::string option_for(std::string_view place, std::string_view text, bool is_page, bool is_field) {
  const auto* suffix = is_field ? "_header" : "";
  if (text.starts_with('/') || text.starts_with('?') || text.starts_with("http"))
    return fmt::format("noun::paging::NextUrl{{.from{} = \"{}\"}}", suffix, place);
  if (is_page) return fmt::format("noun::paging::PageNumber{{.next{} = \"{}\"}}", suffix, place);
  return fmt::format("noun::paging::Cursor{{.parameter = \"…\", .from{} = \"{}\"}}", suffix, place);
}

/// Looks for signs in one response.
class Search {
 public:
  Search(const Response& response, const Paging& paging)
      : response_(response),
        items_(paging.items),
        body_is_items_(body_is_items(paging)) {
    for (const auto& field : wire::decoded_query(response.url))
      if (names_position(field.name, paging)) own_.push_back(field.value);
  }

  bool is_last() const noexcept { return is_last_; }
  const std::optional<std::uint64_t>& page_number() const noexcept { return page_number_; }

  std::optional<MoreHint> run() {
    look_in_fields();
    const auto start = response_.body.find_first_not_of(" \t\r\n");
    if (!body_is_items_ && start != std::string::npos && response_.body[start] == '{') {
      look_in("", response_.body, 0);
      const auto beside = items_.substr(0, std::min(items_.rfind('/'), items_.size()));
      if (!beside.empty())
        if (const auto object = wire::json_at(response_.body, beside)) look_in(std::string(beside), *object, 0);
    }
    if (is_last_) return std::nullopt;
    if (value_) return value_;
    if (cursor_) return cursor_;
    auto counted = statement_ ? statement_ : count_;
    const auto* first = page_number_ == 0U ? ".first = 0" : "";
    if (counted) counted->option = fmt::format("noun::paging::PageNumber{{{}}}", first);
    return counted;
  }

 private:
  /// Whether the value is the position that this page was requested with.
  bool is_own(std::string_view text) const {
    return std::find(own_.begin(), own_.end(), text) != own_.end();
  }

  static void keep(std::optional<MoreHint>& hint, std::string place, std::string option = {}) {
    if (!hint) hint = MoreHint{std::move(place), std::move(option)};
  }

  void look_in_fields() {
    for (const auto& field : response_.headers) {
      const auto words = words_of(field.name);
      const auto text = wire::trimmed(field.value);
      if (!names_next(words) || text.empty() || is_one_of(text, {"0", "false", "null"}) || is_own(text) ||
          (is_time(text) && !names_cursor(words)))
        continue;
      const bool is_page = has_one_of(words, {"page"}) && is_number(text);
      keep(value_, fmt::format("a value in {}", field.name), option_for(field.name, text, is_page, true));
    }
  }

  /// @param levels  how many objects deep it is below where the search begins.
  void look_in(const std::string& pointer, std::string_view object, int levels) {
    constexpr int deepest = 3;
    // Each member has the path of the object in front.
    constexpr std::size_t longest_name = 64;
    const auto members = wire::json_members(object);
    // In an object of the next page, each value is one of it: `next: {href: …}`.
    const bool in_next = names_next(words_of(pointer));
    for (const auto& [name, json] : members) {
      const auto place = pointer + pointer_to(name);
      if (place == items_) continue;
      const auto words = words_of(name);
      if (json.front() == '{') {
        if (levels < deepest && name.size() <= longest_name && is_about_pages(words)) look_in(place, json, levels + 1);
        if (joined(words) == "lastevaluatedkey" && !wire::json_members(json).empty())
          keep(value_, fmt::format("a value at {}", place), option_for(place, "", false, false));
      } else if (json.front() == '[') {
        if (has_one_of(words, {"link", "links"})) look_in_links(place, json);
      } else {
        look_at(place, words, json, in_next);
        look_at_place(place, words, json, levels);
      }
    }
    if (levels == 0 || is_about_pages(last_of(pointer))) look_at_counts(pointer, members);
  }

  void look_at(const std::string& place, const Words& words, std::string_view json, bool in_next) {
    if (json == "true" || json == "false") {
      const bool is_true = json == "true";
      if (says_last(words) || says_more(words)) {
        is_last_ = is_last_ || is_true == says_last(words);
        keep(statement_, fmt::format("{} at {}", json, place));
      } else if (is_true && names_next(words)) {
        keep(statement_, fmt::format("true at {}", place));
      }
      return;
    }
    const bool names =
        names_next(words) ||
        (in_next && has_one_of(words, {"href", "url", "uri", "after", "offset", "page", "token", "link", "id"}));
    if (!names || json == "null" || json == "0") return;
    const auto value = value_of(json, NextKind::cursor);
    if (value.kind != NextValue::Kind::value || is_own(value.text)) return;
    if (is_time(value.text) && !names_cursor(words)) return;
    const bool is_page = is_number(json) && !has_one_of(words_of(place), {"token", "cursor", "offset"});
    keep(value_, fmt::format("a value at {}", place), option_for(place, value.text, is_page, false));
  }

  /// Cursors whose names alone do not say so: `after` beside the items (Reddit) or in `cursors` (Cloudflare), and a text
  /// `offset` at the root (Airtable). Facebook has one in `paging.cursors` on the last page too, and `next` on others.
  void look_at_place(const std::string& place, const Words& words, std::string_view json, int levels) {
    const auto name = joined(words);
    if (json.front() != '"' || !is_one_of(name, {"after", "offset"})) return;
    const bool is_offset = name == "offset";
    const auto pointer = std::string_view(place).substr(0, place.rfind('/'));
    const bool in_cursors = !is_offset && joined(last_of(pointer)) == "cursors" && !pointer.ends_with("/paging/cursors");
    if (is_offset ? !pointer.empty() : levels > 0 && !in_cursors) return;
    const auto value = value_of(json, NextKind::cursor);
    if (value.kind != NextValue::Kind::value || is_own(value.text)) return;
    if (is_offset ? is_numeric(value.text) : is_time(value.text) && !in_cursors) return;
    keep(cursor_, fmt::format("a value at {}", place), option_for(place, value.text, false, false));
  }

  /// `"links": [{"rel": "next", "href": …}]`, and FHIR's `relation`.
  void look_in_links(const std::string& place, std::string_view array) {
    const auto links = wire::json_elements(array, "");
    for (std::size_t i = 0; i < links.elements.size(); ++i) {
      const auto link = links.elements[i];
      if (link.front() != '{') continue;
      const auto is_next = [&](const char* member) { return wire::json_text_at(link, member) == "next"; };
      if (is_next("/rel") || is_next("/relation"))
        keep(value_, fmt::format("a link with rel=next at {}/{}", place, i), {});
    }
  }

  /// `"page": 1, "pages": 3`. A page 0 is the first of those that are counted from zero.
  void look_at_counts(const std::string& pointer, const std::vector<std::pair<std::string, std::string_view>>& members) {
    std::optional<std::uint64_t> current;
    std::optional<std::pair<std::string, std::uint64_t>> all;
    for (const auto& [name, json] : members) {
      const auto count = count_of(json);
      if (!count) continue;
      const auto key = joined(words_of(name));
      if (is_one_of(key, {"page", "currentpage", "current", "pagenumber", "pageindex", "number"})) current = count;
      if (is_one_of(key, {"pages", "lastpage", "totalpages", "pagecount", "numpages", "nbpages", "pagestotal"}))
        all.emplace(name, *count);
    }
    if (current && !page_number_) page_number_ = current;
    if (!current || !all || (*current == 0 ? all->second <= 1 : all->second <= *current)) return;
    keep(count_, fmt::format("page {} of {} at {}", *current, all->second, pointer + pointer_to(all->first)));
  }

  const Response& response_;
  const std::string_view items_;
  const bool body_is_items_;
  std::vector<std::string> own_;
  bool is_last_ = false;
  std::optional<std::uint64_t> page_number_;
  std::optional<MoreHint> value_;
  std::optional<MoreHint> cursor_;
  std::optional<MoreHint> statement_;
  std::optional<MoreHint> count_;
};

/// Visits the totals of an object, and of the objects in it that are about pages.
template <class Visit>
void for_each_total(const std::string& pointer, std::string_view object, int levels, Visit visit) {
  for (const auto& [name, json] : wire::json_members(object)) {
    const auto words = words_of(name);
    const auto key = joined(words);
    const auto place = pointer + pointer_to(name);
    const bool is_total = is_one_of(key, {"total", "totalcount", "totalitems", "totalresults", "totalsize", "totalrows",
                                          "totalelements", "totalentries", "totalhits", "nbhits", "odatacount"}) ||
                          (key == "count" && levels == 0);
    if (const auto count = count_of(json); count && is_total) visit(place, *count);
    if (json.front() != '{') continue;
    // `"hits": {"total": {"value": 8, "relation": "eq"}}`
    const auto value = is_total && levels > 0 ? wire::json_at(json, "/value") : std::nullopt;
    if (const auto count = value ? count_of(*value) : std::nullopt;
        count && wire::json_text_at(json, "/relation") != "gte")
      visit(place + "/value", *count);
    if (levels < 2 && is_about_pages(words) && key != "pages") for_each_total(place, json, levels + 1, visit);
  }
}

}  // namespace

std::optional<MoreHint> more_hint(const Response& response, const Paging& paging) {
  Search search(response, paging);
  if (auto hint = search.run(); hint || search.is_last()) return hint;
  constexpr int partial_content = 206;
  const auto range = content_range_of(response);
  const bool is_part = range && range->span && range->total && *range->total > range->span->last + 1;
  if (response.status == partial_content && is_part)
    return MoreHint{fmt::format("a Content-Range of {} items", *range->total), "noun::paging::ItemRange{}"};
  if (const auto fault = wire::fault_of_link(response.headers, "next", response.url))
    return MoreHint{fmt::format("a Link with rel=next that is not followed, since {}", *fault), {}};
  return std::nullopt;
}

std::optional<std::uint64_t> page_number_hint(const Response& response, const Paging& paging) {
  Search search(response, paging);
  search.run();
  return search.page_number();
}

std::optional<TotalHint> total_hint(const Response& response, const Paging& paging) {
  if (body_is_items(paging)) return std::nullopt;
  const std::string_view items_pointer = paging.items;
  std::optional<TotalHint> largest;
  const auto visit = [&](const std::string& place, std::uint64_t count) {
    if (!largest || count > largest->items) largest = TotalHint{place, count};
  };
  for_each_total("", response.body, 0, visit);
  const std::string beside(items_pointer.substr(0, std::min(items_pointer.rfind('/'), items_pointer.size())));
  if (const auto object = beside.empty() ? std::nullopt : wire::json_at(response.body, beside))
    for_each_total(beside, *object, 0, visit);
  return largest;
}

}}}  // namespace noun::detail
