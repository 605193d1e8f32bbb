#include "loop/download_sink.hpp"

#include <chrono>
#include <utility>

namespace noun { inline namespace v0 {
namespace {

constexpr auto between_reports = std::chrono::milliseconds(100);

Error error_of(DownloadFault fault) {
  return Error({.code = fault.code,
                .what = std::move(fault.what),
                .advice = std::move(fault.advice),
                .sent = Sent::answered,
                .retryable = fault.would_repeat ? Retryable::no : Retryable::by_code});
}

}  // namespace

Result<bool> DownloadSink::begin(const Response& head) {
  auto place = resumption_.on_head(head, clock_.now().wall);
  if (auto* fault = std::get_if<DownloadFault>(&place)) return error_of(std::move(*fault));
  if (std::get<BodyPlace>(place) == BodyPlace::response) return false;
  if (file_ && std::get<BodyPlace>(place) == BodyPlace::start)
    if (auto emptied = file_->restart(); !emptied) return std::move(emptied).error();
  return true;
}

Result<void> DownloadSink::write(std::string_view bytes) {
  if (auto fault = resumption_.on_bytes(bytes.size())) return error_of(*std::move(fault));
  auto written = file_ ? file_->write(bytes) : function_(bytes);
  if (!written) return written;
  if (!on_progress) return {};
  const auto now = clock_.now();
  if (reported_at_ == Instant::min() || now.steady - reported_at_ >= between_reports) report(now);
  return {};
}

void DownloadSink::report(Now now) {
  if (!on_progress || reported_ == resumption_.received()) return;
  reported_at_ = now.steady;
  reported_ = resumption_.received();
  on_progress(now);
}

}}  // namespace noun
