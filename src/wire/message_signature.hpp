#pragma once
/// @file
/// HTTP message signatures of requests: the components that a signature covers, and the text that is signed.
/// @source RFC 9421.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/http.hpp>

#include "wire/structured_field.hpp"

namespace noun { inline namespace v0 { namespace wire {

/// What a signature may cover.
struct SignableRequest {
  std::string_view method;
  /// Absolute.
  std::string_view url;
  const Headers& headers;
};

/// A component: a field's name in lower case or a derived one, such as `@method`, with its parameters.
/// @source RFC 9421, section 2.
using SignatureComponent = StructuredItem;

/// Reads a component as RFC 9421 writes its identifier, but without the quotes around the name: `content-type`,
/// `@query-param;name="Pet"`, `x-list;bs`, `x-dictionary;key="a"`.
/// @returns  nothing for other text, and for a component that a request does not have.
std::optional<SignatureComponent> parse_component(std::string_view text);

/// The parameters of a signature, in this order.
/// @source RFC 9421, section 2.3.
struct SignatureParameters {
  std::optional<std::int64_t> created = {};
  std::optional<std::int64_t> expires = {};
  std::string_view key_id = {};
  std::string_view algorithm = {};
  std::string_view nonce = {};
  std::string_view tag = {};
};

/// The value of `@signature-params`, which is also that of the label in Signature-Input.
std::string signature_input(const std::vector<SignatureComponent>& components, const SignatureParameters& parameters);

/// The text that is signed, or why there is none.
/// @source RFC 9421, section 2.5.
struct SignatureBase {
  std::string text = {};
  /// The first component without one value in the request, as text; empty if `text` is complete.
  std::string missing = {};
  bool is_repeated = false;  ///< whether the request has several values for `missing`: a parameter of the query
};
/// @param input  what signature_input() returned.
SignatureBase signature_base(const std::vector<SignatureComponent>& components, std::string_view input,
                             const SignableRequest& request);

}}}  // namespace noun::wire
