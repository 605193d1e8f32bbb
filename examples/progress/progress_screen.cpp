#include "progress_screen.hpp"

#include <unistd.h>
#if __has_include(<sys/ioctl.h>)
#include <sys/ioctl.h>
#endif
#if __has_include(<poll.h>)
#include <poll.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "printable_text.hpp"
#include "standard_streams.hpp"

namespace progress {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto repaint = std::chrono::milliseconds(100);
constexpr std::string_view to_the_begin = "\r\033[K";

/// Whether the terminal has a live line, and whether it is to get none any more.
std::atomic<bool> is_painted = false;
std::atomic<bool> is_left = false;

/// Asked each time: the terminal may be resized.
std::size_t columns_of_terminal() {
  constexpr std::size_t usual = 80;
#ifdef TIOCGWINSZ
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
#endif
  return usual;
}

}  // namespace

Screen::Style Screen::style_of(bool quiet) { return style_of(quiet, isatty(STDERR_FILENO) == 1, std::getenv("TERM")); }

Screen::Style Screen::style_of(bool quiet, bool is_terminal, const char* term) {
  if (quiet) return Style::silent;
  const std::string_view name = term == nullptr ? "" : term;
  return is_terminal && !name.empty() && name != "dumb" ? Style::live : Style::plain;
}

std::size_t Screen::longest_line(std::size_t columns) {
  // Many terminals wrap after the last column. They show ^C after the line, for which a narrow one has no columns.
  constexpr std::size_t narrow = 20;
  const std::size_t kept_free = columns < narrow ? 1 : 3;
  return columns - std::min(columns, kept_free);
}

Screen::Screen(Style style) : style_(style), board_(Clock::now()) {
  if (style_ == Style::live) painter_ = std::thread([this] { paint(); });
}

Screen::~Screen() { stop(); }

void Screen::stop() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  auto painter = std::exchange(painter_, {});
  lock.unlock();
  changed_.notify_one();
  if (painter.joinable()) painter.join();
  lock.lock();
  erase();
}

void Screen::observe(const noun::Event& event) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const auto to_print = board_.observe(event, now);
  if (style_ == Style::silent) return;
  if (!to_print.notice.empty()) print(to_print.notice);
  if (style_ == Style::plain && to_print.hold_started) print(hold_line(board_.view(now)));
}

void Screen::progress(std::uint64_t items, std::uint64_t pages, std::optional<std::uint64_t> total,
                      const noun::ListingPlan& plan) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  board_.progress(items, pages, total, plan, now);
  if (style_ == Style::plain && board_.line_due(now)) print(plain_line(board_.view(now)));
}

void Screen::say(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (style_ != Style::silent) print(line);
}

void Screen::complain(std::string_view line) {
  const std::lock_guard lock(mutex_);
  print(line);
}

void Screen::write_above(const std::function<void()>& write) {
  const std::lock_guard lock(mutex_);
  erase();
  write();
}

void Screen::print(std::string_view line) {
  erase();
  print_error(printable(line) + '\n');
}

void Screen::erase() {
  if (std::exchange(painted_, {}).empty()) return;
  print_error(to_the_begin);
  is_painted = false;
}

void Screen::leave_clean() noexcept {
  is_left = true;
  if (!is_painted) return;
#ifdef POLLOUT
  // A terminal that is stopped would keep the process.
  pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&terminal, 1, 0) != 1) return;
#endif
  constexpr auto size = static_cast<unsigned>(to_the_begin.size());
  if (::write(STDERR_FILENO, to_the_begin.data(), size) < 0) return;
}

void Screen::paint() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (board_.has_started()) {
      auto line = live_line(board_.view(Clock::now()), longest_line(columns_of_terminal()));
      if (line != painted_ && !is_left) {
        is_painted = true;
        print_error(std::string(to_the_begin) + line);
        painted_ = std::move(line);
      }
    }
    changed_.wait_for(lock, repaint, [this] { return stopped_; });
  }
}

}  // namespace progress
