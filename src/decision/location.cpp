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
  auto target = wire::resolve_written(from, std::get<std::string_view>(location));
  target.resize(std::min(target.find('#'), target.size()));
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

}}  // namespace noun
