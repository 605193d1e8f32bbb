#include "delivery_count.hpp"

#include <charconv>

#include <fmt/format.h>

namespace soak {

std::string id_of(std::size_t number) { return fmt::format("x{:07}", number); }

void DeliveryCount::add(std::string_view id) {
  std::size_t number = items();
  if (id.starts_with('x')) std::from_chars(id.data() + 1, id.data() + id.size(), number);
  if (number >= items() || id != id_of(number)) {
    ++strange_;
    return;
  }
  ++(times_[number]++ == 0 ? present_ : doubled_);
  if (number + 1 < after_last_) ++misplaced_;
  after_last_ = number + 1;
}

}  // namespace soak
