#include "decision/redirect.hpp"

#include <fmt/format.h>

namespace noun { inline namespace v0 {
namespace {

/// Bounds the URL that every further attempt would carry.
constexpr std::size_t longest_location = std::size_t{16} * 1024;

bool is_http(std::string_view scheme) noexcept { return same_name(scheme, "http") || same_name(scheme, "https"); }

/// Whether Location is the URL with a slash at the end of its path.
bool only_adds_a_slash(const Headers& headers, std::string_view url) {
  const auto target = wire::resolve_written(url, headers.get("Location").value_or(""));
  return std::string(wire::split_url(url).path) + '/' == wire::split_url(target).path;
}

/// Whether plain http leads from this machine to this machine.
bool stays_here(std::string_view url, const wire::UrlOrigin& target) {
  const auto from = wire::origin_of(url);
  return from && from->scheme == "http" && wire::is_loopback(*from) && wire::is_loopback(target);
}

}  // namespace

std::variant<std::string_view, Refuse> only_location(const Headers& headers) {
  const auto locations = headers.values("Location");
  if (locations.empty()) return Refuse{Errc::protocol, "there is no Location"};
  if (locations.size() > 1) return Refuse{Errc::protocol, "there is more than one Location"};
  if (locations.front().empty() || locations.front().size() > longest_location)
    return Refuse{Errc::protocol, "the Location is empty or too long"};
  return locations.front();
}

std::variant<Follow, Refuse> decide_redirect(Method method, int status, const Headers& headers, std::string_view url,
                                             const wire::UrlOrigin& origin, std::size_t followed,
                                             std::size_t permitted, RedirectScope scope) {
  const bool keeps_method = status == 307 || status == 308;
  if (!keeps_method && method != Method::get && method != Method::head)
    return Refuse{Errc::redirected, fmt::format("a {} is not turned into a GET", to_string(method)),
                  only_adds_a_slash(headers, url)
                      ? "set ClientOptions::dialect.trailing_slash to true if all paths of this server end with a "
                        "slash, or send this request with Client::send()"
                      : "use the address in Location"};
  const auto location = only_location(headers);
  if (const auto* refused = std::get_if<Refuse>(&location)) return *refused;
  if (followed >= permitted)
    return Refuse{Errc::redirected,
                  fmt::format("the limit of {} redirects is reached", permitted),
                  "raise ClientOptions::limits.redirects, or use the address in Location"};
  auto target = wire::resolve_written(url, std::get<std::string_view>(location));
  if (const auto fragment = target.find('#'); fragment != std::string::npos) target.resize(fragment);
  if (!is_http(wire::split_url(target).scheme))
    return Refuse{Errc::refused, "the redirect leads away from http and https: it was not followed"};
  const auto where = wire::origin_of(target);
  if (!where) return Refuse{Errc::protocol, "the Location is not a plain http or https address: it was not followed"};
  if (*where == origin) return Follow{std::move(target)};
  if (scope == RedirectScope::origin)
    return Refuse{Errc::refused,
                  fmt::format("the redirect leads to another origin, {}: nothing was sent there",
                              wire::to_string(*where)),
                  "make a client for it if you trust it"};
  if (where->scheme != "https" && !(scope == RedirectScope::this_machine && stays_here(url, *where)))
    return Refuse{Errc::refused,
                  fmt::format("the redirect leads to {}, which is not https: nothing was sent there",
                              wire::to_string(*where)),
                  "report it to the API's owner"};
  return Follow{std::move(target), true};
}

}}  // namespace noun
