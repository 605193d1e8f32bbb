// Where a redirect may lead.
#include "policy/redirect.hpp"

#include <gtest/gtest.h>

namespace policy_test {
namespace redirect_test {

using noun::Errc;
using noun::Follow;
using noun::Headers;
using noun::Method;
using noun::Refuse;

const std::string from = "https://api.example.com/v1/things/7?page=2";

std::variant<Follow, Refuse> decide(const Headers& headers, Method method = Method::get, int status = 302,
                                    std::size_t followed = 0) {
  return decide_redirect(method, status, headers, from, *noun::wire::origin_of(from), followed, 5);
}
std::string target_of(std::string_view location) {
  const auto decision = decide({{"Location", location}});
  const auto* follow = std::get_if<Follow>(&decision);
  return follow ? follow->url : std::get<Refuse>(decision).why;
}
/// Where it is followed to, or nothing.
std::optional<Errc> refusal_of(std::string_view location) {
  const auto decision = decide({{"Location", location}});
  const auto* refuse = std::get_if<Refuse>(&decision);
  return refuse ? std::optional(refuse->code) : std::nullopt;
}

TEST(Redirect, locations_are_resolved_per_rfc_3986) {
  EXPECT_EQ(target_of("https://api.example.com/x"), "https://api.example.com/x");
  EXPECT_EQ(target_of("HTTPS://API.EXAMPLE.COM:443/x"), "HTTPS://API.EXAMPLE.COM:443/x");
  EXPECT_EQ(target_of("//api.example.com/x"), "https://api.example.com/x");
  EXPECT_EQ(target_of("/x"), "https://api.example.com/x");
  EXPECT_EQ(target_of("x"), "https://api.example.com/v1/things/x");
  EXPECT_EQ(target_of("../x"), "https://api.example.com/v1/x");
  EXPECT_EQ(target_of("?page=3"), "https://api.example.com/v1/things/7?page=3");
  EXPECT_EQ(target_of("/x#part"), "https://api.example.com/x");
  EXPECT_EQ(target_of("#part"), "https://api.example.com/v1/things/7?page=2");
}

TEST(Redirect, another_origin_is_refused_by_policy) {
  for (const auto* location : {"https://evil.example/", "//evil.example/", "http://api.example.com/",
                               "https://api.example.com:8443/", "https://api.example.com.evil/", "https://10.0.0.1/"})
    EXPECT_EQ(refusal_of(location), Errc::policy) << location;
}

TEST(Redirect, another_scheme_is_refused_by_policy) {
  for (const auto* location : {"file:///etc/passwd", "ftp://api.example.com/", "gopher://api.example.com/",
                               "scp://api.example.com/", "javascript:alert(1)", "mailto:a@b"})
    EXPECT_EQ(refusal_of(location), Errc::policy) << location;
}

TEST(Redirect, what_is_no_address_is_a_protocol_error) {
  for (const auto* location :
       {"https://user:pw@api.example.com/", "https://api.example.com\\@evil.example/", "/a b", "/a\x01", "https://",
        "https:///x", "https://api.example.com:99999/", "http:g", "\\\\evil.example/x", ""})
    EXPECT_EQ(refusal_of(location), Errc::protocol) << location;
}

TEST(Redirect, none_or_two_or_an_endless_location_is_a_protocol_error) {
  const auto code = [](const Headers& headers) { return std::get<Refuse>(decide(headers)).code; };
  EXPECT_EQ(code({}), Errc::protocol);
  EXPECT_EQ(code({{"Location", "/a"}, {"location", "/b"}}), Errc::protocol);
  EXPECT_EQ(refusal_of("/" + std::string(1 << 20, 'x')), Errc::protocol);
  EXPECT_EQ(refusal_of("/" + std::string(16 * 1024 - 1, 'x')), std::nullopt);
}

TEST(Redirect, only_307_and_308_keep_a_write) {
  const Headers home = {{"Location", "/x"}};
  for (const auto method :
       {Method::get, Method::head, Method::post, Method::put, Method::patch, Method::delete_, Method::options})
    for (const int status : {301, 302, 303, 307, 308}) {
      const bool reads = method == Method::get || method == Method::head;
      const auto decision = decide(home, method, status);
      EXPECT_EQ(std::holds_alternative<Follow>(decision), reads || status >= 307) << to_string(method) << status;
      if (const auto* refuse = std::get_if<Refuse>(&decision)) EXPECT_EQ(refuse->code, Errc::redirected);
    }
}

TEST(Redirect, the_number_is_limited) {
  const Headers home = {{"Location", "/x"}};
  EXPECT_TRUE(std::holds_alternative<Follow>(decide(home, Method::get, 302, 4)));
  const auto sixth = decide(home, Method::get, 302, 5);
  ASSERT_TRUE(std::holds_alternative<Refuse>(sixth));
  EXPECT_EQ(std::get<Refuse>(sixth).code, Errc::redirected);
}

}  // namespace redirect_test
}  // namespace policy_test
