#pragma once
/// @file
/// Finds the items of a page in its answer.

#include <cstddef>
#include <string_view>
#include <vector>

#include <noun/codec.hpp>
#include <noun/dialect.hpp>
#include <noun/message.hpp>

namespace noun { inline namespace v0 {

/// The target of a noun::Reader.
struct PageItems {
  const PagingConvention& convention;
  /// Its number, for what is said of it.
  std::size_t page;
  /// Views into the answer's body.
  std::vector<std::string_view> items;

  /// As Reader::read.
  static bool read(void* target, const Response& answer, std::size_t json_depth, DecodeFault& fault);
};

}}  // namespace noun
