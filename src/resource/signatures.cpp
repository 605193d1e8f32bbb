#include <noun/signatures.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "os/random.hpp"
#include "os/signing_key.hpp"
#include "resource/credentials_source.hpp"
#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/digest.hpp"
#include "wire/http_date.hpp"
#include "wire/message_signature.hpp"
#include "wire/sigv4.hpp"

namespace noun { inline namespace v0 {
namespace {

std::chrono::sys_seconds seconds_of(WallTime when) { return std::chrono::floor<std::chrono::seconds>(when); }

Error not_signed(std::string what, std::string_view advice) { return Error(Errc::credentials, what, advice); }

Credentials signing(Credentials::Function function, std::vector<std::string> secrets) {
  return detail::CredentialsAccess::make({std::move(function), std::move(secrets), true});
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

/// Whether the field Authorization can have it between slashes, before a comma.
bool is_part_of_scope(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~' && c != '/' && c != ','; });
}

std::optional<std::string> fault_of(const AwsSigv4& options) {
  const std::pair<const char*, const FieldValue*> needed[] = {{"access_key", &options.access_key},
                                                              {"secret_key", &options.secret_key},
                                                              {"region", &options.region},
                                                              {"service", &options.service}};
  for (const auto& [name, value] : needed) {
    if (value->str().empty()) return fmt::format("{} of aws_sigv4() is empty", name);
    if (value != &options.secret_key && !is_part_of_scope(value->str()))
      return fmt::format("{} of aws_sigv4() has a space, a slash, a comma or a character that is not printable ASCII",
                         name);
  }
  if (has_control(options.secret_key.str())) return "secret_key of aws_sigv4() has a control character";
  if (has_control(options.session_token.str())) return "session_token of aws_sigv4() has a control character";
  return std::nullopt;
}

Result<Headers> aws_fields(const AwsSigv4& options, const CredentialsRequest& request) {
  if (request.body_is_streamed && !request.url.starts_with("https:"))
    return not_signed("aws_sigv4() does not sign a body from a file, which others could change over plain http",
                      "use https, or pass the body as text");
  const auto date = wire::sigv4_date(seconds_of(request.at));
  const auto payload = request.body_is_streamed ? "UNSIGNED-PAYLOAD" : wire::hexadecimal(wire::sha256(request.body));
  Headers fields{{"X-Amz-Date", date}, {"X-Amz-Content-Sha256", payload}};
  if (!options.session_token.str().empty()) fields.add("X-Amz-Security-Token", options.session_token);
  auto signed_headers = request.headers;
  for (const auto& field : fields) signed_headers.set(field.name, field.value);
  const bool normalizes = options.normalize_path.value_or(!options.service.str().starts_with("s3"));
  const wire::Sigv4Request covered{.method = to_string(request.method),
                                   .url = request.url,
                                   .headers = signed_headers,
                                   .payload_hash = payload,
                                   .path = normalizes ? wire::Sigv4Path::normalized : wire::Sigv4Path::of_key};
  const wire::Sigv4Key key{options.access_key.str(), options.secret_key.str(), options.region.str(),
                           options.service.str()};
  fields.add("Authorization", wire::sigv4_authorization(covered, key, date));
  return fields;
}

std::string_view name_of(SignatureAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case SignatureAlgorithm::ed25519: return "ed25519";
    case SignatureAlgorithm::ecdsa_p256_sha256: return "ecdsa-p256-sha256";
    case SignatureAlgorithm::ecdsa_p384_sha384: return "ecdsa-p384-sha384";
    case SignatureAlgorithm::rsa_pss_sha512: return "rsa-pss-sha512";
    case SignatureAlgorithm::rsa_v1_5_sha256: return "rsa-v1_5-sha256";
    case SignatureAlgorithm::hmac_sha256: break;
  }
  return "hmac-sha256";
}

/// key = ( lcalpha / "*" ) *( lcalpha / DIGIT / "_" / "-" / "." / "*" )
bool is_label(std::string_view text) {
  const auto read = wire::parse_structured_dictionary({text});
  return read && read->size() == 1 && read->front().first == text;
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// The options of http_signature(), read.
struct Signer {
  HttpSignature options;
  std::vector<wire::SignatureComponent> components = {};
  std::shared_ptr<const SigningKey> key = {};  // null for hmac_sha256

  std::optional<std::string> read();
  Result<Headers> fields(const CredentialsRequest& request) const;

 private:
  bool covers(std::string_view field) const;
  Result<Headers> added_fields(const CredentialsRequest& request) const;
  std::vector<wire::SignatureComponent> components_of(const CredentialsRequest& request) const;
  Result<std::string> input(const std::vector<wire::SignatureComponent>& covered,
                            const CredentialsRequest& request) const;
};

std::optional<std::string> Signer::read() {
  if (options.components.empty()) return "components of http_signature() are empty: nothing would be signed";
  for (const auto& text : options.components) {
    const auto component = wire::parse_component(text);
    if (!component) return fmt::format("the component \"{}\" of http_signature() is not one of a request", text);
    const auto written = wire::to_text(*component);
    for (const auto& other : components)
      if (wire::to_text(other) == written) return fmt::format("http_signature() has the component \"{}\" twice", text);
    components.push_back(*component);
  }
  if (!is_label(options.label.str())) return "label of http_signature() is not a key of lower-case letters and digits";
  if (!is_printable(options.key_id.str()) || !is_printable(options.tag.str()))
    return "key_id or tag of http_signature() has a character that is not printable ASCII";
  if (options.lifetime < Duration::zero()) return "lifetime of http_signature() is negative";
  if (options.lifetime != Duration::zero() && !options.with_created)
    return "lifetime of http_signature() needs with_created";
  if (options.key.str().empty()) return "key of http_signature() is empty";
  if (options.algorithm == SignatureAlgorithm::hmac_sha256) return std::nullopt;
  auto read = read_signing_key(options.key.str(), name_of(options.algorithm));
  if (const auto* fault = std::get_if<std::string>(&read))
    return fmt::format("key of http_signature() for {} is refused: {}", name_of(options.algorithm), *fault);
  key = std::get<std::shared_ptr<const SigningKey>>(std::move(read));
  return std::nullopt;
}

bool Signer::covers(std::string_view field) const {
  return std::any_of(components.begin(), components.end(),
                     [&](const auto& component) { return component.value.text == field; });
}

/// The fields that noun adds to the request because they are signed.
Result<Headers> Signer::added_fields(const CredentialsRequest& request) const {
  Headers added;
  if (covers("date") && !request.headers.contains("Date"))
    added.add("Date", wire::format_http_date(seconds_of(request.at)));
  if (!covers("content-digest") || request.headers.contains("Content-Digest")) return added;
  if (request.body_is_streamed)
    return not_signed("http_signature() does not know the digest of a body from a file",
                      "add the header Content-Digest to the call, or pass the body as text");
  if (!request.body.empty())
    added.add("Content-Digest", fmt::format("sha-256=:{}:", wire::base64_encode(wire::sha256(request.body))));
  return added;
}

/// Without those of a body that is not there.
std::vector<wire::SignatureComponent> Signer::components_of(const CredentialsRequest& request) const {
  auto covered = components;
  if (!request.body.empty() || request.body_is_streamed) return covered;
  std::erase_if(covered, [&](const auto& component) {
    const auto& name = component.value.text;
    return (name == "content-digest" || name == "content-length") && !request.headers.contains(name);
  });
  return covered;
}

Result<std::string> Signer::input(const std::vector<wire::SignatureComponent>& covered,
                                  const CredentialsRequest& request) const {
  wire::SignatureParameters parameters{.key_id = options.key_id.str(), .tag = options.tag.str()};
  const auto created = seconds_of(request.at).time_since_epoch();
  if (options.with_created) parameters.created = created.count();
  if (options.lifetime != Duration::zero())
    parameters.expires = (created + std::chrono::ceil<std::chrono::seconds>(options.lifetime)).count();
  if (options.with_algorithm) parameters.algorithm = name_of(options.algorithm);
  std::string nonce;
  if (options.with_nonce) {
    std::array<char, 16> random{};
    if (!fill_with_random_bytes(random)) return not_signed("the system has no random bytes for a nonce", {});
    nonce = wire::base64_encode({random.data(), random.size()});
    parameters.nonce = nonce;
  }
  return wire::signature_input(covered, parameters);
}

Result<Headers> Signer::fields(const CredentialsRequest& request) const {
  auto added = added_fields(request);
  if (!added) return added;
  auto headers = request.headers;
  for (const auto& field : *added) headers.set(field.name, field.value);
  if (!request.body.empty()) headers.set("Content-Length", request.body.size());
  const auto covered = components_of(request);
  const auto parameters = input(covered, request);
  if (!parameters) return parameters.error();
  const auto base = wire::signature_base(covered, *parameters, {to_string(request.method), request.url, headers});
  if (base.is_repeated)
    return not_signed(fmt::format("http_signature() covers {}, which the request has more than once", base.missing),
                      "send it once, or remove it from HttpSignature::components");
  if (!base.missing.empty())
    return not_signed(fmt::format("http_signature() covers {}, which the request does not have", base.missing),
                      "add it to the call, or remove it from HttpSignature::components");
  const auto signature = key ? key->sign(base.text) : wire::hmac_sha256(options.key.str(), base.text);
  if (signature.empty()) return not_signed("OpenSSL could not sign with the key of http_signature()", "check the key");
  const auto& label = options.label.str();
  added->add("Signature-Input", fmt::format("{}={}", label, *parameters));
  added->add("Signature", fmt::format("{}=:{}:", label, wire::base64_encode(signature)));
  return added;
}

}  // namespace

Credentials aws_sigv4(AwsSigv4 options) {
  if (const auto fault = fault_of(options)) return Credentials::refused(*fault);
  std::vector<std::string> secrets{options.secret_key.str(), options.session_token.str()};
  return signing(
      [options = std::move(options)](const CredentialsRequest& request) { return aws_fields(options, request); },
      std::move(secrets));
}

Credentials aws_sigv4(std::function<Result<AwsSigv4>(const CredentialsRequest& request)> function) {
  if (!function) return Credentials::refused("the function of aws_sigv4() is empty");
  return signing(
      [function = std::move(function)](const CredentialsRequest& request) -> Result<Headers> {
        const auto options = function(request);
        if (!options) return options.error();
        if (const auto fault = fault_of(*options)) return not_signed(*fault, "check the function of aws_sigv4()");
        return aws_fields(*options, request);
      },
      {});
}

Credentials http_signature(HttpSignature options) {
  const auto signer = std::make_shared<Signer>(Signer{.options = std::move(options)});
  if (const auto fault = signer->read()) return Credentials::refused(*fault);
  // A private key is never sent, and long: each event would be searched for it.
  std::vector<std::string> secrets;
  if (!signer->key) secrets.push_back(signer->options.key.str());
  return signing([signer](const CredentialsRequest& request) { return signer->fields(request); }, std::move(secrets));
}

}}  // namespace noun
