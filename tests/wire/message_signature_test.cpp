// Tests of what HTTP message signatures cover: the examples of RFC 9421.
#include "wire/message_signature.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wire/vectors.hpp"

namespace noun::wire { namespace message_signature_test {

using wire_test::Vector;

class MessageSignatureExample : public ::testing::TestWithParam<Vector> {};

std::vector<SignatureComponent> components_of(const std::vector<std::string>& texts) {
  std::vector<SignatureComponent> components;
  for (const auto& text : texts) components.push_back(parse_component(text).value());
  return components;
}

/// tests/data/message_signatures.json has the requests of RFC 9421, appendix B.
TEST_P(MessageSignatureExample, has_the_signature_base) {
  const auto& data = GetParam().data;
  Headers headers;
  for (const auto& field : data.at("headers"))
    headers.add(field.at(0).get<std::string>(), field.at(1).get<std::string>());
  const auto& given = data.at("parameters");
  const auto text = [&](const char* name) { return given.value(name, ""); };
  const std::string texts[] = {text("keyid"), text("nonce"), text("tag")};
  const SignatureParameters parameters{
      .created = given.at("created").get<std::int64_t>(), .key_id = texts[0], .nonce = texts[1], .tag = texts[2]};
  const auto components = components_of(data.at("components").get<std::vector<std::string>>());
  const auto input = signature_input(components, parameters);
  EXPECT_EQ(input, data.at("input").get<std::string>());
  const auto method = data.at("method").get<std::string>();
  const auto url = data.at("url").get<std::string>();
  const auto base = signature_base(components, input, {method, url, headers});
  EXPECT_EQ(base.text, data.at("base").get<std::string>());
  EXPECT_EQ(base.missing, "");
}

INSTANTIATE_TEST_SUITE_P(Rfc9421, MessageSignatureExample,
                         ::testing::ValuesIn(wire_test::vectors("message_signatures.json")), wire_test::id_of);

/// The line of one component, or what is missing.
std::string line_of(std::string_view component, std::string_view url, const Headers& headers = {}) {
  const auto base = signature_base({parse_component(component).value()}, "()", {"GET", url, headers});
  return base.missing.empty() ? base.text.substr(0, base.text.find('\n')) : "missing " + base.missing;
}

/// RFC 9421, section 2.2.
TEST(SignatureBase, has_the_derived_components_of_a_url) {
  constexpr auto* url = "HTTPS://WWW.Example.com:443/path?param=value&foo=bar&baz=bat%2Dman";
  EXPECT_EQ(line_of("@method", url), "\"@method\": GET");
  EXPECT_EQ(line_of("@authority", url), "\"@authority\": www.example.com");
  EXPECT_EQ(line_of("@scheme", url), "\"@scheme\": https");
  EXPECT_EQ(line_of("@path", url), "\"@path\": /path");
  EXPECT_EQ(line_of("@query", url), "\"@query\": ?param=value&foo=bar&baz=bat%2Dman");
  EXPECT_EQ(line_of("@target-uri", "https://WWW.example.com?a#b"), "\"@target-uri\": https://www.example.com/?a");
  EXPECT_EQ(line_of("@request-target", "http://h:80?"), "\"@request-target\": /?");
  EXPECT_EQ(line_of("@query", "http://h"), "\"@query\": ?");
  EXPECT_EQ(line_of("@authority", "http://[::1]:8080/"), "\"@authority\": [::1]:8080");
}

/// RFC 9421, section 2.2.8.
TEST(SignatureBase, has_parameters_of_the_query_encoded_in_one_way) {
  constexpr auto* url =
      "https://h/parameters?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20="
      "something&empty=&twice=1&twice=2&sub=*~!&half=50%+%41";
  EXPECT_EQ(line_of(R"(@query-param;name="var")", url),
            R"("@query-param";name="var": this%20is%20a%20big%0Amultiline%20value)");
  EXPECT_EQ(line_of(R"(@query-param;name="bar")", url), R"("@query-param";name="bar": with%20plus%20whitespace)");
  EXPECT_EQ(line_of(R"(@query-param;name="fa%C3%A7ade%22%3A%20")", url),
            R"("@query-param";name="fa%C3%A7ade%22%3A%20": something)");
  EXPECT_EQ(line_of(R"(@query-param;name="empty")", url), R"("@query-param";name="empty": )");
  EXPECT_EQ(line_of(R"(@query-param;name="sub")", url), R"("@query-param";name="sub": *%7E%21)");
  EXPECT_EQ(line_of(R"(@query-param;name="half")", url), R"("@query-param";name="half": 50%25%20A)");
  EXPECT_EQ(line_of(R"(@query-param;name="twice")", url), R"(missing "@query-param";name="twice")");
  EXPECT_EQ(line_of(R"(@query-param;name="none")", url), R"(missing "@query-param";name="none")");
}

/// RFC 9421, section 2.1.
TEST(SignatureBase, has_the_values_of_fields) {
  const Headers headers{{"X-OWS-Header", "  Leading and trailing whitespace.   "},
                        {"Cache-Control", "max-age=60"},
                        {"X-Empty", ""},
                        {"cache-control", "   must-revalidate"},
                        {"Example-Dict", "a=1,    b=2;x=1;y=2,   c=(a   b    c), d"},
                        {"Example-Header", "  value, with, lots "},
                        {"Example-Header", "of, commas"}};
  EXPECT_EQ(line_of("x-ows-header", "", headers), "\"x-ows-header\": Leading and trailing whitespace.");
  EXPECT_EQ(line_of("Cache-Control", "", headers), "\"cache-control\": max-age=60, must-revalidate");
  EXPECT_EQ(line_of("x-empty", "", headers), "\"x-empty\": ");
  EXPECT_EQ(line_of("x-empty;bs", "", headers), "\"x-empty\";bs: ::");
  EXPECT_EQ(line_of("example-header;bs", "", headers),
            "\"example-header\";bs: :dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:");
  EXPECT_EQ(line_of(R"(example-dict;key="a")", "", headers), R"("example-dict";key="a": 1)");
  EXPECT_EQ(line_of(R"(example-dict;key="b")", "", headers), R"("example-dict";key="b": 2;x=1;y=2)");
  EXPECT_EQ(line_of(R"(example-dict;key="c")", "", headers), R"("example-dict";key="c": (a b c))");
  EXPECT_EQ(line_of(R"(example-dict;key="d")", "", headers), R"("example-dict";key="d": ?1)");
  EXPECT_EQ(line_of(R"(example-dict;key="e")", "", headers), R"(missing "example-dict";key="e")");
  EXPECT_EQ(line_of("x-none", "", headers), "missing \"x-none\"");
}

TEST(SignatureComponent, of_another_message_or_without_its_parameter_is_refused) {
  for (const auto* text : {"", "@status", "@method;req", "@path;name=\"a\"", "@query-param", "@query-param;name",
                           "@query-param;name=\"a\";bs", "date;tr", "date;sf", "date;bs=?0", "date;bs;key=\"a\"",
                           "date;key=a", "da te", "\"date\"", "date,x", "date;", "@unknown"})
    EXPECT_FALSE(parse_component(text)) << text;
}

TEST(SignatureInput, has_the_parameters_in_one_order) {
  EXPECT_EQ(signature_input({}, {}), "()");
  EXPECT_EQ(signature_input(
                components_of({"@method", "date;bs"}),
                {.created = 1, .expires = 301, .key_id = "a\"b\\", .algorithm = "ed25519", .nonce = "n", .tag = "t"}),
            R"(("@method" "date";bs);created=1;expires=301;keyid="a\"b\\";alg="ed25519";nonce="n";tag="t")");
}

}}  // namespace noun::wire::message_signature_test
