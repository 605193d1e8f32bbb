#include <noun/credentials.hpp>

#include <exception>

#include <fmt/format.h>

#include "resource/credentials_source.hpp"
#include "resource/field_rules.hpp"
#include "vocabulary/error_text.hpp"
#include "wire/base64url.hpp"

namespace noun { inline namespace v0 {
namespace {

/// A credentials function that is running, in a list of those of its thread.
class RunningFunction {
 public:
  explicit RunningFunction(const detail::CredentialsSource& source) noexcept : source_(&source), outer_(innermost) {
    innermost = this;
  }
  RunningFunction(const RunningFunction&) = delete;
  RunningFunction& operator=(const RunningFunction&) = delete;
  ~RunningFunction() { innermost = outer_; }

  static bool is(const detail::CredentialsSource* source) noexcept {
    const auto* at = innermost;
    while (at != nullptr && at->source_ != source) at = at->outer_;
    return at != nullptr;
  }

 private:
  static thread_local const RunningFunction* innermost;

  const detail::CredentialsSource* source_;
  const RunningFunction* outer_;
};

thread_local const RunningFunction* RunningFunction::innermost = nullptr;

Error function_failed(std::string_view why, std::string_view advice = {}) {
  return Error(Errc::credentials, fmt::format("the credentials function failed: {}", why), advice);
}

Result<Headers> call(const Credentials::Function& function, const CredentialsRequest& request) try {
  auto fields = function(request);
  if (!fields) return function_failed(what_of(fields.error()), fields.error().advice());
  if (auto fault = fault_of_headers(*fields)) return function_failed(*fault);
  return fields;
} catch (const std::exception& exception) {
  return function_failed(fmt::format("it threw an exception: {}", exception.what()));
} catch (...) {
  return function_failed("it threw an exception");
}

}  // namespace

namespace detail {

Credentials CredentialsAccess::make(CredentialsSource source) {
  Credentials credentials;
  credentials.source_ = std::make_shared<const CredentialsSource>(std::move(source));
  return credentials;
}

std::optional<Error> fault_of(const CredentialsSource& source, std::string_view proxy) {
  constexpr auto advice = "check the source of the credentials";
  if (const auto* tokens = std::get_if<std::shared_ptr<TokenStore>>(&source.from)) {
    const auto fault = (*tokens)->fault(proxy);
    return fault ? std::optional(refusal(Errc::invalid_argument, *fault, advice)) : std::nullopt;
  }
  const auto* fixed = std::get_if<Result<Headers>>(&source.from);
  if (fixed == nullptr) return std::nullopt;
  if (!*fixed) return refusal(Errc::invalid_argument, fixed->error().what(), advice);
  if (const auto fault = fault_of_headers(**fixed)) return refusal(Errc::invalid_argument, *fault, advice);
  return std::nullopt;
}

Result<Headers> ask(const CredentialsSource& source, const Authorize& authorize, ClientCore* token_client,
                    const StopToken& stop) {
  if (const auto* fixed = std::get_if<Result<Headers>>(&source.from)) return *fixed;
  if (const auto* tokens = std::get_if<std::shared_ptr<TokenStore>>(&source.from))
    return (*tokens)->ask(authorize, *token_client, stop);
  if (is_running(&source)) return Error(Errc::credentials, calls_itself, use_another_client);
  const RunningFunction running(source);
  return call(std::get<Credentials::Function>(source.from), authorize.request);
}

bool is_running(const CredentialsSource* source) noexcept { return RunningFunction::is(source); }

}  // namespace detail

Credentials::Credentials(Function function) {
  if (function) *this = detail::CredentialsAccess::make({std::move(function)});
}

Credentials Credentials::fixed(Headers fields) {
  return detail::CredentialsAccess::make({Result<Headers>(std::move(fields))});
}

Credentials Credentials::refused(Text why) {
  return detail::CredentialsAccess::make({Result<Headers>(Error(Errc::invalid_argument, why))});
}

bool Credentials::may_change() const noexcept {
  return source_ && !std::holds_alternative<Result<Headers>>(source_->from);
}

Credentials bearer(Text token) {
  if (token.view().empty()) return Credentials::refused("the bearer token is empty");
  return Credentials::fixed({{"Authorization", "Bearer " + token.str()}});
}

Credentials basic(Text user, Text password) {
  if (user.view().find(':') != std::string_view::npos)
    return Credentials::refused("the user name of basic credentials has a colon");
  return Credentials::fixed({{"Authorization", "Basic " + wire::base64_encode(user.str() + ":" + password.str())}});
}

Credentials header(Text name, Text value) {
  if (value.view().empty())
    return Credentials::refused(fmt::format("the credentials header {} has no value", name.view()));
  return Credentials::fixed({{name, value.view()}});
}

Credentials oauth2_client_credentials(OAuth2ClientCredentials options) {
  return detail::CredentialsAccess::make({std::make_shared<detail::TokenStore>(std::move(options))});
}

}}  // namespace noun
