#include "resource/page_items.hpp"

#include <fmt/format.h>

#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 {

bool PageItems::read(void* target, const Response& answer, std::size_t json_depth, DecodeFault& fault) {
  auto& self = *static_cast<PageItems*>(target);
  if (answer.status == 204 || answer.status == 205) return true;
  if (answer.body.empty()) {
    fault = {Errc::no_content, fmt::format("page {} came without a body", self.page),
             "a page without items is an empty list, or the status 204: tell the service's owner"};
    return false;
  }
  if (nested_deeper(answer.body, json_depth)) {
    fault = {Errc::too_large,
             fmt::format("page {} is nested deeper than limits.json_depth ({})", self.page, json_depth),
             "raise it if the service is trusted"};
    return false;
  }
  const auto& pointer = self.convention.items_pointer;
  auto scanned = wire::json_elements(answer.body, pointer);
  self.items = std::move(scanned.elements);
  if (!scanned.error && scanned.absent && !self.convention.items_may_be_absent) {
    fault.what = fmt::format("page {} has nothing at {}", self.page, pointer);
    fault.text = answer.body;
    fault.advice =
        "check dialect.paging.items_pointer, or set items_may_be_absent if the service leaves out what is empty";
    return false;
  }
  if (!scanned.error) return true;
  fault.what = fmt::format("page {} is not a list of items: {}", self.page, scanned.error->what);
  fault.text = answer.body;
  fault.advice = "check the path, and where the dialect says that the items are";
  return false;
}

}}  // namespace noun
