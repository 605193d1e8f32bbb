#pragma once
/// @file
/// The iterator of ranges whose elements arrive one after the other.

#include <cstddef>
#include <iterator>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// A single-pass input iterator (std::input_iterator) over a range whose `fetch()` waits for the current element and
/// returns whether there is one, and whose `current_` holds it. All iterators of a range are the same position.
/// @threadsafety  used by one thread at a time, with its range.
template <class Range, class Element>
class SinglePassIterator {
 public:
  /// @{
  /// As std::iterator_traits requires.
  using value_type = Element;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;
  /// @}

  /// @{
  /// A default-constructed one may only be assigned to.
  SinglePassIterator() = default;
  explicit SinglePassIterator(Range* range) : range_(range) {}
  /// @}

  /// The element; waits for it.
  value_type& operator*() const { return range_->fetch(), *range_->current_; }
  /// As `*`.
  value_type* operator->() const { return &**this; }
  /// @{
  /// Steps over the element.
  SinglePassIterator& operator++() {
    range_->fetch();
    range_->current_.reset();
    return *this;
  }
  void operator++(int) { ++*this; }
  /// @}
  /// Whether there are no more; waits for the next element if that is not known.
  bool operator==(std::default_sentinel_t) const { return !range_->fetch(); }

 private:
  Range* range_ = nullptr;
};

}}}  // namespace noun::detail
