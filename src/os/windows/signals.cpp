#include <noun/signals.hpp>

#include <atomic>
#include <exception>

#include <windows.h>

namespace noun { inline namespace v0 {
namespace {

/// Never destroyed: the handler outlives the statics of this file.
constinit std::atomic<StopSource*> source = nullptr;
constinit std::atomic<bool> caught = false;

/// Runs on a thread that the system makes.
BOOL WINAPI on_console_event(DWORD event) {
  const bool is_signal = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
  // The second one ends the process, as without noun.
  if (!is_signal || caught.exchange(true)) return FALSE;
  source.load()->request_stop();
  return TRUE;
}

StopSource* watch_console() noexcept try {
  auto* const made = new StopSource;
  source = made;
  return ::SetConsoleCtrlHandler(&on_console_event, TRUE) != 0 ? made : new StopSource(no_stop_state);
} catch (const std::exception&) {
  return nullptr;
}

}  // namespace

StopToken stop_on_signals() noexcept {
  static const auto* watched = watch_console();
  return watched == nullptr ? StopToken() : watched->get_token();
}

}}  // namespace noun
