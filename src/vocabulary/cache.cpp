#include <noun/cache.hpp>

#include <ostream>

namespace noun { inline namespace v0 {

std::string_view to_string(CacheMode mode) noexcept {
  switch (mode) {
    case CacheMode::validate: return "validate";
    case CacheMode::rfc9111: return "rfc9111";
  }
  return "?";
}

std::string_view to_string(UseCache use) noexcept {
  switch (use) {
    case UseCache::normal: return "normal";
    case UseCache::reload: return "reload";
    case UseCache::off: return "off";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, CacheMode mode) { return out << to_string(mode); }
std::ostream& operator<<(std::ostream& out, UseCache use) { return out << to_string(use); }

}}  // namespace noun
