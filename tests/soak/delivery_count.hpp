#pragma once
// Counts how often each of a number of items was delivered, and whether they were in order.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace soak {

/// The id of the item with this number, from 0: `x` and seven digits.
std::string id_of(std::size_t number);

class DeliveryCount {
 public:
  explicit DeliveryCount(std::size_t items) : times_(items) {}

  void add(std::string_view id);

  std::size_t items() const { return times_.size(); }
  /// Distinct items delivered.
  std::size_t present() const { return present_; }
  /// Items never delivered.
  std::size_t lost() const { return items() - present_; }
  /// Repeated deliveries.
  std::size_t doubled() const { return doubled_; }
  /// Items delivered after one with a higher number.
  std::size_t misplaced() const { return misplaced_; }
  /// Delivered ids that do not exist.
  std::size_t strange() const { return strange_; }
  bool is_perfect() const { return lost() == 0 && doubled_ == 0 && misplaced_ == 0 && strange_ == 0; }

 private:
  std::vector<std::uint32_t> times_;
  std::size_t present_ = 0;
  std::size_t doubled_ = 0;
  std::size_t misplaced_ = 0;
  std::size_t strange_ = 0;
  std::size_t after_last_ = 0;
};

}  // namespace soak
