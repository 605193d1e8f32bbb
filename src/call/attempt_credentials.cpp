#include "call/attempt_credentials.hpp"

#include "call/redaction.hpp"

namespace noun { inline namespace v0 {

std::vector<std::string> AttemptCredentials::use(Headers credentials, const Headers& request) {
  std::vector<std::string> replaced;
  if (credentials_ != credentials)
    for (auto& secret : secrets_in(credentials_)) replaced.push_back(std::move(secret.text));
  credentials_ = std::move(credentials);
  if (credentials_.empty()) return replaced;
  fields_ = request;
  for (const auto& field : credentials_) fields_.set(field.name, field.value);
  return replaced;
}

void AttemptCredentials::on_sent() noexcept {
  waited_.reset();
  reason_ = CredentialsReason::retry;
  rejected_.clear();
}

void AttemptCredentials::on_rejected() {
  reason_ = CredentialsReason::unauthorized;
  rejected_ = credentials_;
}

}}  // namespace noun
