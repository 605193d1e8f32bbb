#include <noun/error.hpp>
#include <noun/message.hpp>

namespace noun { inline namespace v0 {

std::string_view to_string(Errc code) noexcept {
  switch (code) {
    case Errc::invalid_argument: return "invalid_argument";
    case Errc::not_found: return "not_found";
    case Errc::rate_limited: return "rate_limited";
    case Errc::unauthorized: return "unauthorized";
    case Errc::forbidden: return "forbidden";
    case Errc::conflict: return "conflict";
    case Errc::client_error: return "client_error";
    case Errc::server_error: return "server_error";
    case Errc::resolve: return "resolve";
    case Errc::connect: return "connect";
    case Errc::tls: return "tls";
    case Errc::send: return "send";
    case Errc::timeout: return "timeout";
    case Errc::truncated: return "truncated";
    case Errc::protocol: return "protocol";
    case Errc::too_large: return "too_large";
    case Errc::decode: return "decode";
    case Errc::no_content: return "no_content";
    case Errc::not_modified: return "not_modified";
    case Errc::redirected: return "redirected";
    case Errc::refused: return "refused";
    case Errc::expired_cursor: return "expired_cursor";
    case Errc::credentials: return "credentials";
    case Errc::deadline_exceeded: return "deadline_exceeded";
    case Errc::cancelled: return "cancelled";
    case Errc::resource: return "resource";
  }
  return "?";
}

std::string_view to_string(Sent sent) noexcept {
  switch (sent) {
    case Sent::no: return "no";
    case Sent::maybe: return "maybe";
    case Sent::answered: return "answered";
  }
  return "?";
}

std::string_view to_string(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::permanent: return "permanent";
    case StopReason::attempts: return "attempts";
    case StopReason::time: return "time";
    case StopReason::budget: return "budget";
    case StopReason::not_repeatable: return "not_repeatable";
    case StopReason::cancelled: return "cancelled";
  }
  return "?";
}

Error::Error(Errc code, Text message, Sent sent)
    : Error(ErrorDetails{.code = code, .message = message.str(), .sent = sent}) {}

Error::Error(ErrorDetails details) : details_(std::make_shared<const ErrorDetails>(std::move(details))) {}

Errc Error::code() const noexcept { return details_->code; }
const std::string& Error::message() const& noexcept { return details_->message; }
std::string Error::message() && { return details_->message; }
int Error::status() const noexcept { return details_->status; }
Sent Error::sent() const noexcept { return details_->sent; }
StopReason Error::stopped_because() const noexcept { return details_->stopped_because; }
int Error::attempts() const noexcept { return details_->attempts; }
Duration Error::elapsed() const noexcept { return details_->elapsed; }
std::optional<WallTime> Error::retry_at() const noexcept { return details_->retry_at; }
const std::optional<Problem>& Error::problem() const noexcept { return details_->problem; }
const RequestSummary& Error::request() const noexcept { return details_->request; }
const std::string& Error::request_id() const noexcept { return details_->request_id; }
const std::string& Error::idempotency_key() const noexcept { return details_->idempotency_key; }
const Response* Error::response() const& noexcept { return details_->response.get(); }
std::shared_ptr<const Response> Error::response() && noexcept { return details_->response; }

Exception::Exception(Error error) : error_(std::move(error)) {}
Exception::~Exception() = default;
const char* Exception::what() const noexcept { return error_.message().c_str(); }

void throw_exception(Error error) { throw Exception(std::move(error)); }

}}  // namespace noun
