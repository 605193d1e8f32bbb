#include "curl/proxy_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "os/sockets.hpp"
#include "wire/ascii.hpp"
#include "wire/integer.hpp"

namespace noun { inline namespace v0 {
namespace {

/// Not part of a URL.
constexpr char between = '\n';

/// The parts of `text`, without spaces; empty ones are left out.
std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(separators), text.size());
    if (const auto part = wire::trimmed(text.substr(0, end)); !part.empty()) parts.push_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<IpAddress> address_of(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return read_ip_address(std::string(host));
}

/// Whether the address is in a block such as 10.0.0.0/8; without a length, whether it is that address.
bool is_in_block(const IpAddress& address, std::string_view block) {
  const auto slash = std::min(block.find('/'), block.size());
  const auto network = address_of(block.substr(0, slash));
  if (!network || network->size != address.size) return false;
  auto bits = address.size * 8;
  if (slash < block.size()) {
    const auto length = wire::read_integer<std::size_t>(block.substr(slash + 1));
    if (!length || *length > bits) return false;
    bits = *length;
  }
  const auto whole = bits / 8;
  if (!std::equal(address.bytes.begin(), address.bytes.begin() + static_cast<std::ptrdiff_t>(whole),
                  network->bytes.begin()))
    return false;
  if (bits % 8 == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xFFU << (8 - bits % 8));
  return ((address.bytes[whole] ^ network->bytes[whole]) & mask) == 0;
}

/// @source curl(1), NO_PROXY: a domain includes its subdomains; a dot in front makes no difference.
bool is_excepted(const wire::UrlOrigin& origin, std::string_view exceptions) {
  const auto address = address_of(origin.host);
  const auto hosts = split(exceptions, ", ");
  return std::any_of(hosts.begin(), hosts.end(), [&](std::string_view one) {
    if (one == "*") return true;
    if (address) return is_in_block(*address, one);
    auto domain = wire::lowered(one);
    if (domain.starts_with('.')) domain.erase(0, 1);
    if (domain.ends_with('.')) domain.pop_back();
    std::string_view host = origin.host;
    if (host.ends_with('.')) host.remove_suffix(1);
    if (domain.empty() || !host.ends_with(domain)) return false;
    return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
  });
}

}  // namespace

std::string proxy_setting(const ProxyVariables& variables) {
  if (variables.http.empty() && variables.https.empty()) return {};
  return "http=" + variables.http + between + "https=" + variables.https + between + "none=" + variables.none;
}

std::string proxy_for(std::string_view setting, const wire::UrlOrigin& origin) {
  if (setting.find(between) == std::string_view::npos) return std::string(setting);
  std::string_view proxy;
  for (const auto line : split(setting, {&between, 1})) {
    const auto name = line.substr(0, line.find('='));
    const auto value = line.substr(std::min(name.size() + 1, line.size()));
    if (name == origin.scheme) proxy = value;
    if (name == "none" && is_excepted(origin, value)) return {};
  }
  if (proxy.empty() || proxy.find("://") != std::string_view::npos) return std::string(proxy);
  return "http://" + std::string(proxy);
}

bool is_readable(const wire::UrlOrigin& origin, std::string_view proxy_setting) {
  return origin.scheme == "http" && (!wire::is_loopback(origin) || !proxy_for(proxy_setting, origin).empty());
}

}}  // namespace noun
