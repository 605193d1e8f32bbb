#include "wire/form_data.hpp"

#include "wire/ascii.hpp"
#include "wire/percent.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

void append_parameter(std::string& out, std::string_view name, std::string_view value) {
  out += "; ";
  out += name;
  out += "=\"";
  for (const char& letter : value)
    if (letter == '"' || is_control(letter))
      append_segment(out, {&letter, 1});
    else
      out += letter;
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
