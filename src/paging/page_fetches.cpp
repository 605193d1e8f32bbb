#include "paging/page_fetches.hpp"

namespace noun { inline namespace v0 { namespace detail {

std::string_view FetchedPage::text() const noexcept {
  if (items.empty()) return {};
  const auto* end = items.back().data() + items.back().size();
  return {items.front().data(), static_cast<std::size_t>(end - items.front().data())};
}

std::size_t FetchedPage::bytes() const noexcept {
  const auto all = text();
  const auto& body = response->body;
  const bool is_own_text = !all.empty() && (all.data() < body.data() || all.data() >= body.data() + body.size());
  return body.size() + items.size() * sizeof(items.front()) + (is_own_text ? all.size() : 0);
}

std::size_t PageFetches::Pending::bytes() const noexcept {
  const auto* page = result ? std::get_if<FetchedPage>(&*result) : nullptr;
  return page != nullptr ? page->bytes() : reserved;
}

const PageFetches::Pending* PageFetches::resume_first() noexcept {
  auto& first = pending_.front();
  if (!std::exchange(first.postponed, false)) return nullptr;
  return &start(first);
}

const PageFetches::Pending& PageFetches::start(Pending& pending) noexcept {
  pending.id = ++last_id_;
  pending.reserved = share();
  return pending;
}

bool PageFetches::has_room_ahead(std::size_t ready, std::size_t ready_bytes) const noexcept {
  if (ready + pending_.size() >= prefetch_) return false;
  std::size_t taken = share() + ready_bytes;
  for (const auto& each : pending_) taken += each.bytes();
  return taken <= budget_;
}

void PageFetches::on_result(std::uint64_t id, Result result, bool is_next) {
  if (const auto* page = std::get_if<FetchedPage>(&result))
    pace_ = std::min(pace_.value_or(Duration::max()), page->took);
  for (auto& each : pending_)
    if (each.id == id && !postpone(each, result, is_next && &each == &pending_.front()))
      each.result = std::move(result);
}

/// Drops a page fetched ahead that is larger than its share.
bool PageFetches::postpone(Pending& pending, const Result& result, bool is_next) noexcept {
  if (!pending.ahead) return false;
  const auto* page = std::get_if<FetchedPage>(&result);
  if (page != nullptr ? is_next || page->bytes() <= pending.reserved
                      : std::get<Error>(result).code() != Errc::too_large)
    return false;
  largest_ = std::max(largest_, page != nullptr ? page->bytes() : pending.reserved);
  pending = {.place = std::move(pending.place), .postponed = true};
  return true;
}

std::optional<PageFetches::Pending> PageFetches::take_first() {
  if (pending_.empty() || !pending_.front().result) return std::nullopt;
  std::optional first = std::move(pending_.front());
  pending_.pop_front();
  if (const auto* page = std::get_if<FetchedPage>(&*first->result)) largest_ = std::max(largest_, page->bytes());
  return first;
}

}}}  // namespace noun::detail
