#include <noun/body.hpp>

#include <memory>
#include <random>
#include <string_view>

#include <fmt/format.h>

#include "resource/body_content.hpp"
#include "resource/field_rules.hpp"
#include "wire/form_data.hpp"
#include "wire/percent.hpp"

namespace noun { inline namespace v0 { namespace body {
namespace {

using detail::BodyAccess;
using detail::BodyContent;

Body typed(std::string text, std::string content_type) {
  return BodyAccess::make(std::move(text),
                          std::make_shared<const BodyContent>(BodyContent{.content_type = std::move(content_type)}));
}

/// 128 random bits: the content of the parts is not searched for it.
std::string random_boundary() {
  std::random_device device;
  return fmt::format("noun-{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

/// A body in pieces; text that follows text becomes one piece.
void append_text(std::vector<StreamPiece>& pieces, std::string_view text) {
  if (pieces.empty() || !pieces.back().path.empty()) pieces.emplace_back();
  pieces.back().text += text;
}

void append_body(std::vector<StreamPiece>& pieces, const Body& body) {
  const auto& content = BodyAccess::content_of(body);
  append_text(pieces, BodyAccess::text_of(body));
  if (!content) return;
  for (const auto& piece : content->pieces) {
    if (piece.path.empty())
      append_text(pieces, piece.text);
    else
      pieces.push_back(piece);
  }
}

}  // namespace

Body form(const Query& fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    if (!text.empty()) text += '&';
    wire::append_query(text, name);
    text += '=';
    wire::append_query(text, value);
  }
  return typed(std::move(text), "application/x-www-form-urlencoded");
}

Body bytes(std::string content, Text content_type) { return typed(std::move(content), content_type.str()); }

Body file(Text path, Text content_type) {
  BodyContent content{.content_type = content_type.str(), .file = path.str()};
  if (content.file.empty())
    content.fault = "the path of the file to send is empty";
  else
    content.pieces.push_back({.path = content.file});
  return BodyAccess::make({}, std::make_shared<const BodyContent>(std::move(content)));
}

Part::Part(Text name, FieldValue value) : name_(name.view()), content_(std::move(value).str()) {}

Part::Part(Content content, Text name, Text file_name)
    : name_(name.view()), file_name_(file_name.view()), content_(*content.body) {
  const auto& made = BodyAccess::content_of(content_);
  if (!file_name_.empty() || !made) return;
  const auto slash = made->file.rfind('/');
  file_name_ = made->file.substr(slash == std::string::npos ? 0 : slash + 1);
}

Body multipart(std::vector<Part> parts) {
  const auto boundary = random_boundary();
  BodyContent content{.content_type = fmt::format("multipart/form-data; boundary={}", boundary)};
  if (parts.empty()) content.fault = "the multipart body has no part";
  for (const auto& part : parts) {
    const auto& made = BodyAccess::content_of(part.content_);
    const auto type = made ? std::string_view(made->content_type) : std::string_view{};
    if (made && !made->fault.empty()) content.fault = made->fault;
    if (fault_of_headers({{"Content-Type", type}}))
      content.fault = "the content type of a part has a control character";
    append_text(content.pieces, wire::part_head(boundary, part.name_, part.file_name_, type));
    append_body(content.pieces, part.content_);
    append_text(content.pieces, "\r\n");
  }
  append_text(content.pieces, fmt::format("--{}--\r\n", boundary));
  std::string text;
  if (content.pieces.size() == 1) {
    text = std::move(content.pieces.front().text);
    content.pieces.clear();
  }
  return BodyAccess::make(std::move(text), std::make_shared<const BodyContent>(std::move(content)));
}

}}}  // namespace noun::body
