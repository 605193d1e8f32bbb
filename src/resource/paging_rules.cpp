#include "resource/paging_rules.hpp"

#include <fmt/format.h>

#include "paging/styles.hpp"
#include "resource/dialect_rules.hpp"

namespace noun { inline namespace v0 {
namespace {

using Fault = std::optional<std::string>;

Fault fault_of_pointers(std::string_view path, const TextList& pointers) {
  std::size_t index = 0;
  for (const auto& pointer : pointers) {
    const auto member = fmt::format("{}[{}]", path, index++);
    if (pointer.empty()) return member + " must not be empty";
    if (auto fault = fault_of_pointer(member, pointer)) return fault;
  }
  return std::nullopt;
}

/// The response must have a place that reports the next page.
Fault fault_of_source(const TextList& from, const std::string& from_header) {
  if (from.empty() && from_header.empty()) return "ClientOptions::dialect.paging.style must have from or from_header";
  if (auto fault = fault_of_pointers("ClientOptions::dialect.paging.style.from", from)) return fault;
  return fault_of_names("ClientOptions::dialect.paging.style", {{"from_header", from_header}});
}

/// The request must have a place for it.
Fault fault_of_target(const std::string& parameter, const std::string& into_body) {
  if (parameter.empty() && into_body.empty())
    return "ClientOptions::dialect.paging.style must have parameter or into_body";
  return fault_of_pointer("ClientOptions::dialect.paging.style.into_body", into_body);
}

struct StyleRules {
  Fault operator()(const paging::Automatic&) const { return std::nullopt; }
  Fault operator()(const paging::SinglePage&) const { return std::nullopt; }
  Fault operator()(const paging::LinkHeader&) const { return std::nullopt; }
  Fault operator()(const paging::PageNumber& style) const {
    if (style.parameter.empty())
      return "ClientOptions::dialect.paging.style.parameter must be given for numbered pages";
    if (style.first < 0) return "ClientOptions::dialect.paging.style.first must not be negative";
    if (auto fault = fault_of_pointers("ClientOptions::dialect.paging.style.next", style.next)) return fault;
    return fault_of_names("ClientOptions::dialect.paging.style", {{"next_header", style.next_header}});
  }
  Fault operator()(const paging::Offset& style) const {
    if (style.first < 0) return "ClientOptions::dialect.paging.style.first must not be negative";
    return fault_of_target(style.parameter, style.into_body);
  }
  Fault operator()(const paging::Cursor& style) const {
    if (auto fault = fault_of_source(style.from, style.from_header)) return fault;
    return fault_of_target(style.parameter, style.into_body);
  }
  Fault operator()(const paging::NextUrl& style) const { return fault_of_source(style.from, style.from_header); }
  Fault operator()(const paging::LastItem& style) const {
    if (auto fault = fault_of_pointer("ClientOptions::dialect.paging.style.key", style.key)) return fault;
    return fault_of_target(style.parameter, style.into_body);
  }
  Fault operator()(const paging::ItemRange& style) const {
    return fault_of_names("ClientOptions::dialect.paging.style", {{"next_header", style.next_header}});
  }
  Fault operator()(const paging::PageStrategy& strategy) const {
    if (!strategy) return "ClientOptions::dialect.paging.style must not be an empty PageStrategy";
    return std::nullopt;
  }
};

}  // namespace

std::optional<std::string> fault_of_paging(const Paging& paging) {
  if (auto fault = std::visit(StyleRules{}, paging.style)) return fault;
  const auto& size = paging.size_parameter;
  if (!size.empty() && size == detail::parameter_of(paging.style).name)
    return "ClientOptions::dialect.paging.size_parameter must differ from the parameter of its style";
  const NamedText pointers[] = {{"items", paging.items},
                                {"end.more_pointer", paging.end.more_pointer},
                                {"totals.items_pointer", paging.totals.items_pointer},
                                {"totals.pages_pointer", paging.totals.pages_pointer}};
  for (const auto& [member, text] : pointers)
    if (auto fault = fault_of_pointer(fmt::format("ClientOptions::dialect.paging.{}", member), text)) return fault;
  for (std::size_t i = 0; i < paging.failures.size(); ++i) {
    const auto path = fmt::format("ClientOptions::dialect.paging.failures[{}].pointer", i);
    if (paging.failures[i].pointer.empty()) return path + " must not be empty";
    if (auto fault = fault_of_pointer(path, paging.failures[i].pointer)) return fault;
  }
  if (auto fault = fault_of_names("ClientOptions::dialect.paging.totals", {{"items_header", paging.totals.items_header},
                                                            {"pages_header", paging.totals.pages_header}}))
    return fault;
  return fault_of_statuses("ClientOptions::dialect.paging.expired_statuses", paging.expired_statuses, 400);
}

}}  // namespace noun
