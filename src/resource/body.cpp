#include <noun/body.hpp>

#include <memory>
#include <random>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "os/files.hpp"
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
class Pieces {
 public:
  void add_text(std::string_view text) { text_ += text; }
  void add_body(const Body& body) {
    add_text(BodyAccess::text_of(body));
    const auto& content = BodyAccess::content_of(body);
    if (!content) return;
    for (const auto& piece : content->pieces) {
      if (piece.path.empty()) {
        add_text(BodyAccess::text_of(piece.text));
      } else {
        end_text();
        pieces_.push_back(piece);
      }
    }
  }
  bool are_text() const noexcept { return pieces_.empty(); }
  std::string take_text() { return std::move(text_); }
  std::vector<StreamPiece> take() {
    end_text();
    return std::move(pieces_);
  }

 private:
  void end_text() {
    if (!text_.empty()) pieces_.push_back({.text = std::exchange(text_, {})});
  }

  std::vector<StreamPiece> pieces_;
  std::string text_;
};

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
  file_name_ = made->file.substr(folder_size(made->file));
}

Body multipart(std::vector<Part> parts) {
  const auto boundary = random_boundary();
  BodyContent content{.content_type = fmt::format("multipart/form-data; boundary={}", boundary)};
  Pieces pieces;
  if (parts.empty()) content.fault = "the multipart body has no part";
  for (const auto& part : parts) {
    const auto& made = BodyAccess::content_of(part.content_);
    const auto type = made ? std::string_view(made->content_type) : std::string_view{};
    if (made && !made->fault.empty()) content.fault = made->fault;
    if (fault_of_headers({{"Content-Type", type}}))
      content.fault = "the content type of a part has a control character";
    pieces.add_text(wire::part_head(boundary, part.name_, part.file_name_, type));
    pieces.add_body(part.content_);
    pieces.add_text("\r\n");
  }
  pieces.add_text(fmt::format("--{}--\r\n", boundary));
  std::string text;
  if (pieces.are_text())
    text = pieces.take_text();
  else
    content.pieces = pieces.take();
  return BodyAccess::make(std::move(text), std::make_shared<const BodyContent>(std::move(content)));
}

}}}  // namespace noun::body
