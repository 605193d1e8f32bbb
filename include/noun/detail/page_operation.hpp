#pragma once
/// @file
/// The next page of a listing as an operation. Not for programs: noun::op::next_page() is made of it.

#include <memory>
#include <optional>
#include <utility>

#include <noun/detail/listing_state.hpp>
#include <noun/listing.hpp>
#include <noun/operation.hpp>
#include <noun/result.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// Fetches the next page of a listing: claim(), begin(), accept() of what source() returns until is_ready(), take(),
/// and release().
/// @threadsafety  claim() and release() are safe; the rest belongs to who has claimed it.
class NOUN_API PageOperation : public Work {
 public:
  Result<void> perform(ClientCore& core, const Address& address, const Reader& reader) override;
  void start(const std::shared_ptr<Work>& self, BackgroundCall& call, const Address& address) override;

  /// Whether no other operation of the listing is running; if so, this one is, until release().
  virtual bool claim() noexcept = 0;
  virtual void release() noexcept = 0;
  virtual PageSource& source() noexcept = 0;
  virtual void begin() noexcept = 0;
  /// Whether the page can be taken. Fetches nothing.
  virtual bool is_ready() = 0;
  virtual void accept(Result<std::optional<RawPage>> page) = 0;
  /// Sets the target, a `std::optional<std::optional<Page<T>>>`, or returns the error.
  virtual Result<void> take(void* target) = 0;
};

/// The next page of a listing of T.
template <class T>
class NextPage final : public PageOperation {
 public:
  explicit NextPage(std::shared_ptr<ListingState<T>> state) : state_(std::move(state)) {}

  bool claim() noexcept override { return state_->claim(); }
  void release() noexcept override { state_->release(); }
  PageSource& source() noexcept override { return state_->source(); }
  void begin() noexcept override { state_->begin(); }
  bool is_ready() override { return state_->is_ready(); }
  void accept(Result<std::optional<RawPage>> page) override { state_->accept(std::move(page)); }
  Result<void> take(void* target) override {
    auto& into = static_cast<std::optional<std::optional<Page<T>>>*>(target)->emplace();
    if (!state_->has_page()) return {};
    auto page = state_->take_page();
    if (!page) return std::move(page).error();
    // The page counts as delivered: nothing may fail from here on.
    auto response = page.shared_response();
    into = *std::move(page);
    return Result<void>(std::move(response));
  }

 private:
  std::shared_ptr<ListingState<T>> state_;
};

}}}  // namespace noun::detail
