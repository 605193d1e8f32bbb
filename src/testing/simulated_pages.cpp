#include "testing/simulated_pages.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "wire/integer.hpp"
#include "wire/page_url.hpp"

namespace noun { inline namespace v0 { namespace testing {
namespace {

using Json = nlohmann::json;

/// The parameter with the position in the URLs that paging::NextUrl follows.
constexpr std::string_view url_position = "from";

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

/// The parameter of the style that selects the page; empty for none.
std::string_view parameter_of(const paging::Style& style) {
  return std::visit(
      [](const auto& each) -> std::string_view {
        using Style = std::decay_t<decltype(each)>;
        if constexpr (requires { each.parameter; })
          return each.parameter;
        else if constexpr (std::is_same_v<Style, paging::Automatic>)
          return each.page_parameter;
        else if constexpr (std::is_same_v<Style, paging::LinkHeader> || std::is_same_v<Style, paging::PageStrategy>)
          return "page";
        else
          return std::is_same_v<Style, paging::NextUrl> ? url_position : std::string_view();
      },
      style);
}

/// A page of a list, while it is made.
class Page {
 public:
  Page(const Paging& paging, const SimulatedPageRequest& request, const std::vector<const Json*>& items)
      : paging_(paging), request_(request), items_(items), query_(wire::decoded_query(request.url)) {
    size_ = std::clamp<std::size_t>(number(paging.size_parameter).value_or(request.usual_size), 1,
                                    std::max<std::size_t>(request.largest_size, 1));
    first_ = std::min(first_item(), items.size());
    end_ = std::min(first_ + size_, items.size());
  }

  Response response() {
    auto array = Json::array();
    for (auto at = first_; at < end_; ++at) array.push_back(*items_[at]);
    if (paging_.items.empty()) {
      body_ = std::move(array);
    } else {
      auto place = paging_.items;
      if (place.ends_with("/*")) place.replace(place.size() - 1, 1, "items");
      put(place, std::move(array));
    }
    write_next();
    write_counts();
    response_.status = status_;
    response_.headers.add("Content-Type", "application/json");
    response_.body = body_.dump();
    return std::move(response_);
  }

 private:
  std::optional<std::string_view> value(std::string_view name) const {
    return name.empty() ? std::nullopt : query_.get(name);
  }
  std::optional<std::size_t> number(std::string_view name) const {
    const auto text = value(name);
    return text ? wire::read_integer<std::size_t>(*text) : std::nullopt;
  }
  bool has_more() const { return end_ < items_.size(); }
  std::size_t pages() const { return std::max<std::size_t>((items_.size() + size_ - 1) / size_, 1); }

  std::size_t first_of_page(std::size_t page, std::size_t least) const {
    return page > least ? std::min(page - least, items_.size()) * size_ : 0;
  }

  std::size_t first_item() {
    const auto name = parameter_of(paging_.style);
    return std::visit(
        Overloaded{[&](const paging::SinglePage&) {
                     size_ = std::max<std::size_t>(items_.size(), 1);
                     return std::size_t{0};
                   },
                   [&](const paging::PageNumber& style) {
                     const auto least = static_cast<std::size_t>(std::max(style.first, 0));
                     return first_of_page(number(name).value_or(least), least);
                   },
                   [&](const paging::Offset& style) {
                     const auto least = static_cast<std::size_t>(std::max(style.first, 0));
                     const auto first = number(name).value_or(least);
                     return first > least ? first - least : 0;
                   },
                   [&](const paging::LastItem& style) { return after(value(name), style.key); },
                   [&](const paging::ItemRange&) { return take_range(); },
                   [&](const auto& style) {
                     using Style = std::decay_t<decltype(style)>;
                     constexpr bool is_position =
                         std::is_same_v<Style, paging::Cursor> || std::is_same_v<Style, paging::NextUrl>;
                     if (is_position) return number(name).value_or(0);
                     return first_of_page(number(name).value_or(1), 1);
                   }},
        paging_.style);
  }

  /// The item after the one with this key.
  std::size_t after(std::optional<std::string_view> key, const std::string& place) const {
    if (!key) return 0;
    const auto is_last = [&](const Json* item) {
      const Json::json_pointer pointer(place);
      if (!item->contains(pointer)) return false;
      const auto& own = (*item)[pointer];
      return (own.is_string() ? own.get<std::string>() : own.dump()) == *key;
    };
    const auto last = std::find_if(items_.begin(), items_.end(), is_last);
    return last == items_.end() ? items_.size() : static_cast<std::size_t>(last - items_.begin()) + 1;
  }

  /// Reads `Range: 0-29` or `items=0-29`.
  std::size_t take_range() {
    auto text = request_.headers.get("Range").value_or("");
    text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    const auto dash = text.find('-');
    const auto first = wire::read_integer<std::size_t>(text.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? std::nullopt : wire::read_integer<std::size_t>(text.substr(dash + 1));
    if (first && last && *last >= *first)
      size_ = std::min(*last - *first, std::max<std::size_t>(request_.largest_size, 1) - 1) + 1;
    return first.value_or(0);
  }

  /// A list whose items are the root has no other members.
  void put(const std::string& place, Json value) {
    if (!place.empty() && !body_.is_array()) body_[Json::json_pointer(place)] = std::move(value);
  }
  void put_next(const TextList& places, const std::string& header, const Json& next) {
    if (!places.empty()) put(*places.begin(), next);
    if (!header.empty() && !next.is_null())
      response_.headers.add(header, next.is_string() ? next.get<std::string>() : next.dump());
  }

  std::string url_with(std::string_view name, std::size_t value) const {
    auto url = std::string(request_.url);
    if (!paging_.size_parameter.empty()) url = wire::with_parameter(url, paging_.size_parameter, std::to_string(size_));
    return wire::with_parameter(url, name, std::to_string(value));
  }

  void write_next() {
    const Json next_position = has_more() ? Json(std::to_string(end_)) : Json();
    std::visit(
        Overloaded{[&](const paging::PageNumber& style) {
                     const auto next = end_ / size_ + static_cast<std::size_t>(std::max(style.first, 0));
                     put_next(style.next, style.next_header, has_more() ? Json(next) : Json());
                   },
                   [&](const paging::Cursor& style) { put_next(style.from, style.from_header, next_position); },
                   [&](const paging::NextUrl& style) {
                     put_next(style.from, style.from_header, has_more() ? Json(url_with(url_position, end_)) : Json());
                   },
                   [&](const paging::ItemRange& style) {
                     response_.headers.add(
                         "Content-Range", end_ > first_ ? fmt::format("items {}-{}/{}", first_, end_ - 1, items_.size())
                                                        : fmt::format("items */{}", items_.size()));
                     if (end_ > first_) status_ = 206;
                     if (has_more())
                       put_next({}, style.next_header, fmt::format("items {}-{}", end_, end_ + size_ - 1));
                   },
                   [](const paging::SinglePage&) {}, [](const paging::Offset&) {}, [](const paging::LastItem&) {},
                   [&](const auto&) { write_links(); }},
        paging_.style);
    if (!paging_.end.more_pointer.empty())
      put(paging_.end.more_pointer, has_more() == paging_.end.more_value);
  }

  void write_links() {
    const auto name = parameter_of(paging_.style);
    const auto link = [&](std::size_t page, std::string_view relation) {
      return fmt::format("<{}>; rel=\"{}\"", url_with(name, page), relation);
    };
    auto links = link(pages(), "last");
    if (has_more()) links = link(end_ / size_ + 1, "next") + ", " + links;
    response_.headers.add("Link", links);
  }

  void write_counts() {
    const auto& totals = paging_.totals;
    if (!totals.items_header.empty()) response_.headers.add(totals.items_header, items_.size());
    if (!totals.pages_header.empty()) response_.headers.add(totals.pages_header, pages());
    put(totals.items_pointer, items_.size());
    put(totals.pages_pointer, pages());
  }

  const Paging& paging_;
  const SimulatedPageRequest& request_;
  const std::vector<const Json*>& items_;
  Query query_;
  std::size_t size_ = 1;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  int status_ = 200;
  Json body_ = {};
  Response response_ = {};
};

}  // namespace

bool is_paging_parameter(const Paging& paging, std::string_view name) {
  return name == paging.size_parameter || name == parameter_of(paging.style);
}

Response simulated_page(const Paging& paging, const SimulatedPageRequest& request,
                        const std::vector<const nlohmann::json*>& items) {
  return Page(paging, request, items).response();
}

}}}  // namespace noun::testing
