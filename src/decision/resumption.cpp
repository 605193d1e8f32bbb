#include "decision/resumption.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/content_range.hpp"
#include "wire/http_date.hpp"
#include "wire/integer.hpp"

namespace noun { inline namespace v0 {
namespace {

/// The declared size of a body; nothing if the fields do not say it.
std::optional<std::uint64_t> declared_size(const Headers& headers) {
  const auto length = headers.get("Content-Length");
  if (!length || headers.contains("Transfer-Encoding")) return std::nullopt;
  return wire::read_integer<std::uint64_t>(wire::trimmed(*length));
}

bool is_strong(std::string_view etag) noexcept {
  return etag.size() >= 2 && etag.front() == '"' && etag.back() == '"';
}

}  // namespace

std::string strong_validator(const Headers& headers, WallTime now) {
  if (headers.contains("ETag")) {
    const auto etags = headers.values("ETag");
    return std::string(etags.size() == 1 && is_strong(etags.front()) ? etags.front() : std::string_view{});
  }
  const auto modified = headers.get("Last-Modified");
  const auto date = headers.get("Date");
  if (!modified || !date) return {};
  const auto changed = wire::parse_http_date(*modified, now);
  const auto sent = wire::parse_http_date(*date, now);
  const bool strong = changed && sent && *sent - *changed >= std::chrono::seconds(1);
  return std::string(strong ? *modified : std::string_view{});
}

void Resumption::add_fields(Headers& headers) {
  asked_for_range_ = received_ > 0 && resumable();
  if (!asked_for_range_) return;
  headers.set("Range", fmt::format("bytes={}-", received_));
  headers.set("If-Range", validator_);
}

std::variant<BodyPlace, DownloadFault> Resumption::on_head(const Response& head, WallTime now) {
  if (head.status < 200 || head.status > 299) return BodyPlace::response;
  if (head.status == 204 || head.status == 205)
    return DownloadFault{Errc::no_content, fmt::format("the server responded {}: there is no body to download",
                                                       head.status)};
  return head.status == 206 ? on_part(head) : on_whole(head, now);
}

std::variant<BodyPlace, DownloadFault> Resumption::on_whole(const Response& head, WallTime now) {
  const bool again = received_ > 0;
  if (again && !can_restart_) {
    validator_.clear();
    return DownloadFault{Errc::truncated, "the server sent the body from its start again"};
  }
  started_ = true;
  received_ = 0;
  restarted_ += again ? 1 : 0;
  end_ = total_ = declared_size(head.headers);
  validator_ = strong_validator(head.headers, now);
  if (const auto ranges = head.headers.get("Accept-Ranges"); ranges && same_name(*ranges, "none")) validator_.clear();
  if (total_)
    if (auto fault = fault_of_size(*total_)) return *std::move(fault);
  return BodyPlace::start;
}

std::variant<BodyPlace, DownloadFault> Resumption::on_part(const Response& head) {
  const auto fields = head.headers.values("Content-Range");
  const auto range = fields.size() == 1 ? wire::read_byte_range(fields.front()) : std::nullopt;
  const auto size = declared_size(head.headers);
  const auto etag = head.headers.get("ETag");
  const bool right = asked_for_range_ && range && range->span && range->span->first == received_ &&
                     (!range->total || range->span->last < *range->total) &&
                     (!range->total || !total_ || *range->total == *total_) &&
                     (!size || *size == range->span->last - range->span->first + 1) &&
                     (!etag || validator_.front() != '"' || *etag == validator_);
  if (!right) {
    validator_.clear();  // The next attempt requests the whole body.
    return DownloadFault{Errc::protocol, asked_for_range_
                                             ? "the server responded with another part of the body than requested"
                                             : "the server responded with a part of the body, which was not requested"};
  }
  ++resumed_;
  if (range->total) total_ = range->total;
  end_ = range->span->last + 1;
  if (auto fault = fault_of_size(total_.value_or(*end_))) return *std::move(fault);
  return BodyPlace::end;
}

std::optional<DownloadFault> Resumption::on_bytes(std::size_t count) {
  const auto size = received_ + count;
  if (end_ && size > *end_)
    return DownloadFault{Errc::protocol, "the body is longer than the server declared"};
  if (auto fault = fault_of_size(size)) return fault;
  received_ = size;
  progressed_ = progressed_ || count > 0;
  return std::nullopt;
}

bool Resumption::on_unsatisfiable() {
  if (!asked_for_range_) return false;
  validator_.clear();
  return can_restart_;
}

bool Resumption::take_progress() noexcept { return std::exchange(progressed_, false); }

std::optional<DownloadFault> Resumption::fault_of_size(std::uint64_t size) const {
  if (!max_bytes_ || size <= *max_bytes_) return std::nullopt;
  return DownloadFault{Errc::too_large, fmt::format("the body exceeds max_bytes ({} bytes)", *max_bytes_),
                       "raise DownloadOptions::max_bytes"};
}

}}  // namespace noun
