#include <noun/quota.hpp>

#include <ostream>

namespace noun { inline namespace v0 {

std::string_view to_string(WhenExhausted choice) noexcept {
  switch (choice) {
    case WhenExhausted::wait: return "wait";
    case WhenExhausted::fail: return "fail";
  }
  return "?";
}

std::string_view to_string(Priority priority) noexcept {
  switch (priority) {
    case Priority::bulk: return "bulk";
    case Priority::normal: return "normal";
    case Priority::interactive: return "interactive";
  }
  return "?";
}

std::string_view to_string(Inference inference) noexcept {
  switch (inference) {
    case Inference::full: return "full";
    case Inference::reported_only: return "reported_only";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, WhenExhausted choice) { return out << to_string(choice); }
std::ostream& operator<<(std::ostream& out, Priority priority) { return out << to_string(priority); }
std::ostream& operator<<(std::ostream& out, Inference inference) { return out << to_string(inference); }

}}  // namespace noun
