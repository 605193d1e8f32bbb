#include "curl/tls_server.hpp"

#include <array>
#include <charconv>
#include <csignal>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "curl/raw_server.hpp"

namespace noun_test {
namespace {

pid_t spawn(std::vector<std::string> words, int in, int out) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int failed = ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("openssl is not installed");
  return process;
}

}  // namespace

TlsServer::TlsServer(const Certificates& certificates, const std::string& name, std::vector<std::string> options) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes for openssl");
  std::vector<std::string> words{"openssl", "s_server",
                                 "-accept", "127.0.0.1:0",
                                 "-cert",   certificates.path(name + ".pem"),
                                 "-key",    certificates.path(name + ".key")};
  words.insert(words.end(), options.begin(), options.end());
  process_ = spawn(std::move(words), in[0], out[1]);
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
  constexpr std::string_view ready = "ACCEPT 127.0.0.1:";
  std::size_t at = std::string::npos;
  for (char c; (at == std::string::npos || said_.back() != '\n') && ::read(from_, &c, 1) == 1;) {
    said_ += c;
    if (at == std::string::npos) at = said_.find(ready);
  }
  if (at == std::string::npos) throw std::runtime_error("openssl s_server does not start: " + said_);
  std::from_chars(said_.data() + at + ready.size(), said_.data() + said_.size(), port_);
  thread_ = std::thread([this] { run(); });
}

TlsServer::~TlsServer() { stop(); }

void TlsServer::run() {
  constexpr std::string_view first_line = " HTTP/1.1";
  constexpr std::string_view end = "\r\n\r\n";
  const auto reply = http_response("ok");
  std::size_t handled = 0;
  std::array<char, 4096> bytes;
  for (ssize_t count; (count = ::read(from_, bytes.data(), bytes.size())) > 0;) {
    said_.append(bytes.data(), static_cast<std::size_t>(count));
    const auto line = said_.find(first_line, handled);
    const auto whole = line == std::string::npos ? line : said_.find(end, line);
    if (whole == std::string::npos) continue;
    handled = whole + end.size();
    if (::write(to_, reply.data(), reply.size()) < 0) return;
  }
}

std::string TlsServer::url(std::string_view host) const {
  return "https://" + std::string(host) + ":" + std::to_string(port_) + "/";
}

std::string TlsServer::stop() {
  if (process_ > 0) {
    const auto process = std::exchange(process_, -1);
    ::kill(process, SIGTERM);
    thread_.join();
    ::waitpid(process, nullptr, 0);
    ::close(to_);
    ::close(from_);
  }
  return said_;
}

std::size_t count_of(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace noun_test
