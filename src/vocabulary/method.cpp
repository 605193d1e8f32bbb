#include <noun/http.hpp>

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

}}  // namespace noun
