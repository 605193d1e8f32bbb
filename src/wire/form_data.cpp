#include "wire/form_data.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

void append_parameter(std::string& out, std::string_view name, std::string_view value) {
  out += "; ";
  out += name;
  out += "=\"";
  for (const char letter : value) switch (letter) {
      case '"': out += "%22"; break;
      case '\r': out += "%0D"; break;
      case '\n': out += "%0A"; break;
      default: out += letter;
    }
  out += '"';
}

}  // namespace

std::string part_head(std::string_view boundary, std::string_view name, std::string_view file_name,
                      std::string_view content_type) {
  std::string head = "--";
  head += boundary;
  head += "\r\nContent-Disposition: form-data";
  append_parameter(head, "name", name);
  if (!file_name.empty()) append_parameter(head, "filename", file_name);
  if (!content_type.empty()) {
    head += "\r\nContent-Type: ";
    head += content_type;
  }
  return head += "\r\n\r\n";
}

}}}  // namespace noun::wire
