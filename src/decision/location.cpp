#include "decision/location.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "wire/percent.hpp"

namespace noun { inline namespace v0 {
namespace {

/// What lies below the base URL in a URL of its origin; nothing if the URL is not below it.
std::optional<std::string_view> rest_below(std::string_view url, std::string_view base_url) {
  const auto rest = url.substr(static_cast<std::size_t>(wire::split_url(url).path.data() - url.data()));
  const auto base = wire::split_url(base_url).path;
  const auto below = rest.substr(std::min(base.size(), rest.size()));
  const bool is_below = rest.starts_with(base) && (below.empty() || below.front() == '/' || below.front() == '?');
  return is_below ? std::optional(below) : std::nullopt;
}

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

/// The Location of a response, or another field with a URL, or why there is none that can be used.
std::variant<std::string_view, Refuse> only_location(const Headers& headers, std::string_view field = "Location") {
  const auto locations = headers.values(field);
  if (locations.empty()) return Refuse{Errc::protocol, fmt::format("there is no {}", field)};
  if (locations.size() > 1) return Refuse{Errc::protocol, fmt::format("there is more than one {}", field)};
  if (locations.front().empty() || locations.front().size() > wire::longest_named_url)
    return Refuse{Errc::protocol, fmt::format("the {} is empty or too long", field)};
  return locations.front();
}

/// The URL that a Location names, without its fragment.
std::string target_of(std::string_view url, std::string_view location) {
  auto target = wire::resolve_written(url, location);
  target.resize(std::min(target.find('#'), target.size()));
  return target;
}

}  // namespace

const char* fault_of_written_path(std::string_view path) {
  const auto target = path.substr(0, path.find('?'));
  if (target.starts_with("//") || target.substr(0, target.find('/')).find(':') != std::string_view::npos)
    return "the path names another host";
  return fault_of_path(path);
}

const char* fault_of_path(std::string_view path) {
  const auto target = path.substr(0, path.find('?'));
  if (path.find('#') != std::string_view::npos) return "the path has a fragment";
  if (std::any_of(path.begin(), path.end(), [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f || c == '\\';
      }))
    return "the path has a character that must be percent-encoded";
  if (!wire::percent_decode(target)) return "the path has an invalid percent-encoding (a percent sign itself is %25)";
  return wire::has_dot_segment(target) ? "the path has a dot segment" : nullptr;
}

std::optional<std::string_view> below_base(std::string_view path, std::string_view base_url,
                                           const wire::UrlOrigin& origin) {
  const bool is_url = path.starts_with("http://") || path.starts_with("https://");
  return is_url && wire::origin_of(path) == origin ? rest_below(path, base_url) : std::optional(path);
}

std::variant<std::string, Refuse> location_below(const Response& response, std::string_view base_url,
                                                 const wire::UrlOrigin& origin) {
  const auto location = only_location(response.headers);
  if (const auto* refused = std::get_if<Refuse>(&location)) return *refused;
  const auto from = response.url.empty() ? base_url : std::string_view(response.url);
  const auto target = target_of(from, std::get<std::string_view>(location));
  const auto where = wire::origin_of(target);
  if (!where) return Refuse{Errc::refused, "the Location is not a plain http or https address"};
  if (*where != origin)
    return Refuse{Errc::refused,
                  fmt::format("the Location leads to another origin, {}", wire::to_string(*where)),
                  "make a client for it if you trust it"};
  const auto path = rest_below(target, base_url);
  if (!path)
    return Refuse{Errc::refused, "the Location is not below the client's base URL", "make a client for its base"};
  if (const auto* fault = fault_of_path(*path))
    return Refuse{Errc::refused, fmt::format("in the Location {}", fault)};
  return std::string(*path);
}

std::variant<std::string, Refuse> url_at_origins(std::string_view reference, std::string_view name,
                                                 std::string_view url, const std::vector<wire::UrlOrigin>& origins) {
  if (reference.size() > wire::longest_named_url) return Refuse{Errc::protocol, fmt::format("the {} is too long", name)};
  auto target = target_of(url, reference);
  const auto where = wire::origin_of(target);
  if (!where) return Refuse{Errc::protocol, fmt::format("the {} is not a plain http or https address", name)};
  if (std::find(origins.begin(), origins.end(), *where) == origins.end())
    return Refuse{Errc::refused,
                  fmt::format("the {} leads to another origin, {}: nothing was sent there", name,
                              wire::to_string(*where)),
                  "add it to ClientOptions::trusted_origins if it belongs to the API"};
  return target;
}

std::variant<std::string, Refuse> url_in_field(const Headers& headers, std::string_view field, std::string_view url,
                                               const std::vector<wire::UrlOrigin>& origins) {
  const auto location = only_location(headers, field);
  if (const auto* refused = std::get_if<Refuse>(&location)) return *refused;
  return url_at_origins(std::get<std::string_view>(location), field, url, origins);
}

std::variant<Follow, Refuse> decide_redirect(Method method, int status, const Headers& headers, std::string_view url,
                                             const wire::UrlOrigin& origin, std::size_t followed,
                                             std::size_t permitted, RedirectScope scope,
                                             const std::vector<wire::UrlOrigin>& trusted) {
  const bool is_query = method == Method::query;
  const bool keeps_method = status == 307 || status == 308 || (is_query && status != 303);
  if (!keeps_method && !is_query && method != Method::get && method != Method::head)
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
  auto target = target_of(url, std::get<std::string_view>(location));
  if (!is_http(wire::split_url(target).scheme))
    return Refuse{Errc::refused, "the redirect leads away from http and https: it was not followed"};
  const auto where = wire::origin_of(target);
  if (!where) return Refuse{Errc::protocol, "the Location is not a plain http or https address: it was not followed"};
  const bool becomes_get = is_query && !keeps_method;
  if (*where == origin) return Follow{std::move(target), false, becomes_get};
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
  const bool has_no_body = becomes_get || method == Method::get || method == Method::head;
  if (!has_no_body && std::find(trusted.begin(), trusted.end(), *where) == trusted.end())
    return Refuse{Errc::refused,
                  fmt::format("the redirect takes a {} to another origin, {}, which is not trusted with its body: "
                              "nothing was sent there",
                              to_string(method), wire::to_string(*where)),
                  "add it to ClientOptions::trusted_origins if it belongs to the API"};
  return Follow{std::move(target), true, becomes_get};
}

}}  // namespace noun
