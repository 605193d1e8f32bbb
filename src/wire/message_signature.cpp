#include "wire/message_signature.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/page_url.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr std::string_view query_parameter = "@query-param";
constexpr std::string_view derived[] = {"@method",         "@target-uri", "@authority", "@scheme",
                                        "@request-target", "@path",       "@query",     query_parameter};

bool is_derived(std::string_view name) {
  return std::find(std::begin(derived), std::end(derived), name) != std::end(derived);
}

bool is_field_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return is_token_letter(c) && !is_upper(c);
  });
}

/// Whether the parameters are those that a component of a request may have.
bool has_valid_parameters(const SignatureComponent& component) {
  const auto& parameters = component.parameters;
  const bool is_query_parameter = component.value.text == query_parameter;
  if (parameters.empty()) return !is_query_parameter;
  if (parameters.size() > 1) return false;
  const auto& [name, value] = parameters.front();
  if (is_query_parameter) return name == "name" && value.kind == BareKind::string;
  if (is_derived(component.value.text)) return false;
  return (name == "bs" && value == BareItem{.kind = BareKind::boolean, .number = 1}) ||
         (name == "key" && value.kind == BareKind::string);
}

/// Encodes what a form encodes, but a space as `%20`.
/// @source URL Standard, "application/x-www-form-urlencoded percent-encode set"; RFC 9421, section 2.2.8.
std::string form_encoded(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  const auto plain = decoded_where_possible(spaced);
  std::string out;
  for (std::size_t at = 0; at < plain.size(); ++at) {
    if (plain[at] == '*')
      out += '*';
    else if (plain[at] == '~')
      out += "%7E";
    else
      append_query(out, std::string_view(plain).substr(at, 1));
  }
  return out;
}

/// The values of the parameters of this name.
std::vector<std::string> query_values(std::string_view query, std::string_view name) {
  std::vector<std::string> found;
  while (!query.empty()) {
    const auto written = take_parameter(query);
    if (form_encoded(written.name) == name) found.push_back(form_encoded(written.value));
  }
  return found;
}

/// The value of the parameter that the component names, if it is the only one of its name.
std::optional<std::string> query_value(const SignatureComponent& component, std::string_view query) {
  auto values = query_values(query, component.parameters.front().second.text);
  if (values.size() != 1) return std::nullopt;
  return std::move(values.front());
}

bool is_repeated(const SignatureComponent& component, std::string_view url) {
  return component.value.text == query_parameter &&
         query_values(split_url(url).query, component.parameters.front().second.text).size() > 1;
}

std::optional<std::string> derived_value(const SignatureComponent& component, const SignableRequest& request) {
  const std::string_view name = component.value.text;
  const auto parts = split_url(request.url);
  const auto path = parts.path.empty() ? std::string_view("/") : parts.path;
  const auto target = fmt::format("{}{}{}", path, parts.has_query ? "?" : "", parts.query);
  if (name == "@method") return std::string(request.method);
  if (name == "@authority") return normalized_authority(request.url);
  if (name == "@scheme") return lowered(parts.scheme);
  if (name == "@target-uri")
    return fmt::format("{}://{}{}", lowered(parts.scheme), normalized_authority(request.url), target);
  if (name == "@request-target") return target;
  if (name == "@path") return std::string(path);
  if (name == "@query") return fmt::format("?{}", parts.query);
  return query_value(component, parts.query);
}

std::optional<std::string> member_value(const std::vector<std::string_view>& lines, std::string_view key) {
  const auto dictionary = parse_structured_dictionary(lines);
  if (!dictionary) return std::nullopt;
  for (const auto& [name, member] : *dictionary)
    if (name == key) return to_text(member);
  return std::nullopt;
}

std::optional<std::string> field_value(const SignatureComponent& component, const Headers& headers) {
  const auto lines = headers.values(component.value.text);
  if (lines.empty()) return std::nullopt;
  if (const auto* key = component.parameter("key")) return member_value(lines, key->text);
  const bool is_wrapped = component.parameter("bs") != nullptr;
  std::string value;
  for (const auto line : lines) {
    if (!value.empty() || line.data() != lines.front().data()) value += ", ";
    value += is_wrapped ? fmt::format(":{}:", base64_encode(trimmed(line))) : std::string(trimmed(line));
  }
  return value;
}

StructuredParameters written(const SignatureParameters& parameters) {
  StructuredParameters all;
  const auto add_number = [&](const char* name, const std::optional<std::int64_t>& number) {
    if (number) all.emplace_back(name, BareItem{.kind = BareKind::integer, .number = *number});
  };
  const auto add_text = [&](const char* name, std::string_view text) {
    if (!text.empty()) all.emplace_back(name, BareItem{.kind = BareKind::string, .text = std::string(text)});
  };
  add_number("created", parameters.created);
  add_number("expires", parameters.expires);
  add_text("keyid", parameters.key_id);
  add_text("alg", parameters.algorithm);
  add_text("nonce", parameters.nonce);
  add_text("tag", parameters.tag);
  return all;
}

}  // namespace

std::optional<SignatureComponent> parse_component(std::string_view text) {
  const auto name = lowered(text.substr(0, text.find(';')));
  if (!is_derived(name) && !is_field_name(name)) return std::nullopt;
  const auto identifier = fmt::format("\"{}\"{}", name, text.substr(name.size()));
  const auto list = parse_structured_list({identifier});
  if (!list || list->size() != 1) return std::nullopt;
  const auto* component = std::get_if<StructuredItem>(&list->front());
  if (component == nullptr || !has_valid_parameters(*component)) return std::nullopt;
  return *component;
}

std::string signature_input(const std::vector<SignatureComponent>& components, const SignatureParameters& parameters) {
  return to_text(InnerList{components, written(parameters)});
}

SignatureBase signature_base(const std::vector<SignatureComponent>& components, std::string_view input,
                             const SignableRequest& request) {
  std::string text;
  for (const auto& component : components) {
    const bool is_field = !component.value.text.starts_with('@');
    const auto value = is_field ? field_value(component, request.headers) : derived_value(component, request);
    if (!value) return {.missing = to_text(component), .is_repeated = is_repeated(component, request.url)};
    text += fmt::format("{}: {}\n", to_text(component), *value);
  }
  return {.text = fmt::format("{}\"@signature-params\": {}", text, input)};
}

}}}  // namespace noun::wire
