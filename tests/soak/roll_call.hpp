#pragma once
// How often each of so many numbered items came, and whether they came in order.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace soak {

/// The id of an item, by its number from 0: `x` and the number.
std::string id_of(std::size_t number);

class RollCall {
 public:
  explicit RollCall(std::size_t items) : times_(items) {}

  void call(std::string_view id);

  std::size_t items() const { return times_.size(); }
  /// Different ones that came.
  std::size_t present() const { return present_; }
  /// That never came.
  std::size_t lost() const { return items() - present_; }
  /// That came once more.
  std::size_t doubled() const { return doubled_; }
  /// That came behind one with a higher number.
  std::size_t misplaced() const { return misplaced_; }
  /// That are none of the items.
  std::size_t strange() const { return strange_; }
  bool is_perfect() const { return lost() == 0 && doubled_ == 0 && misplaced_ == 0 && strange_ == 0; }

 private:
  std::vector<std::uint32_t> times_;
  std::size_t present_ = 0;
  std::size_t doubled_ = 0;
  std::size_t misplaced_ = 0;
  std::size_t strange_ = 0;
  std::size_t behind_last_ = 0;
};

}  // namespace soak
