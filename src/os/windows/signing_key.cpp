#include "os/signing_key.hpp"

namespace noun { inline namespace v0 {

std::variant<std::shared_ptr<const SigningKey>, std::string> read_signing_key(std::string_view, std::string_view) {
  return "the algorithm needs OpenSSL, which noun is built without on Windows; use SignatureAlgorithm::hmac_sha256";
}

}}  // namespace noun
