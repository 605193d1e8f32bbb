#include "integration/nginx.hpp"

#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace integration {
namespace {

constexpr int first_inherited = 10;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// A listening socket on a free port of loopback; -1 without such a loopback.
template <class Address>
int listen_on(Address address, std::uint16_t& port, in_port_t Address::*port_of) {
  const int listener = ::socket(reinterpret_cast<sockaddr&>(address).sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t length = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || ::bind(listener, raw, length) != 0 || ::listen(listener, 511) != 0 ||
      ::getsockname(listener, raw, &length) != 0) {
    ::close(listener);
    return -1;
  }
  port = ntohs(address.*port_of);
  return listener;
}

int listen_on_4(std::uint16_t& port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return listen_on(address, port, &sockaddr_in::sin_port);
}

int listen_on_6(std::uint16_t& port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  return listen_on(address, port, &sockaddr_in6::sin6_port);
}

void replace_all(std::string& text, std::string_view mark, const std::string& by) {
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
}

}  // namespace

ChildProgram::ChildProgram(std::vector<std::string> words, std::vector<std::string> environment,
                           std::vector<int> inherit) {
  std::array<int, 2> output{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe for " + words[0]);
  // The child ends with this program, also if this program is killed.
  const std::vector<std::string> with_me{"setpriv", "--pdeathsig", "TERM"};
  words.insert(words.begin(), with_me.begin(), with_me.end());
  for (char** inherited = environ; *inherited != nullptr; ++inherited) environment.emplace_back(*inherited);
  auto arguments = pointers_to(words);
  auto variables = pointers_to(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output[1], 1);
  posix_spawn_file_actions_adddup2(&actions, output[1], 2);
  // First move the descriptors above the target numbers.
  constexpr int out_of_the_way = 100;
  for (int& descriptor : inherit) descriptor = ::fcntl(descriptor, F_DUPFD_CLOEXEC, out_of_the_way);
  for (std::size_t i = 0; i < inherit.size(); ++i)
    posix_spawn_file_actions_adddup2(&actions, inherit[i], first_inherited + static_cast<int>(i));
  const int failed = ::posix_spawnp(&process_, arguments[0], &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  for (const int descriptor : inherit) ::close(descriptor);
  ::close(output[1]);
  output_ = output[0];
  if (failed != 0) {
    ::close(output_);
    throw std::runtime_error("setpriv is not installed");
  }
}

ChildProgram::~ChildProgram() {
  end(SIGTERM);
  ::close(output_);
}

void ChildProgram::wait_for_output(std::string_view words) {
  constexpr int patience_ms = 30'000;
  std::array<char, 1024> bytes;
  for (;;) {
    if (const auto at = text_.find(words, read_); at != std::string::npos) {
      read_ = at + words.size();
      return;
    }
    pollfd look{.fd = output_, .events = POLLIN, .revents = 0};
    if (::poll(&look, 1, patience_ms) == 0)
      throw std::runtime_error("the program does not print \"" + std::string(words) + "\": " + text_);
    const auto count = ::read(output_, bytes.data(), bytes.size());
    if (count <= 0)
      throw std::runtime_error("the program ended before it printed \"" + std::string(words) + "\": " + text_);
    text_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

void ChildProgram::signal(int number) const {
  if (process_ > 0) ::kill(process_, number);
}

std::string ChildProgram::wait() {
  std::array<char, 1024> bytes;
  for (ssize_t count = 0; (count = ::read(output_, bytes.data(), bytes.size())) > 0;)
    text_.append(bytes.data(), static_cast<std::size_t>(count));
  end(0);
  return text_;
}

void ChildProgram::end(int signal_number) {
  if (process_ <= 0) return;
  signal(signal_number);
  ::waitpid(std::exchange(process_, -1), nullptr, 0);
}

std::vector<std::string> Nginx::words_of(const std::string& configuration) {
  return {"/usr/sbin/nginx", "-e", "stderr", "-p", std::filesystem::path(configuration).parent_path().string(), "-c",
          configuration};
}

Nginx::Nginx(std::string servers, const std::string& module) {
  std::vector<int> listeners{listen_on_4(port_)};
  if (const int listener = listen_on_6(port6_); listener >= 0) listeners.push_back(listener);
  replace_all(servers, "@4", "127.0.0.1:" + std::to_string(port_));
  replace_all(servers, "@6", "[::1]:" + std::to_string(port6_));
  replace_all(servers, "@folder", folder_.path(""));
  std::string text = "daemon off;\nworker_processes 1;\nworker_shutdown_timeout 10s;\nerror_log stderr notice;\npid " +
                     folder_.path("pid") + ";\n";
  if (::geteuid() == 0) text += "user root;\n";
  if (!module.empty()) text += "load_module " + module + ";\n";
  text += "events {}\nhttp {\n";
  for (const auto* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    text += std::string(kind) + "_temp_path " + folder_.path(kind) + ";\n";
  text += "log_format seen '$connection $server_protocol $request_uri';\naccess_log " + folder_.path("access") +
          " seen;\n" + servers + "\n}\n";
  folder_.write("nginx.conf", text);
  // Inherited sockets avoid a race for free ports.
  std::string inherited = "NGINX=";
  for (std::size_t i = 0; i < listeners.size(); ++i)
    inherited += std::to_string(first_inherited + static_cast<int>(i)) + ";";
  process_ = std::make_unique<ChildProgram>(words_of(folder_.path("nginx.conf")), std::vector{inherited}, listeners);
  for (const int listener : listeners) ::close(listener);
  process_->wait_for_output("start worker process ");
}

void Nginx::close_idle() {
  process_->signal(SIGHUP);
  process_->wait_for_output("exited with code 0");
}

std::vector<Seen> Nginx::stop() {
  process_->end(SIGQUIT);
  std::vector<Seen> all;
  std::istringstream lines(folder_.read("access"));
  for (Seen seen; lines >> seen.connection >> seen.protocol >> seen.target;) all.push_back(seen);
  return all;
}

bool has_ipv6() {
  std::uint16_t port = 0;
  const int listener = listen_on_6(port);
  ::close(listener);
  return listener >= 0;
}

std::uint16_t free_port() {
  std::uint16_t port = 0;
  ::close(listen_on_4(port));
  return port;
}

}  // namespace integration
