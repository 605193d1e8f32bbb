#pragma once
/// @file
/// The next event of a stream as an operation. Not for programs: noun::op::next_event() is made of it.

#include <memory>
#include <optional>
#include <utility>

#include <noun/operation.hpp>
#include <noun/result.hpp>
#include <noun/stream.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// Receives the next event of a stream: claim() of source(), what its next() or take() returns to take(), and
/// release().
/// @threadsafety  take() belongs to who has claimed the source.
class NOUN_API EventOperation : public Work {
 public:
  explicit EventOperation(std::shared_ptr<StreamSource> source) : source_(std::move(source)) {}

  Result<void> perform(ClientCore& core, const Address& address, const Reader& reader) override;
  void start(const std::shared_ptr<Work>& self, BackgroundCall& call, const Address& address) override;

  StreamSource& source() const noexcept { return *source_; }
  /// Sets the target, a `std::optional<std::optional<StreamItem<T>>>`, or returns the error.
  virtual Result<void> take(void* target, StreamSource::Next next) const = 0;

 private:
  std::shared_ptr<StreamSource> source_;
};

/// The next event of a stream of T.
template <class T>
class NextEvent final : public EventOperation {
 public:
  using EventOperation::EventOperation;

  Result<void> take(void* target, StreamSource::Next next) const override {
    auto& into = static_cast<std::optional<std::optional<StreamItem<T>>>*>(target)->emplace();
    auto element = element_of<T>(source(), std::move(next));
    if (!element) return {};
    if (!*element) return std::move(*element).error();
    into = *std::move(*element);
    return {};
  }
};

}}}  // namespace noun::detail
