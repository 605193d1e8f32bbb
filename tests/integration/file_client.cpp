#include "integration/file_client.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace integration {

FileClient::FileClient(std::vector<std::string> words) {
  words.insert(words.begin(), NOUN_FILE_CLIENT);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const int error = ::posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  voice_ = ends[0];
  if (error != 0) throw std::system_error(error, std::generic_category(), NOUN_FILE_CLIENT);
}

void FileClient::kill() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(std::exchange(process_, -1), nullptr, 0);
  }
  if (voice_ >= 0) ::close(std::exchange(voice_, -1));
}

std::string FileClient::wait() {
  std::string said;
  std::array<char, 4096> bytes;
  for (ssize_t count = 0; (count = ::read(voice_, bytes.data(), bytes.size())) > 0;)
    said.append(bytes.data(), static_cast<std::size_t>(count));
  ::waitpid(std::exchange(process_, -1), nullptr, 0);
  kill();
  return said;
}

}  // namespace integration
