#include "export/export_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace export_test {

const char* const program = NOUN_EXPORT_PROGRAM;
const char* const quota_program = NOUN_QUOTA_PROGRAM;

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

void redirect(const std::string& file, int stream) {
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(opened, stream);
}

}  // namespace

Process::Process(const std::filesystem::path& directory, const std::vector<std::string>& words,
                 const std::map<std::string, std::string>& environment, const std::string& output,
                 const char* path)
    : directory_(directory) {
  std::vector<std::string> all{path};
  all.insert(all.end(), words.begin(), words.end());
  auto arguments = pointers_to(all);
  const auto out_file = output.empty() ? (directory / "stdout").string() : output;
  const auto err_file = (directory / "stderr").string();
  id_ = ::fork();
  if (id_ < 0) throw std::runtime_error("cannot fork");
  if (id_ > 0) return;
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  redirect(out_file, STDOUT_FILENO);
  redirect(err_file, STDERR_FILENO);
  // A connection of the server in the parent would stay open in the child after the server has closed it.
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  if (::chdir(directory.c_str()) == 0) ::execv(path, arguments.data());
  ::_exit(127);
}

Process::~Process() {
  if (status_ >= 0) return;
  send(SIGKILL);
  wait();
}

void Process::send(int signal) const { ::kill(id_, signal); }

bool Process::ends_within(std::chrono::milliseconds patience) const {
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, id_, 0));
  pollfd end{.fd = process, .events = POLLIN, .revents = 0};
  const bool ended = process >= 0 && ::poll(&end, 1, static_cast<int>(patience.count())) > 0;
  ::close(process);
  return ended;
}

int Process::wait() {
  if (status_ >= 0) return status_;
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int killed_by = 128;
  return status_ = WIFEXITED(status) ? WEXITSTATUS(status) : killed_by + WTERMSIG(status);
}

long Process::peak_kib() const {
  std::ifstream status("/proc/" + std::to_string(id_) + "/status");
  bool is_program = false;
  for (std::string word; status >> word;) {
    // Before exec the child reports the memory of this process.
    if (word == "noun-export") is_program = true;
    if (long kib = 0; word == "VmHWM:" && status >> kib) return is_program ? kib : 0;
  }
  return 0;
}

std::string Process::out() const { return text_of(directory_ / "stdout"); }
std::string Process::err() const { return text_of(directory_ / "stderr"); }

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "noun-export-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder for the test");
  path = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

void wait_for_bytes(const std::filesystem::path& file, std::uintmax_t bytes) {
  constexpr int patience_ms = 30'000;
  const int changes = ::inotify_init1(IN_CLOEXEC);
  ::inotify_add_watch(changes, file.parent_path().c_str(), IN_CREATE | IN_MODIFY);
  std::error_code missing;
  bool changed = true;
  for (std::uintmax_t size = 0; changed && size < bytes;) {
    size = std::filesystem::file_size(file, missing);
    if (!missing && size >= bytes) break;
    size = 0;
    pollfd news{.fd = changes, .events = POLLIN, .revents = 0};
    changed = ::poll(&news, 1, patience_ms) > 0;
    char events[4096];
    if (changed && ::read(changes, events, sizeof events) < 0) changed = false;
  }
  ::close(changes);
  if (!changed) throw std::runtime_error(file.string() + " does not grow");
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace export_test
