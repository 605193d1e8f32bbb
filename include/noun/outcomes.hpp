#pragma once
/// @file
/// The results of many operations that run at once, in the order of the operations.
///
///     std::vector<noun::Operation<noun::Json>> changes;
///     for (int id = 1; id <= 100; ++id) changes.push_back(noun::op::update(tasks[id], noun::Json{{"done", true}}));
///     for (auto& changed : api.run_all(changes, {.in_flight = 8}))
///       if (!changed) report(changed.error());

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <noun/operation.hpp>
#include <noun/result.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// How many operations run at once.
struct RunOptions {
  /// The maximum, including results that were not read yet; 0 to 1,000,000, where 0 means 1. The quota may allow fewer.
  /// If it is out of range, each operation returns `invalid_argument`, and nothing is sent.
  std::size_t in_flight = 16;
};

namespace detail {

/// Runs operations in the background, several at a time. Used by one thread at a time.
class NOUN_API OutcomeSource {
 public:
  /// Returns the next operation; nothing after the last.
  using Next = std::function<std::optional<ErasedOperation>()>;

  /// Sends nothing.
  OutcomeSource(Next next, RunOptions options);
  /// @{
  /// Move-only. The destructor cancels what is in flight.
  OutcomeSource(OutcomeSource&&) noexcept;
  OutcomeSource& operator=(OutcomeSource&&) noexcept;
  ~OutcomeSource();
  /// @}

  /// Returns the result of the next operation, in their order; nothing after the last. Waits for it.
  std::optional<ErasedResult> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace detail

/// The results of many operations as a single-pass input range of Result<T>, in the order of the operations. An error
/// is one element among the others. Nothing is sent before begin(); each step starts the next operation. Move-only; the
/// destructor cancels what is in flight: a write may then have been applied or not. Responses are decoded on a thread
/// of noun, one after the other. A move invalidates the iterators.
/// @threadsafety  used by one thread at a time; not by a callback of the client that runs them, if it was started
///                elsewhere.
template <class T>
class Outcomes {
 public:
  /// A single-pass input iterator (std::input_iterator); all iterators are the same position.
  /// @threadsafety  used by one thread at a time, with its range.
  class iterator {
   public:
    /// @{
    /// Required by std::iterator_traits.
    using value_type = Result<T>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;
    /// @}

    /// @{
    /// A default-constructed iterator may only be assigned to.
    iterator() = default;
    explicit iterator(Outcomes* outcomes) : outcomes_(outcomes) {}
    /// @}

    /// The result; waits for it.
    value_type& operator*() const { return outcomes_->fetch(), *outcomes_->current_; }
    /// As `*`.
    value_type* operator->() const { return &**this; }
    /// @{
    /// Advances to the next result.
    iterator& operator++() {
      outcomes_->fetch();
      outcomes_->current_.reset();
      return *this;
    }
    void operator++(int) { ++*this; }
    /// @}
    /// Whether there are no more; waits for the next result if that is not known.
    bool operator==(std::default_sentinel_t) const { return !outcomes_->fetch(); }

   private:
    Outcomes* outcomes_ = nullptr;
  };

  /// The results of these operations.
  Outcomes(std::vector<Operation<T>> operations, RunOptions options)
      : source_(
            [operations = std::move(operations),
             at = std::size_t{0}]() mutable -> std::optional<detail::ErasedOperation> {
              if (at == operations.size()) return std::nullopt;
              auto operation = detail::OperationAccess::erase(operations[at]);
              ++at;  // last: the line before may run out of memory
              return operation;
            },
            options) {}

  /// Resumes at the current position.
  iterator begin() & { return iterator(this); }
  /// Compares equal at the end.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  bool fetch() {
    if (current_) return true;
    auto outcome = source_.next();
    if (!outcome) return false;
    current_.emplace(detail::OperationAccess::result_of<T>(*std::move(outcome)));
    return true;
  }

  detail::OutcomeSource source_;
  std::optional<Result<T>> current_;
};

}}  // namespace noun
