#include <noun/polling.hpp>

#include <ostream>

namespace noun { inline namespace v0 {

std::string_view to_string(MonitorForm form) noexcept {
  switch (form) {
    case MonitorForm::url: return "url";
    case MonitorForm::path: return "path";
    case MonitorForm::id: return "id";
  }
  return "?";
}

std::string_view to_string(ResultFrom from) noexcept {
  switch (from) {
    case ResultFrom::monitor: return "monitor";
    case ResultFrom::location: return "location";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, MonitorForm form) { return out << to_string(form); }
std::ostream& operator<<(std::ostream& out, ResultFrom from) { return out << to_string(from); }

namespace polling {

Polling plain() { return {}; }

Polling azure() {
  return {.status = "/status",
          .done = {"Succeeded"},
          .failed = {"Failed"},
          .cancelled = {"Canceled", "Cancelled"},
          .error = "/error",
          .result_url = "/resourceLocation",
          .result_from = ResultFrom::location,
          .percent = "/percentComplete",
          .wait_milliseconds = "Retry-After-Ms"};
}

Polling google() {
  return {.monitor_headers = {},
          .monitor = "/name",
          .monitor_form = MonitorForm::path,
          .status = "/done",
          .done = {"true"},
          .runs_without_status = true,
          .error = "/error",
          .result = "/response",
          .percent = "/metadata/progressPercent"};
}

Polling openai() {
  return {.monitor_headers = {},
          .monitor = "/id",
          .monitor_form = MonitorForm::id,
          .status = "/status",
          .done = {"completed", "succeeded", "incomplete"},
          .failed = {"failed", "expired"},
          .cancelled = {"cancelled"},
          .error = "/error",
          .percent = "/progress",
          .wait_milliseconds = "openai-poll-after-ms"};
}

Polling github_statistics() { return {.monitor_headers = {}, .monitor_is_request = true}; }

}  // namespace polling

}}  // namespace noun
