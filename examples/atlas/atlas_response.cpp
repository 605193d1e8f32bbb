// Problem documents.
#include "atlas_response.hpp"

#include <nlohmann/json.hpp>

namespace atlas {
namespace {

std::string_view title_of(int status) {
  switch (status) {
    case 400: return "Bad Request";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 416: return "Range Not Satisfiable";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return "Error";
  }
}

}  // namespace

Response problem_response(const HttpError& error) {
  nlohmann::ordered_json document;
  document["type"] = "about:blank";
  document["title"] = title_of(error.status);
  document["status"] = error.status;
  document["detail"] = error.detail;
  using Handler = nlohmann::ordered_json::error_handler_t;
  return {.status = error.status,
          .fields = error.fields,
          .body = document.dump(-1, ' ', false, Handler::replace),
          .content_type = "application/problem+json"};
}

}  // namespace atlas
