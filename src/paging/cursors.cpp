// Styles where the response says what is next: links, cursors, URLs, and the key of the last item.
#include <fmt/format.h>

#include "paging/styles.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"
#include "wire/link.hpp"
#include "wire/page_url.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

Refuse missing_next() {
  return {Errc::protocol, "the response reports more pages, but not where they are",
          "check ClientOptions::dialect.paging.style and ClientOptions::dialect.paging.end.more_pointer"};
}

/// Cursor and NextUrl: the value, or the end, or why neither is known.
std::variant<NextValue, LastPage, Refuse> value_to_follow(const PageContext& context, const TextList& from,
                                                          std::string_view header, NextKind kind) {
  const auto more = more_of(context.page.response, context.paging.end);
  if (more == More::no) return LastPage{};
  auto next = next_value(context.page.response, from, header, kind);
  if (next.kind == NextValue::Kind::unreadable)
    return Refuse{Errc::protocol, "the value for the next page in the response cannot be read", report_to_owner};
  if (next.kind != NextValue::Kind::value) {
    if (more == More::yes) return missing_next();
    return LastPage{};
  }
  if (more == More::unknown && (total_reached(context) || is_short(context))) return LastPage{};
  return next;
}

/// What an item is known by, as text and as JSON.
struct ItemKey {
  std::string text;
  std::string json;
};

std::optional<ItemKey> key_of(std::string_view item, std::string_view pointer) {
  const auto json = wire::json_at(item, pointer);
  if (!json || *json == "null") return std::nullopt;
  if (json->front() != '"') return ItemKey{std::string(*json), std::string(*json)};
  auto text = wire::json_text_at(item, pointer);
  if (!text || text->empty()) return std::nullopt;
  return ItemKey{*std::move(text), std::string(*json)};
}

}  // namespace

NextStep next_page(const paging::LinkHeader&, const PageContext& context) {
  const auto& response = context.page.response;
  const auto more = more_of(response, context.paging.end);
  if (more == More::no) return LastPage{};
  if (auto next = wire::find_link(response.headers, "next", response.url)) return PagePlace{.url = *std::move(next)};
  if (wire::is_unreadable_link(response.headers))
    return Refuse{Errc::protocol, "the Link field cannot be parsed, so the next page is unknown",
                  report_to_owner};
  if (more == More::yes) return missing_next();
  return LastPage{};
}

NextStep next_page(const paging::Cursor& style, const PageContext& context) {
  auto next = value_to_follow(context, style.from, style.from_header, NextKind::cursor);
  if (auto* refuse = std::get_if<Refuse>(&next)) return std::move(*refuse);
  auto* value = std::get_if<NextValue>(&next);
  if (value == nullptr) return LastPage{};
  return with_cursor(context.place, context.body, style.parameter, style.into_body, value->text,
                     std::move(value->json));
}

NextStep next_page(const paging::NextUrl& style, const PageContext& context) {
  auto next = value_to_follow(context, style.from, style.from_header, NextKind::url);
  if (auto* refuse = std::get_if<Refuse>(&next)) return std::move(*refuse);
  const auto* value = std::get_if<NextValue>(&next);
  if (value == nullptr) return LastPage{};
  return PagePlace{.url = wire::resolve_reference(context.page.response.url, value->text)};
}

NextStep next_page(const paging::LastItem& style, const PageContext& context) {
  const auto more = more_of(context.page.response, context.paging.end);
  if (more == More::no) return LastPage{};
  if (context.page.items == 0) {
    if (more == More::unknown) return LastPage{};
    return Refuse{Errc::protocol, "the response reports more pages, but has no item to continue after",
                  report_to_owner};
  }
  if (more == More::unknown && (total_reached(context) || is_short(context))) return LastPage{};
  auto key = key_of(context.page.last_item, style.key);
  if (!key)
    return Refuse{Errc::protocol,
                  fmt::format("the last item of the page has no key at {}, so the next page is unknown",
                              style.key),
                  "check ClientOptions::dialect.paging.style.key"};
  return with_cursor(context.place, context.body, style.parameter, style.into_body, key->text, std::move(key->json));
}

std::optional<PagePlace> place_after(const paging::LastItem& style, std::string_view item, const PagePlace& place,
                                     const std::string& body) {
  auto key = key_of(item, style.key);
  if (!key) return std::nullopt;
  auto after = with_cursor(place, body, style.parameter, style.into_body, key->text, std::move(key->json));
  auto* there = std::get_if<PagePlace>(&after);
  return there != nullptr ? std::optional(std::move(*there)) : std::nullopt;
}

NextStep with_cursor(const PagePlace& place, const std::string& body, const std::string& parameter,
                     const std::string& into_body, std::string_view text, std::string json) {
  auto next = place;
  const bool in_body = !into_body.empty() && (!body.empty() || parameter.empty());
  if (!in_body) {
    next.url = wire::with_parameter(place.url, parameter, text);
    return next;
  }
  if (body.empty())
    return Refuse{Errc::invalid_argument, "the next cursor goes into the request body, but the listing has none",
                  "set ListOptions::body, at least to {}"};
  if (!wire::with_json_at(body, into_body, json))
    return Refuse{Errc::invalid_argument, "the next cursor cannot be put into the request body",
                  "check ListOptions::body and ClientOptions::dialect.paging.style.into_body"};
  next.cursor = std::move(json);
  return next;
}

std::optional<std::uint64_t> page_size_requested(const PageContext& context) {
  const auto& name = context.paging.size_parameter;
  if (name.empty()) return std::nullopt;
  if (const auto size = wire::parameter_of(context.place.url, name)) return wire::read_integer<std::uint64_t>(*size);
  const auto size = context.body.empty() ? std::nullopt : text_or_number_at(context.body, "/" + name);
  return size ? wire::read_integer<std::uint64_t>(*size) : std::nullopt;
}

bool total_reached(const PageContext& context) {
  if (!context.paging.end.total || !context.received) return false;
  const auto total = total_of(context.page.response, context.paging);
  return total && total->exact && total->items == *context.received;
}

bool is_short(const PageContext& context) {
  if (!context.paging.end.short_page) return false;
  if (context.page.items == 0) return true;
  const auto total = total_of(context.page.response, context.paging);
  if (total && context.received && *context.received < total->items) return false;
  const auto requested = page_size_requested(context);
  return requested && context.page.items < *requested;
}

Parameter parameter_of(const paging::Style& style) {
  struct Visitor {
    Parameter operator()(const paging::Automatic& s) const { return {s.page_parameter, {}}; }
    Parameter operator()(const paging::PageNumber& s) const { return {s.parameter, {}}; }
    Parameter operator()(const paging::Offset& s) const { return {s.parameter, s.into_body}; }
    Parameter operator()(const paging::Cursor& s) const { return {s.parameter, s.into_body}; }
    Parameter operator()(const paging::LastItem& s) const { return {s.parameter, s.into_body}; }
    Parameter operator()(const paging::SinglePage&) const { return {}; }
    Parameter operator()(const paging::LinkHeader&) const { return {}; }
    Parameter operator()(const paging::NextUrl&) const { return {}; }
    Parameter operator()(const paging::ItemRange&) const { return {}; }
    Parameter operator()(const paging::PageStrategy&) const { return {}; }
  };
  return std::visit(Visitor{}, style);
}

}}}  // namespace noun::detail
