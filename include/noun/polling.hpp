#pragma once
/// @file
/// How one API reports on long-running operations: Dialect::polling, for Client::finish().

#include <iosfwd>
#include <string>
#include <string_view>

#include <noun/text.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// What Polling::monitor points to in the first response.
enum class MonitorForm {
  url,   ///< a URL, or a reference relative to that of the response
  path,  ///< a path below the client's base URL
  id,    ///< the id of an item in the collection that the request was sent to
};

/// Where the result of an operation is, if Polling::result_url does not say it.
enum class ResultFrom {
  monitor,   ///< in the monitor's last response
  location,  ///< at the Location of the monitor's last response, or else at that of the first one, if it is not the
             ///< monitor; or else at the request's URL, with its query, if the first response was not a 202; or else as
             ///< `monitor`
};

/// @{
/// The enumerator's name, as it is written here.
/// @threadsafety  safe; the operator as the stream.
NOUN_API std::string_view to_string(MonitorForm form) noexcept;
NOUN_API std::string_view to_string(ResultFrom from) noexcept;
NOUN_API std::ostream& operator<<(std::ostream& out, MonitorForm form);
NOUN_API std::ostream& operator<<(std::ostream& out, ResultFrom from);
/// @}

/// How an API reports on long-running operations. The monitor is the URL that is requested until the operation has
/// ended. The default is the plain convention: 202 with Location while it runs; then another 2xx with the result, or a
/// 303 to it. A 202 from the URL of the result means that it is not there yet: it is requested again. Pointers are JSON
/// pointers (RFC 6901).
struct Polling {
  /// The response headers that may name the monitor; the first that is present counts. Location and Content-Location do
  /// so in a 202 only. Any other, in the first response, means that the operation runs.
  TextList monitor_headers = {"Operation-Location", "Azure-AsyncOperation", "Location", "Content-Location"};
  /// Where the first response names the monitor, if none of its headers does; empty: nowhere.
  std::string monitor = {};
  MonitorForm monitor_form = MonitorForm::url;  ///< what `monitor` points to
  /// Whether the request's own URL is the monitor, if nothing names another one.
  bool monitor_is_request = false;
  /// Where the monitor reports the state: a text, a number or a boolean. Empty: by the status, 202 while it runs.
  std::string status = {};
  /// @{
  /// The values at `status` that end the operation, compared without case. With any other value it runs.
  TextList done = {};
  TextList failed = {};
  TextList cancelled = {};
  /// @}
  /// Whether the operation runs while there is nothing at `status`; otherwise the HTTP status counts.
  bool runs_without_status = false;
  /// Where the monitor reports the error of a failed operation. If there is something, an operation that is `done` has
  /// failed.
  std::string error = {};
  /// Where the result is in the monitor's last response; empty: all of it.
  std::string result = {};
  /// Where the monitor's last response has the URL of the result; empty: nowhere.
  std::string result_url = {};
  ResultFrom result_from = ResultFrom::monitor;  ///< where the result is without `result_url`
  /// Where the monitor reports how much is done: a number, 0 to 100 percent.
  std::string percent = {};
  /// The header that says how many milliseconds to wait; read before the dialect's Retry-After. Empty for none.
  std::string wait_milliseconds = {};

  /// Whether all parts are equal.
  friend bool operator==(const Polling&, const Polling&) = default;
};

/// Presets of Dialect::polling. A date says when a source was read.
namespace polling {

/// RFC 9110: 202 with Location and Retry-After; then the result, or a 303 to it.
/// @source RFC 9110, sections 15.3.3 and 15.4.4.
NOUN_API Polling plain();
/// Azure: Operation-Location, Azure-AsyncOperation or Location; the result as ResultFrom::location, or at
/// `resourceLocation`.
/// @source https://learn.microsoft.com/en-us/azure/azure-resource-manager/management/async-operations (2026-11-28)
NOUN_API Polling azure();
/// Google APIs: the body is an Operation, whose `name` is the monitor, with `done`, `error` and `response`.
/// @source https://google.aip.dev/151,
///         https://developers.google.com/streetview/publish/reference/rpc/google.longrunning (2026-11-28)
NOUN_API Polling google();
/// OpenAI: responses in the background, batches, fine-tuning jobs, videos. The item is the monitor and the result.
/// @source github.com/openai/openai-python, src/openai/resources/vector_stores/file_batches.py (2026-11-28)
NOUN_API Polling openai();
/// GitHub's statistics of a repository: 202 until they are computed. A 204 is empty and final.
/// @source https://docs.github.com/en/rest/metrics/statistics (2026-11-28)
NOUN_API Polling github_statistics();

}  // namespace polling

}}  // namespace noun
