// Secrets in text: the input is a secret, where noun knows it from, how a server writes it, and the text around it.
#include <algorithm>
#include <string>

#include <fuzzer/FuzzedDataProvider.h>

#include <fmt/format.h>

#include "call/redaction.hpp"
#include "fuzz/invariant.hpp"
#include "wire/json_edit.hpp"
#include "wire/percent.hpp"

namespace {

using namespace noun;
using noun_fuzz::require;

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  wire::append_query(encoded, text);
  return encoded;
}

std::string in_html(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool is_special = std::string_view("&<>\"'").find(c) != std::string_view::npos;
    encoded += is_special ? fmt::format("&#{};", static_cast<int>(c)) : std::string(1, c);
  }
  return encoded;
}

std::string in_json(std::string_view text) {
  const auto quoted = wire::json_quoted(text);
  return quoted.substr(1, quoted.size() - 2);
}

std::string spelled(FuzzedDataProvider& input, const std::string& secret) {
  // A secret that looks escaped is found as it is.
  if (secret.find_first_of("%\\&") != std::string::npos) return secret;
  switch (input.ConsumeIntegralInRange(0, 5)) {
    case 0: return percent_encoded(secret);
    case 1: return percent_encoded(percent_encoded(secret));
    case 2: return in_html(secret);
    case 3: return in_json(secret);
    case 4: return in_json(percent_encoded(secret));
    default: return secret;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  auto secret = input.ConsumeRandomLengthString(24);
  // Of what a field can have; asterisks would be taken for those of another secret.
  std::erase_if(secret, [](char c) { return c <= ' ' || c > '~' || c == '*'; });
  if (secret.size() < shortest_secret) return 0;

  KnownSecrets known;
  Headers headers;
  std::string url = "https://api.example.com/v1";
  switch (input.ConsumeIntegralInRange(0, 3)) {
    case 0: known.add(secret); break;
    case 1: headers.add("X-Api-Key", secret); break;
    case 2: headers.add("Authorization", "Bearer " + secret); break;
    default: url += "?page=1&api_key=" + percent_encoded(secret); break;
  }
  constexpr std::string_view no_secret =
      "curl 'https://api.example.com/v1?page=1&api_key=***' -H 'X-Api-Key: ***' -H 'Authorization: ***'";
  constexpr std::string_view no_secret_either = "curl 'https://api.example.com/v1' -H 'X-Api-Key: ***'";
  if (no_secret.find(secret) != std::string_view::npos || no_secret_either.find(secret) != std::string_view::npos) return 0;
  const auto in_query = secrets_in_query(url, known);
  const RequestSecrets from{.headers = headers, .known = known, .earlier = in_query};
  const auto written = spelled(input, secret);
  auto text = input.ConsumeRandomLengthString(32);
  text += written + input.ConsumeRemainingBytesAsString();
  const Redaction redaction(url, from);
  require(redaction.line(text).find(secret) == std::string::npos, "no line shows a secret");
  // URLs show other bytes by their code, which can be the first part of the secret's text.
  std::erase_if(text, [](char c) { return c < ' ' || c > '~'; });
  const auto shown = redaction.scrubbed(text);
  require(shown.find(written) == std::string::npos, "no secret is shown");
  require(redaction.url().find(percent_encoded(secret)) == std::string::npos, "no URL shows a secret");
  auto elsewhere = from;
  elsewhere.foreign_host = true;
  require(Redaction("https://other.example.com/" + text, elsewhere).url().find(written) == std::string::npos,
          "no other URL shows a secret, wherever it begins");
  require(redaction.curl_command(Method::get, redaction.url(), headers, false).find(secret) == std::string::npos,
          "no command shows a secret");
  return 0;
}
