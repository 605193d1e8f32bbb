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

struct StyleRules {
  std::string path;  ///< the member that has the style

  /// The response must have a place that reports the next page.
  Fault fault_of_source(const TextList& from, const std::string& from_header) const {
    if (from.empty() && from_header.empty()) return fmt::format("{} must have from or from_header", path);
    if (auto fault = fault_of_pointers(path + ".from", from)) return fault;
    return fault_of_names(path, {{"from_header", from_header}});
  }
  /// The request must have a place for it.
  Fault fault_of_target(const std::string& parameter, const std::string& into_body) const {
    if (parameter.empty() && into_body.empty()) return fmt::format("{} must have parameter or into_body", path);
    return fault_of_pointer(path + ".into_body", into_body);
  }

  Fault operator()(const paging::Automatic&) const { return std::nullopt; }
  Fault operator()(const paging::SinglePage&) const { return std::nullopt; }
  Fault operator()(const paging::LinkHeader&) const { return std::nullopt; }
  Fault operator()(const paging::PageNumber& style) const {
    if (style.parameter.empty()) return fmt::format("{}.parameter must be given for numbered pages", path);
    if (style.first < 0) return fmt::format("{}.first must not be negative", path);
    if (auto fault = fault_of_pointers(path + ".next", style.next)) return fault;
    return fault_of_names(path, {{"next_header", style.next_header}});
  }
  Fault operator()(const paging::Offset& style) const {
    if (style.first < 0) return fmt::format("{}.first must not be negative", path);
    return fault_of_target(style.parameter, style.into_body);
  }
  Fault operator()(const paging::Cursor& style) const {
    if (auto fault = fault_of_source(style.from, style.from_header)) return fault;
    return fault_of_target(style.parameter, style.into_body);
  }
  Fault operator()(const paging::NextUrl& style) const { return fault_of_source(style.from, style.from_header); }
  Fault operator()(const paging::LastItem& style) const {
    if (auto fault = fault_of_pointer(path + ".key", style.key)) return fault;
    return fault_of_target(style.parameter, style.into_body);
  }
  Fault operator()(const paging::ItemRange& style) const {
    return fault_of_names(path, {{"next_header", style.next_header}});
  }
  Fault operator()(const paging::PageStrategy& strategy) const {
    if (!strategy) return fmt::format("{} must not be an empty PageStrategy", path);
    return std::nullopt;
  }
};

}  // namespace

std::optional<std::string> fault_of_paging(const std::string& path, const Paging& paging) {
  if (auto fault = std::visit(StyleRules{path + ".style"}, paging.style)) return fault;
  const auto& size = paging.size_parameter;
  if (!size.empty() && size == detail::parameter_of(paging.style).name)
    return fmt::format("{}.size_parameter must differ from the parameter of its style", path);
  const NamedText pointers[] = {{"items", paging.items},
                                {"end.more_pointer", paging.end.more_pointer},
                                {"totals.items_pointer", paging.totals.items_pointer},
                                {"totals.pages_pointer", paging.totals.pages_pointer}};
  for (const auto& [member, text] : pointers)
    if (auto fault = fault_of_pointer(fmt::format("{}.{}", path, member), text)) return fault;
  for (std::size_t i = 0; i < paging.failures.size(); ++i) {
    const auto failure = fmt::format("{}.failures[{}].pointer", path, i);
    if (paging.failures[i].pointer.empty()) return failure + " must not be empty";
    if (auto fault = fault_of_pointer(failure, paging.failures[i].pointer)) return fault;
  }
  if (auto fault = fault_of_names(path + ".totals", {{"items_header", paging.totals.items_header},
                                                     {"pages_header", paging.totals.pages_header}}))
    return fault;
  return fault_of_statuses(path + ".expired_statuses", paging.expired_statuses, 400);
}

}}  // namespace noun
