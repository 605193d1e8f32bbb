#include "decision/location.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "wire/hostile_targets.hpp"

namespace decision_tests { namespace redirect_test {

using noun::Errc;
using noun::Follow;
using noun::Headers;
using noun::Method;
using noun::Refuse;
using ::testing::AnyOf;

/// The target of a redirect, or the name of the code that refuses it.
std::string decide(const Headers& headers, Method method = Method::get, int status = 302, std::size_t followed = 0) {
  constexpr std::string_view from = "https://api.example.com/v1/things/7?page=2";
  const auto decision = decide_redirect(method, status, headers, from, *noun::wire::origin_of(from), followed, 5);
  if (const auto* follow = std::get_if<Follow>(&decision)) return follow->url;
  return std::string(to_string(std::get<Refuse>(decision).code));
}

TEST(Redirect, of_a_write_to_the_path_with_a_slash_names_the_option) {
  const auto advice = [](const char* location) {
    constexpr std::string_view from = "https://h.example/a/b?c=1";
    const auto decision = decide_redirect(Method::post, 301, {{"Location", location}}, from,
                                          *noun::wire::origin_of(from), 0, 5);
    return std::get<Refuse>(decision).advice;
  };
  for (const auto* location : {"/a/b/", "/a/b/?c=1", "https://h.example/a/b/"})
    EXPECT_NE(advice(location).find("dialect.trailing_slash"), std::string_view::npos) << location;
  for (const auto* location : {"/a/b", "/a/c/", "/", ""})
    EXPECT_EQ(advice(location), "use the address in Location") << location;
}

TEST(Redirect, a_location_is_resolved_per_rfc_3986_and_followed_within_the_origin) {
  constexpr std::pair<std::string_view, std::string_view> locations[] = {
      {"https://api.example.com/x", "https://api.example.com/x"},
      {"HTTPS://API.EXAMPLE.COM:443/x", "HTTPS://API.EXAMPLE.COM:443/x"},
      {"//api.example.com/x", "https://api.example.com/x"},
      {"/x", "https://api.example.com/x"},
      {"x", "https://api.example.com/v1/things/x"},
      {"../x", "https://api.example.com/v1/x"},
      {"?page=3", "https://api.example.com/v1/things/7?page=3"},
      {"/x#part", "https://api.example.com/x"},
      {"/a b/\xC3\xBC?q=50% off", "https://api.example.com/a%20b/%C3%BC?q=50%25%20off"},
      {"#part", "https://api.example.com/v1/things/7?page=2"},
  };
  for (const auto& [location, target] : locations) EXPECT_EQ(decide({{"Location", location}}), target) << location;
}

TEST(Redirect, another_origin_or_scheme_is_refused) {
  for (const auto* location :
       {"https://evil.example/", "//evil.example/", "http://api.example.com/", "https://api.example.com:8443/",
        "https://api.example.com.evil/", "https://10.0.0.1/", "file:///etc/passwd", "ftp://api.example.com/",
        "gopher://api.example.com/", "scp://api.example.com/", "javascript:alert(1)", "mailto:a@b"})
    EXPECT_EQ(decide({{"Location", location}}), "refused") << location;
}

TEST(Redirect, an_invalid_location_is_a_protocol_error) {
  for (const auto* location :
       {"https://user:pw@api.example.com/", "https://api.example.com\\@evil.example/", "/a\x01", "https://",
        "https:///x", "https://api.example.com:99999/", "http:g", "\\\\evil.example/x", ""})
    EXPECT_EQ(decide({{"Location", location}}), "protocol") << location;
}

TEST(Redirect, a_hostile_location_is_not_followed) {
  for (const auto& location : noun_test::hostile_targets({"https", "api.example.com"}, {"https", "evil.example"}))
    EXPECT_THAT(decide({{"Location", location}}), AnyOf("refused", "protocol")) << location.substr(0, 80);
}

TEST(Redirect, none_two_or_a_huge_location_are_a_protocol_error) {
  EXPECT_EQ(decide({}), "protocol");
  EXPECT_EQ(decide({{"Location", "/a"}, {"location", "/b"}}), "protocol");
  const std::string longest = "/" + std::string(16 * 1024 - 1, 'x');
  EXPECT_EQ(decide({{"Location", longest}}), "https://api.example.com" + longest);
  EXPECT_EQ(decide({{"Location", longest + "x"}}), "protocol");
}

TEST(Redirect, a_write_follows_307_and_308_alone) {
  for (const auto method :
       {Method::get, Method::head, Method::post, Method::put, Method::patch, Method::delete_, Method::options,
        Method::query})
    for (const int status : {301, 302, 303, 307, 308}) {
      const bool reads = method == Method::get || method == Method::head || method == Method::query;
      EXPECT_EQ(decide({{"Location", "/x"}}, method, status),
                reads || status >= 307 ? "https://api.example.com/x" : "redirected")
          << to_string(method) << status;
    }
}

TEST(Redirect, only_303_turns_a_query_into_a_get) {
  constexpr std::string_view from = "https://api.example.com/v1";
  for (const auto method : {Method::get, Method::head, Method::query})
    for (const int status : {301, 302, 303, 307, 308}) {
      const auto decision = decide_redirect(method, status, {{"Location", "/x"}}, from, *noun::wire::origin_of(from), 0, 5);
      EXPECT_EQ(std::get<Follow>(decision).becomes_get, method == Method::query && status == 303)
          << to_string(method) << status;
    }
}

TEST(Redirect, the_number_is_limited) {
  EXPECT_EQ(decide({{"Location", "/x"}}, Method::get, 302, 4), "https://api.example.com/x");
  EXPECT_EQ(decide({{"Location", "/x"}}, Method::get, 302, 5), "redirected");
}

/// Where a download at `from` goes, with an exclamation mark if that is another origin; or the name of the code.
std::string decide_for_download(std::string_view from, const char* location, noun::RedirectScope scope) {
  const auto decision =
      decide_redirect(Method::get, 302, {{"Location", location}}, from, *noun::wire::origin_of(from), 0, 5, scope);
  if (const auto* follow = std::get_if<Follow>(&decision)) return (follow->leaves_origin ? "!" : "") + follow->url;
  return std::string(to_string(std::get<Refuse>(decision).code));
}

TEST(Redirect, of_a_download_may_leave_the_origin_for_https) {
  const struct {
    const char* from;
    const char* location;
    const char* decision;
    noun::RedirectScope scope = noun::RedirectScope::https;
  } cases[] = {
      {"https://api.example.com/a", "/b", "https://api.example.com/b"},
      {"https://api.example.com/a", "https://cdn.example.com/b?sig=1", "!https://cdn.example.com/b?sig=1"},
      {"https://api.example.com/a", "https://api.example.com:8443/b", "!https://api.example.com:8443/b"},
      {"https://api.example.com/a", "http://api.example.com/b", "refused"},
      {"https://api.example.com/a", "http://127.0.0.1/b", "refused"},
      {"https://api.example.com/a", "ftp://cdn.example.com/b", "refused"},
      {"https://api.example.com/a", "https://user:password@cdn.example.com/b", "protocol"},
      {"http://api.example.com/a", "http://cdn.example.com/b", "refused"},
      {"http://127.0.0.1:1/a", "http://127.0.0.1:2/b", "!http://127.0.0.1:2/b", noun::RedirectScope::this_machine},
      {"http://127.0.0.1:1/a", "http://[::1]/b", "!http://[::1]/b", noun::RedirectScope::this_machine},
      {"http://127.0.0.1:1/a", "http://cdn.example.com/b", "refused", noun::RedirectScope::this_machine},
      {"http://127.0.0.1:1/a", "http://10.0.0.1/b", "refused", noun::RedirectScope::this_machine},
      {"https://cdn.example.com/a", "http://127.0.0.1/b", "refused", noun::RedirectScope::this_machine},
      {"https://localhost/a", "http://127.0.0.1/b", "refused", noun::RedirectScope::this_machine},
      {"http://127.0.0.1:1/a", "https://cdn.example.com/b", "!https://cdn.example.com/b",
       noun::RedirectScope::this_machine},
      {"http://127.0.0.1:1/a", "http://127.0.0.1:2/b", "refused"},
      {"http://localhost/a", "https://cdn.example.com/b", "!https://cdn.example.com/b"},
  };
  for (const auto& [from, location, decision, scope] : cases)
    EXPECT_EQ(decide_for_download(from, location, scope), decision) << from << ' ' << location;
}

TEST(Redirect, of_a_download_takes_a_body_only_to_a_trusted_origin) {
  constexpr std::string_view from = "https://api.example.com/a";
  const auto origin = *noun::wire::origin_of(from);
  const std::vector trusted{origin, *noun::wire::origin_of("https://mirror.example.com")};
  const auto decide = [&](Method method, int status, const char* location) {
    return decide_redirect(method, status, {{"Location", location}}, from, origin, 0, 5, noun::RedirectScope::https,
                           trusted);
  };
  for (const auto method : {Method::get, Method::post, Method::put, Method::patch, Method::delete_, Method::options,
                            Method::query})
    for (const int status : {301, 302, 303, 307, 308}) {
      SCOPED_TRACE(std::string(to_string(method)) + std::to_string(status));
      const auto followed = decide(method, status, "/b");
      const bool follows = std::holds_alternative<Follow>(followed);
      const bool bodyless = method == Method::get || (follows && std::get<Follow>(followed).becomes_get);
      const auto elsewhere = decide(method, status, "https://cdn.example.com/b");
      const auto* follow = std::get_if<Follow>(&elsewhere);
      ASSERT_EQ(follow != nullptr, bodyless);
      if (follow != nullptr) {
        EXPECT_TRUE(follow->leaves_origin);
        EXPECT_EQ(follow->becomes_get, method == Method::query);
      } else {
        EXPECT_EQ(std::get<Refuse>(elsewhere).code, follows ? Errc::refused : Errc::redirected);
      }
      const auto mirrored = decide(method, status, "https://mirror.example.com/b");
      ASSERT_EQ(std::holds_alternative<Follow>(mirrored), follows);
      if (follows) EXPECT_TRUE(std::get<Follow>(mirrored).leaves_origin);
    }
  const auto refused = std::get<Refuse>(decide(Method::post, 307, "https://cdn.example.com/b"));
  EXPECT_EQ(refused.what,
            "the redirect takes a POST to another origin, https://cdn.example.com, which is not trusted with its body: "
            "nothing was sent there");
  EXPECT_EQ(refused.advice, "add it to ClientOptions::trusted_origins if it belongs to the API");
}

}  // namespace redirect_test
}  // namespace decision_tests
