#pragma once
/// @file
/// Faults of servers and of the way to them, a row each, and what noun does about them. Rows that noun accepts are
/// violations that it tolerates.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <noun/error.hpp>
#include <noun/http.hpp>

#include "curl/raw_server.hpp"

namespace noun_test {

/// Where a client meets a fault.
struct Site {
  std::string url;
  /// What must live as long as the site is used.
  std::shared_ptr<void> keeps = {};
  /// How many requests arrived.
  std::function<std::size_t()> requests = [] { return std::size_t{0}; };
};

/// How a fault is met: by a call, by one in the background, or in a listing, a download, a stream or the polls of a
/// long-running operation.
enum class Way { call, background, listing, download, stream, finish };

/// The TLS of a server.
struct Tls {
  /// Whether the client speaks it.
  bool spoken = false;
  /// The name of what the server presents; empty if its script speaks for itself.
  std::string certificate = {};
  bool http2 = false;
  /// Whether it knows no version after 1.1.
  bool old = false;
};

struct Otherwise {
  noun::Errc code;
  std::size_t attempts = 1;
};

struct Fault {
  std::string name;
  /// Of the error; nothing if noun accepts it.
  std::optional<noun::Errc> code;
  /// What the server does on each connection.
  RawServer::Script script = {};
  noun::Sent sent = noun::Sent::maybe;
  /// How often it is sent, of three times, if it may be repeated.
  std::size_t attempts = 3;
  /// What is different in some ways.
  std::map<Way, Otherwise> differently = {};
  /// What a response that noun accepts brings.
  std::string body = "[1,2]";
  /// Whether an attempt ends by its time limit.
  bool hangs = false;
  /// Whether it is the content coding that is at fault. Downloads and streams accept none at all.
  bool coded = false;
  /// Whether the response has no body, so that a HEAD meets it too.
  bool bodyless = false;
  /// Whether it is in the JSON.
  bool json = false;
  Tls tls = {};
  /// What stands in the place of a server.
  std::function<Site()> place = {};
  /// Whether it meets a connection that was used before, and what follows the response there.
  bool reused = false;
  std::string unsolicited = {};
};

void PrintTo(const Fault& fault, std::ostream* out);

/// @{
/// The rows, by where the fault is.
std::vector<Fault> faults_on_the_way();
std::vector<Fault> faults_of_tls();
std::vector<Fault> faults_before_the_head();
std::vector<Fault> faults_in_the_head();
std::vector<Fault> faults_in_the_body();
std::vector<Fault> faults_of_codings();
std::vector<Fault> faults_of_json();
std::vector<Fault> faults_of_statuses();
std::vector<Fault> faults_of_redirects();
std::vector<Fault> faults_of_http2();
std::vector<Fault> faults_of_reused_connections();
std::vector<Fault> tolerated_faults();
/// @}

/// All of them, with the names of the groups.
struct FaultGroup {
  std::string name;
  std::vector<Fault> faults;
};
std::vector<FaultGroup> all_faults();

/// The server of a fault. To its first request it sends `first`, unless that is empty.
Site site_of(const Fault& fault, const std::string& first = "");

/// The script within a TLS session.
RawServer::Script secured(const Tls& tls, RawServer::Script script);
/// The path of the certificate that signs those of the servers.
std::string trusted_authority();

}  // namespace noun_test
