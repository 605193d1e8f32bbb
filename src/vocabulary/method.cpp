#include <noun/http.hpp>

#include <ostream>

namespace noun { inline namespace v0 {

std::string_view to_string(Method method) noexcept {
  switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::post: return "POST";
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::delete_: return "DELETE";
    case Method::options: return "OPTIONS";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, Method method) { return out << to_string(method); }

}}  // namespace noun
