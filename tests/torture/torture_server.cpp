#include "torture/torture_server.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "curl/tls_peer.hpp"
#include "encoders.hpp"

namespace torture {
namespace {

using noun_test::http_response;
using Peer = noun_test::RawServer::Peer;
using Json = nlohmann::json;

/// A request line, and where its body starts.
struct Request {
  explicit Request(const std::string& all) : text(all) {
    const auto line = std::string_view(text).substr(0, text.find("\r\n"));
    method = line.substr(0, line.find(' '));
    path = line.substr(method.size() + 1, line.rfind(' ') - method.size() - 1);
    query = path.substr(std::min(path.find('?'), path.size()));
    path = path.substr(0, path.size() - query.size());
    // A proxy gets the whole URL.
    if (path.starts_with("http:")) path = path.substr(path.find('/', std::string_view("http://").size()));
    part = path.substr(0, path.find('/', 1));
    resource = path.substr(part.size());
    body = std::string_view(text).substr(text.find("\r\n\r\n") + 4);
  }
  bool has(std::string_view field) const { return text.find(field) != std::string::npos; }
  int number() const { return std::stoi(std::string(resource.substr(resource.rfind('/') + 1))); }

  const std::string& text;
  std::string_view method, path, query, part, resource, body;
};

std::string thing(int id) { return Json{{"id", id}, {"name", fmt::format("thing {}", id)}}.dump(); }

std::string page(const Request& request, int number) {
  Json items = Json::array();
  for (int id = 4 * number - 3; id <= 4 * number; ++id) items.push_back(Json::parse(thing(id)));
  const auto next = number < 3 ? fmt::format("<{}?page={}>; rel=\"next\", ", request.path, number + 1) : "";
  return http_response(items.dump(), fmt::format("Link: {}<{}?page=3>; rel=\"last\"\r\n", next, request.path));
}

/// Part of the file, and then the end of the connection; the rest for who asks for it.
std::string file(const Request& request, bool is_first) {
  constexpr std::string_view range = "\r\nRange: bytes=";
  const auto& all = served_file();
  if (const auto at = request.text.find(range); at != std::string::npos) {
    const auto from = std::stoul(request.text.substr(at + range.size()));
    return http_response(
        all.substr(from),
        fmt::format("ETag: \"f\"\r\nContent-Range: bytes {}-{}/{}\r\n", from, all.size() - 1, all.size()),
        "206 Partial Content");
  }
  const auto whole = http_response(all, "ETag: \"f\"\r\n");
  return is_first ? whole.substr(0, whole.size() - all.size() / 2) : whole;
}

std::string coded(const Request& request) {
  const auto coding = request.resource.substr(request.resource.rfind('/') + 1);
  if (coding == "gzip") return noun_test::zipped(noun_test::compressed(thing(7)));
  if (coding == "br" && request.has("br")) return noun_test::zipped(noun_test::brotli(thing(7)), "br");
  if (coding == "zstd" && request.has("zstd")) return noun_test::zipped(noun_test::zstd(thing(7)), "zstd");
  return http_response(thing(7));
}

/// @param visit  1 for the first request of its method to its path.
std::string response_to(const Request& request, int visit) {
  const auto starts = [&](std::string_view start) { return request.resource.starts_with(start); };
  const auto in_part = [&](std::string_view rest) { return std::string(request.part) + std::string(rest); };
  if (starts("/things") && request.method == "POST") return http_response(request.body, "", "201 Created");
  if (starts("/things") && request.method == "DELETE") return http_response("", "", "204 No Content");
  if (starts("/things") && request.method != "GET") return http_response(request.body);
  if (starts("/things/")) return http_response(thing(request.number()));
  if (starts("/limited"))
    return visit == 1 ? http_response("", "Retry-After: 0\r\n", "429 Too Many Requests")
                      : http_response(request.body, "", "201 Created");
  if (starts("/moved"))
    return http_response("", "Location: " + in_part("/things/7") + "\r\n", "307 Temporary Redirect");
  if (starts("/coded/")) return coded(request);
  if (starts("/pages")) return page(request, request.query.empty() ? 1 : request.query.back() - '0');
  if (starts("/file")) return file(request, visit == 1);
  if (starts("/upload"))
    return http_response(Json{{"id", request.has(served_file()) ? 1 : 0}, {"name", "upload"}}.dump(), "",
                         "201 Created");
  if (starts("/events"))
    return std::string(noun_test::ok) + "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
           "b\r\ndata: one\n\n\r\nb\r\ndata: two\n\n\r\nd\r\ndata: three\n\n\r\n0\r\n\r\n";
  if (starts("/jobs/1") && visit > 1) return http_response(thing(7));
  if (starts("/jobs"))
    return http_response("", "Retry-After: 0\r\nLocation: " + in_part("/jobs/1") + "\r\n", "202 Accepted");
  if (starts("/cached"))
    return request.has("If-None-Match: \"c\"") ? "HTTP/1.1 304 Not Modified\r\nETag: \"c\"\r\n\r\n"
                                               : http_response(thing(7), "ETag: \"c\"\r\n");
  if (starts("/shared"))
    return http_response(thing(7), fmt::format("X-RateLimit-Limit: 100\r\nX-RateLimit-Remaining: {}\r\n"
                                               "X-RateLimit-Reset: 60\r\n",
                                               100 - visit));
  if (starts("/token")) return http_response(R"({"access_token":"t0k3n-of-the-server","token_type":"Bearer"})");
  if (starts("/secret"))
    return request.has("Authorization: Bearer t0k3n-of-the-server") ? http_response(thing(7))
                                                                    : http_response("", "", "401 Unauthorized");
  return http_response(R"({"title":"there is no such thing"})", "Content-Type: application/problem+json\r\n",
                       "404 Not Found");
}

/// What both servers of the process share.
class Service {
 public:
  explicit Service(const noun_test::Certificates& certificates)
      : plain_([this](Peer& peer) { serve_plain(peer); }),
        secure_([this, &certificates](Peer& peer) { serve_secure(certificates, peer); }) {}

  std::string urls() const { return plain_.url("") + "\n" + secure_.url("", "https") + "\n"; }

 private:
  void serve_plain(Peer& peer) {
    while (const auto text = peer.request()) {
      const Request request(*text);
      if (request.resource == "/seen") {
        if (!peer.send(http_response(seen(request.part)))) break;
        continue;
      }
      const int visit = count(request);
      if (request.resource == "/silent") {
        peer.until_closed();
        break;
      }
      if (!peer.send(response_to(request, visit))) break;
      if (request.resource == "/file" && visit == 1) break;
    }
    end_connection();
  }
  void serve_secure(const noun_test::Certificates& certificates, Peer& peer) {
    try {
      noun_test::TlsPeer session(certificates, "torture", peer);
      for (auto text = session.some(); !text.empty(); text = session.some()) {
        const Request request(text);
        session.send(response_to(request, count(request)));
      }
    } catch (const std::exception&) {
      // The client gave up.
    }
    end_connection();
  }
  int count(const Request& request) {
    const std::lock_guard lock(mutex_);
    return ++requests_[std::string(request.part)][fmt::format("{} {}", request.method, request.resource)];
  }
  void end_connection() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_all();
  }
  /// The counts of one part, when no other connection is open; null if one stays open.
  std::string seen(std::string_view part) {
    std::unique_lock lock(mutex_);
    const bool alone = changed_.wait_for(lock, std::chrono::seconds(5),
                                         [this] { return ended_ + 1 == plain_.connections() + secure_.connections(); });
    auto of_part = requests_.extract(std::string(part));
    if (!alone) return "null";
    return of_part ? Json(of_part.mapped()).dump() : "{}";
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::map<std::string, int>> requests_;
  std::size_t ended_ = 0;
  noun_test::RawServer plain_;
  noun_test::RawServer secure_;
};

std::string line_of(std::FILE* from) {
  std::array<char, 100> line{};
  if (std::fgets(line.data(), line.size(), from) == nullptr) throw std::runtime_error("the server does not start");
  return std::string(line.data()).substr(0, std::string_view(line.data()).find('\n'));
}

}  // namespace

Server::Server(const noun_test::Certificates& certificates) {
  int from[2];
  int until[2];
  if (::pipe(from) != 0 || ::pipe(until) != 0) throw std::runtime_error("there is no pipe");
  process_ = ::fork();
  if (process_ == 0) {
    ::close(until[1]);
    ::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
    const Service service(certificates);
    const auto urls = service.urls();
    char byte = 0;
    if (::write(from[1], urls.data(), urls.size()) > 0) [[maybe_unused]]
      const auto ended = ::read(until[0], &byte, 1);
    ::_exit(0);
  }
  ::close(from[1]);
  ::close(until[0]);
  open_ = until[1];
  auto* const lines = ::fdopen(from[0], "r");
  url_ = line_of(lines);
  tls_url_ = line_of(lines);
  std::fclose(lines);
}

Server::~Server() {
  ::close(open_);
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

const std::string& served_file() {
  static const std::string all = noun_test::numbers(20'000);
  return all;
}

}  // namespace torture
