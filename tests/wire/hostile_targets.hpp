#pragma once
/// @file
/// Targets of redirects and links by which a server could send a client elsewhere.

#include <string>
#include <vector>

namespace noun_test {

/// An origin: the scheme, the host, and the port with its colon, if any.
struct TargetOrigin {
  std::string scheme;
  std::string host;
  std::string port = {};

  std::string authority() const { return host + port; }
};

/// Targets that must not be followed from a URL at `own`. Most name `other`, on a port of which somebody may listen.
inline std::vector<std::string> hostile_targets(const TargetOrigin& own, const TargetOrigin& other) {
  using namespace std::literals;
  const auto scheme = own.scheme + ":";
  const auto to = scheme + "//";
  const auto mine = own.authority();
  const auto evil = other.authority();
  std::vector<std::string> all = {
      // Another host or port.
      to + evil,
      to + evil + "/v1/x",
      "//" + evil + "/v1/x",
      to + own.host + ":8443/v1/x",
      to + own.host + ":0",
      to + own.host + ":99999",
      to + own.host + ":x",
      to + own.host + "." + evil,
      to + own.host + "./v1/x",
      // Another scheme.
      (own.scheme == "https" ? "http://" : "https://") + mine + "/v1/x",
      "ftp://" + evil,
      "file:///etc/passwd",
      "file://" + evil + "/etc/passwd",
      "gopher://" + evil + "/_GET",
      "dict://" + evil + "/d:x",
      "ldap://" + evil,
      "scp://" + evil,
      "ws://" + evil,
      "telnet://" + evil,
      "data:application/json,[666]",
      "javascript:alert(1)",
      "mailto:a@b",
      "about:blank",
      "view-source:" + to + evil,
      // Userinfo.
      to + mine + "@" + evil + "/",
      to + own.host + "@" + evil + "/",
      to + own.host + ":pw@" + evil + "/",
      to + "user:pw@" + mine + "/v1/x",
      to + "@" + mine + "/v1/x",
      to + own.host + "%40" + evil + "/",
      to + evil + "#@" + mine + "/v1/x",
      to + evil + "?@" + mine + "/v1/x",
      to + evil + "\\@" + mine + "/v1/x",
      to + evil + ";@" + mine + "/v1/x",
      // Slashes and backslashes that readers count differently.
      scheme + evil,
      scheme + "/" + evil,
      to + "/" + evil,
      to + "//" + evil,
      "\\\\" + evil + "/x",
      "/\\" + evil + "/x",
      "\\/" + evil + "/x",
      scheme + "\\\\" + evil,
      scheme + "/\\" + evil,
      // Characters that readers remove or stop at.
      "/\t/" + evil,
      "//\t" + evil,
      to + own.host + "\t." + evil,
      to + evil + "\n/x",
      to + mine + "/x\r\nHost: " + evil,
      to + evil + "\0"s + mine,
      to + mine + "\0."s + evil,
      to + evil + " /x",
      "\x01" + to + evil,
      to + evil + "\x7f",
      // Hosts that readers decode differently.
      to + "%6c%6fcalhost" + other.port,
      to + own.host + "%2e" + evil,
      to + own.host + "%00." + evil,
      to + own.host + "%2f." + evil,
      to + "[::ffff:127.0.0.1]" + other.port,
      to + "[::1]" + other.port,
      to + "[fe80::1%25lo]" + other.port,
      to + "[::1",
      to + "2130706433" + other.port,
      to + "0x7f000001" + other.port,
      to + "0177.0.0.1" + other.port,
      to + "127.1" + other.port,
      to + "localhost" + other.port,
      to + "LOCALHOST." + other.port,
      to + "169.254.169.254/latest/meta-data",
      to + "xn--pi-hla.example.com/",
      to + "p\xc3\xa4i.example.com/",
      to + "\xef\xbd\x85vil.example" + other.port,
      // Long ones.
      to + evil + "/" + std::string(1 << 20, 'a'),
      to + std::string(1 << 20, 'a') + "." + evil,
  };
  return all;
}

}  // namespace noun_test
