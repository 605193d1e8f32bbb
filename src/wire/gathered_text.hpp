#pragma once
/// @file
/// A text that arrives in pieces.

#include <string>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// A view of a text while it is one piece, so that most texts are never copied; a copy from the second piece on.
class GatheredText {
 public:
  /// @param piece  must stay as it is until keep() or clear().
  void append(std::string_view piece) {
    if (view_.empty()) {
      view_ = piece;
    } else {
      keep();
      copy_ += piece;
    }
  }
  /// Copies the text, if it is not copied yet: call it before the bytes of a piece change.
  void keep() {
    if (is_copied_ || view_.empty()) return;
    copy_ = view_;
    is_copied_ = true;
  }
  void clear() noexcept {
    view_ = {};
    is_copied_ = false;
  }

  std::string_view view() const noexcept { return is_copied_ ? std::string_view(copy_) : view_; }

 private:
  std::string_view view_;
  std::string copy_;
  bool is_copied_ = false;
};

}}}  // namespace noun::wire
