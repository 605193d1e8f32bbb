#include "decision/resumption.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "decision/classify.hpp"
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

std::optional<wire::ContentRange> byte_range_of(const Headers& headers) {
  const auto fields = headers.values("Content-Range");
  return fields.size() == 1 ? wire::read_byte_range(fields.front()) : std::nullopt;
}

bool is_whole(const wire::ContentRange& range) noexcept {
  return range.span && range.span->first == 0 && range.total && range.span->last + 1 == *range.total;
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

bool names_byte_part(const Headers& headers) {
  const auto fields = headers.values("Content-Range");
  if (std::none_of(fields.begin(), fields.end(), wire::has_byte_unit)) return false;
  const auto range = byte_range_of(headers);
  return !(range && is_whole(*range));
}

void Resumption::add_fields(Headers& headers) {
  asked_for_range_ = received_ > 0 && resumable();
  if (!asked_for_range_) return;
  headers.set("Range", fmt::format("bytes={}-", received_));
  headers.set("If-Range", validator_);
}

std::variant<BodyPlace, BodyFault> Resumption::on_head(const Response& head, WallTime now) {
  if (!is_success(head.status)) return BodyPlace::response;
  if (head.status == 204 || head.status == 205)
    return BodyFault{Errc::no_content, fmt::format("the server responded {}: there is no body to download",
                                                       head.status)};
  if (head.status == accepted_status)
    return BodyFault{Errc::no_content,
                         fmt::format("it is not there yet: the server responded {}", status_text(head.status)),
                         head.headers.contains("Location") ? "Client::follow() reads the Location, which reports on it"
                                                           : "download it later"};
  if (auto fault = fault_of_coding(head.headers)) return *std::move(fault);
  const bool is_part =
      names_byte_part(head.headers) || (head.status == 206 && !is_range_ && !byte_range_of(head.headers));
  return is_part ? on_part(head) : on_whole(head, now);
}

std::variant<BodyPlace, BodyFault> Resumption::on_whole(const Response& head, WallTime now) {
  const bool again = received_ > 0;
  if (again && !can_restart_) {
    validator_.clear();
    return BodyFault{Errc::truncated, "the server sent the body from its start again"};
  }
  const auto range = byte_range_of(head.headers);
  const auto size = declared_size(head.headers);
  if (range && size && size != range->total)
    return BodyFault{Errc::protocol, "Content-Length and Content-Range contradict each other"};
  started_ = true;
  is_open_ = false;
  received_ = 0;
  restarted_ += again ? 1 : 0;
  end_ = total_ = range ? range->total : size;
  validator_ = strong_validator(head.headers, now);
  if (const auto ranges = head.headers.get("Accept-Ranges"); ranges && same_name(*ranges, "none")) validator_.clear();
  if (total_)
    if (auto fault = fault_of_size(*total_)) return *std::move(fault);
  return BodyPlace::start;
}

std::variant<BodyPlace, BodyFault> Resumption::on_part(const Response& head) {
  const auto range = byte_range_of(head.headers);
  const auto size = declared_size(head.headers);
  const auto validator = head.headers.get(is_strong(validator_) ? "ETag" : "Last-Modified");
  const bool right = asked_for_range_ && range && range->span && range->span->first == received_ &&
                     (!range->total || range->span->last < *range->total) &&
                     (!range->total || !total_ || *range->total == *total_) &&
                     (!size || *size == range->span->last - range->span->first + 1) &&
                     (!validator || *validator == validator_);
  if (!right) {
    validator_.clear();  // The next attempt requests the whole body.
    return BodyFault{Errc::protocol, asked_for_range_
                                             ? "the server responded with another part of the body than requested"
                                             : "the server responded with a part of the body, which was not requested"};
  }
  ++resumed_;
  if (range->total) total_ = range->total;
  end_ = range->span->last + 1;
  is_open_ = !total_;
  if (auto fault = fault_of_size(total_.value_or(*end_))) return *std::move(fault);
  return BodyPlace::end;
}

std::optional<BodyFault> Resumption::on_bytes(std::size_t count) {
  const auto size = received_ + count;
  if (end_ && size > *end_)
    return BodyFault{Errc::protocol, "the body is longer than the server declared"};
  if (auto fault = fault_of_size(size)) return fault;
  received_ = size;
  progressed_ = progressed_ || received_ > furthest_;
  furthest_ = std::max(furthest_, received_);
  return std::nullopt;
}

Unsatisfiable Resumption::on_unsatisfiable(const Headers& headers) {
  if (!asked_for_range_) return Unsatisfiable::refused;
  const auto range = byte_range_of(headers);
  const auto total = range && !range->span ? range->total : std::nullopt;
  const bool is_cut = end_ && received_ < *end_;
  if (!is_cut && (total ? total == received_ && total_.value_or(*total) == *total : is_open_)) {
    total_ = received_;
    return Unsatisfiable::complete;
  }
  validator_.clear();
  return can_restart_ ? Unsatisfiable::restart : Unsatisfiable::refused;
}

Continuation::Next Resumption::on_end() {
  if (complete()) return Next::nothing;
  return progressed_ ? Next::at_once : Next::retry;
}

BodyFault Resumption::early_end() const {
  return {Errc::protocol, "the server responded without the rest of the body",
          "report it to the API's owner, or check the proxies in between"};
}

BodyFault Resumption::stuck_fault() const {
  return {Errc::truncated, fmt::format("the rest cannot be requested after {} bytes were delivered", received_),
          "download to a file, which can start again"};
}

bool Resumption::take_progress() noexcept { return std::exchange(progressed_, false); }

std::optional<BodyFault> Resumption::fault_of_size(std::uint64_t size) const {
  if (!max_bytes_ || size <= *max_bytes_) return std::nullopt;
  return BodyFault{Errc::too_large, fmt::format("the body exceeds max_bytes ({} bytes)", *max_bytes_),
                       "raise DownloadOptions::max_bytes"};
}

}}  // namespace noun
