#include <noun/credentials.hpp>

#include <exception>

#include <fmt/format.h>

#include "resource/field_rules.hpp"
#include "wire/base64url.hpp"

namespace noun { inline namespace v0 {

Credentials Credentials::fixed(Headers fields) {
  Credentials credentials([fields = std::move(fields)](int) -> Result<Headers> { return fields; });
  credentials.may_change_ = false;
  return credentials;
}

Credentials Credentials::refused(Text why) {
  Credentials credentials([error = Error(Errc::invalid_argument, why)](int) -> Result<Headers> { return error; });
  credentials.may_change_ = false;
  return credentials;
}

Result<Headers> Credentials::fields(int attempt) const {
  if (!function_) return Headers{};
  try {
    auto fields = function_(attempt);
    if (!fields) return fields;
    if (auto fault = fault_of_headers(*fields)) return Error(Errc::credentials, *fault);
    return fields;
  } catch (const std::exception& exception) {
    return Error(Errc::credentials, fmt::format("it threw an exception: {}", exception.what()));
  } catch (...) {
    return Error(Errc::credentials, "it threw an exception");
  }
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

}}  // namespace noun
