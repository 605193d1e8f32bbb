#pragma once
/// @file
/// The progress of a download: what to request next, and what to do with the body of a response.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <noun/error.hpp>
#include <noun/http.hpp>
#include <noun/time.hpp>

#include "decision/continuation.hpp"

namespace noun { inline namespace v0 {

/// Returns the field value that identifies these bytes of the resource, for If-Range: a strong ETag; or Last-Modified
/// if there is no ETag and Date is at least a second later. Empty if there is none.
/// @param now  completes dates with a year of two digits.
/// @source RFC 9110, sections 8.8.2.2, 8.8.3 and 13.1.5.
std::string strong_validator(const Headers& headers, WallTime now);

/// Whether Content-Range says that the body is a part in bytes, and not all: whatever the status is.
/// @source RFC 9110, section 14.4, gives the field a meaning in 206 and 416 alone; servers and proxies send it in 200.
bool names_byte_part(const Headers& headers);

/// Where the body of a response goes.
enum class BodyPlace {
  response,  ///< into the response: it is not what is downloaded
  start,     ///< to the start of the download, in place of all that was received
  end,       ///< after what was received
};

/// One download, over all its attempts.
class Resumption final : public Continuation {
 public:
  /// @param can_restart  whether what was received can be taken back, as in a file.
  /// @param method       of the request: only a GET can be resumed.
  /// @param is_range     whether the request has a Range of its own, in another unit than bytes. Then a 206 is what was
  ///                     asked for, and it cannot be resumed.
  Resumption(Method method, bool can_restart, std::optional<std::uint64_t> max_bytes, bool is_range = false) noexcept
      : is_get_(method == Method::get), is_range_(is_range), can_restart_(can_restart), max_bytes_(max_bytes) {}

  /// Adds Range and If-Range to the next attempt, if it resumes.
  void add_fields(Headers& headers) override;
  /// The head of a response arrived.
  std::variant<BodyPlace, BodyFault> on_head(const Response& head, WallTime now);
  /// Bytes of its body arrived. A fault means that they must not be written.
  std::optional<BodyFault> on_bytes(std::size_t count);
  /// A 416 arrived.
  Unsatisfiable on_unsatisfiable(const Headers& headers) override;
  Next on_end() override;
  BodyFault early_end() const override;

  /// Whether all bytes have been received, if the last response was complete. After a part of an unknown total there may
  /// be more, until a request for it is unsatisfiable.
  bool complete() const noexcept { return started_ && (total_ ? received_ == *total_ : !is_open_); }
  /// Whether no attempt can go on: bytes were delivered that can neither be continued nor taken back.
  bool stuck() const noexcept override { return received_ > 0 && !can_restart_ && !resumable(); }
  BodyFault stuck_fault() const override;
  /// Whether bytes beyond the furthest so far were received since the last call of this function.
  bool take_progress() noexcept override;

  std::uint64_t received() const noexcept override { return received_; }
  /// The size of the whole, if it is known.
  std::optional<std::uint64_t> total() const noexcept override { return total_; }
  /// How many attempts continued, and how many started again.
  int resumed() const noexcept { return resumed_; }
  int restarted() const noexcept { return restarted_; }

 private:
  bool resumable() const noexcept { return is_get_ && !is_range_ && !validator_.empty(); }
  std::variant<BodyPlace, BodyFault> on_whole(const Response& head, WallTime now);
  std::variant<BodyPlace, BodyFault> on_part(const Response& head);
  std::optional<BodyFault> fault_of_size(std::uint64_t size) const;

  bool is_get_;
  bool is_range_;
  bool can_restart_;
  std::optional<std::uint64_t> max_bytes_;
  std::string validator_;
  std::uint64_t received_ = 0;
  /// The most that was received in any attempt.
  std::uint64_t furthest_ = 0;
  std::optional<std::uint64_t> total_;
  /// Where the body of the current response ends, if that is known.
  std::optional<std::uint64_t> end_;
  bool started_ = false;
  /// Whether the last part did not say how long the whole is.
  bool is_open_ = false;
  bool asked_for_range_ = false;
  bool progressed_ = false;
  int resumed_ = 0;
  int restarted_ = 0;
};

}}  // namespace noun
