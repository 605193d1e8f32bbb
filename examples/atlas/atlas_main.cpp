// The program noun-atlas: runs the server until a signal or the end of standard input.
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>

#include "atlas_arguments.hpp"
#include "atlas_service.hpp"

namespace {

/// Blocks SIGINT and SIGTERM, and returns a descriptor that receives them.
int open_termination_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t termination;
  sigemptyset(&termination);
  sigaddset(&termination, SIGINT);
  sigaddset(&termination, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &termination, nullptr);
  return signalfd(-1, &termination, SFD_CLOEXEC);
}

bool stdin_is_closed() {
  std::array<char, 4096> ignored;
  const auto count = read(STDIN_FILENO, ignored.data(), ignored.size());
  return count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
}

void wait_for_end(int signals, bool until_stdin_closes) {
  std::array<pollfd, 2> entries{pollfd{.fd = signals, .events = POLLIN, .revents = 0},
                                pollfd{.fd = until_stdin_closes ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}};
  while (true) {
    if (poll(entries.data(), entries.size(), -1) < 0) continue;
    if (entries[0].revents != 0) return;
    if (entries[1].revents != 0 && stdin_is_closed()) return;
  }
}

int run(const atlas::Arguments& arguments) {
  const int signals = open_termination_signals();
  atlas::Service service(arguments.options);
  fmt::print("listening on {}\n", service.base_url());
  std::fflush(stdout);
  wait_for_end(signals, arguments.until_stdin_closes);
  service.stop();
  fmt::print("{}\n", atlas::to_json(service.stats()));
  return std::fflush(stdout) == 0 ? 0 : 1;
}

void complain(const char* why) { std::fputs(fmt::format("noun-atlas: {}\n", why).c_str(), stderr); }

}  // namespace

int main(int count, char** words) {
  atlas::Arguments arguments;
  try {
    arguments = atlas::parse_arguments({words + 1, words + count});
  } catch (const std::exception& error) {
    complain(error.what());
    return 2;
  }
  if (arguments.help) {
    std::fputs(atlas::help_text().c_str(), stdout);
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}
