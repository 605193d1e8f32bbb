#include "secret_names.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace noun_export {
namespace {

constexpr std::string_view secret_wherever[] = {
    "accesskey",     "accesstoken", "apikey",    "apitoken",        "appkey",       "applicationkey",
    "authorization", "authtoken",   "bearer",    "cookie",          "credential",   "idtoken",
    "jwt",           "passphrase",  "passwd",    "password",        "privatekey",   "privatetoken",
    "refreshtoken",  "secret",      "signature", "subscriptionkey", "securitytoken"};
constexpr std::string_view secret_alone[] = {"auth",    "hapikey",   "key", "pwd",  "pass",
                                             "session", "sessionid", "sig", "token"};

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char letter : name) {
    if (letter >= 'A' && letter <= 'Z')
      letters += static_cast<char>(letter - 'A' + 'a');
    else if (std::string_view("-_.[]").find(letter) == std::string_view::npos)
      letters += letter;
  }
  return letters;
}

bool is_among(std::string_view letters, const auto& names) {
  return std::find(std::begin(names), std::end(names), letters) != std::end(names);
}

}  // namespace

bool is_secret_parameter(std::string_view name) {
  const auto letters = letters_of(name);
  return is_among(letters, secret_alone) ||
         std::any_of(std::begin(secret_wherever), std::end(secret_wherever),
                     [&](std::string_view part) { return letters.find(part) != std::string::npos; });
}

bool is_secret_header(std::string_view name) {
  const auto letters = letters_of(name);
  if (letters == "idempotencykey") return false;
  const auto contains = [&](std::string_view part) { return letters.find(part) != std::string::npos; };
  return is_secret_parameter(name) || contains("token") || contains("session") || letters.ends_with("key") ||
         letters.ends_with("auth");
}

}  // namespace noun_export
