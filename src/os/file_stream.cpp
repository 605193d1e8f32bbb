#include "os/file_stream.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "os/files.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view check_file = "check the path and the permissions of the file";

std::string_view text_of(const StreamPiece& piece) { return detail::BodyAccess::text_of(piece.text); }

std::string shown(const std::string& path) { return wire::printable_excerpt(path, 200); }

Error unreadable(const std::string& path, std::error_code fault) {
  return Error(Errc::invalid_argument, fmt::format("cannot read the file \"{}\": {}", shown(path), fault.message()),
               check_file);
}

Error resized(const StreamPiece& piece) {
  return Error(Errc::invalid_argument,
               fmt::format("the file \"{}\" no longer has the {} bytes that it had when the call started",
                           shown(piece.path), piece.size),
               "send a file that no other program changes");
}

Result<std::uint64_t> size_of(const File& file, const std::string& path) {
  std::error_code fault;
  const auto size = file.size(fault);
  if (size) return *size;
  if (fault) return unreadable(path, fault);
  return Error(Errc::invalid_argument, fmt::format("\"{}\" is not a regular file", shown(path)),
               "send the content with noun::body::bytes");
}

/// Opens a file in place of the one that was open, and measures it.
Result<std::uint64_t> open_file(File& file, const std::string& path) {
  if (path.find('\0') != std::string::npos)
    return unreadable(path, std::make_error_code(std::errc::invalid_argument));
  std::error_code fault;
  file = File();
  file = File::open(path, fault);
  if (fault) return unreadable(path, fault);
  return size_of(file, path);
}

class PieceReader final : public BodyReader {
 public:
  explicit PieceReader(const std::vector<StreamPiece>& pieces) : pieces_(pieces) {}

  /// Opens the piece at hand, if it is a file.
  Result<void> enter() {
    at_ = 0;
    file_ = File();
    if (piece_ == pieces_.size() || pieces_[piece_].path.empty()) return {};
    return checked(open_file(file_, pieces_[piece_].path));
  }

  Result<std::size_t> read(char* into, std::size_t at_most) override {
    while (piece_ < pieces_.size()) {
      const auto left = pieces_[piece_].size - at_;
      if (left > 0) {
        auto count = take(into, static_cast<std::size_t>(std::min<std::uint64_t>(at_most, left)));
        if (count) at_ += *count;
        return count;
      }
      ++piece_;
      if (auto entered = enter(); !entered) return std::move(entered).error();
    }
    return std::size_t{0};
  }

 private:
  Result<void> checked(const Result<std::uint64_t>& size) const {
    if (!size) return size.error();
    if (*size != pieces_[piece_].size) return resized(pieces_[piece_]);
    return {};
  }
  Result<std::size_t> take(char* into, std::size_t count) {
    const auto& piece = pieces_[piece_];
    if (piece.path.empty()) return text_of(piece).copy(into, count, static_cast<std::size_t>(at_));
    std::error_code fault;
    const auto got = file_.read({into, count}, fault);
    if (!got) return unreadable(piece.path, fault);
    if (*got == 0) return resized(piece);
    // Before the last bytes leave: a body that is complete is a request that the server acts on.
    if (at_ + *got == piece.size)
      if (auto same = checked(size_of(file_, piece.path)); !same) return std::move(same).error();
    return *got;
  }

  const std::vector<StreamPiece>& pieces_;
  std::size_t piece_ = 0;
  std::uint64_t at_ = 0;
  File file_;
};

class Stream final : public BodySource {
 public:
  explicit Stream(std::vector<StreamPiece> pieces) : pieces_(std::move(pieces)) {
    for (const auto& piece : pieces_) size_ += piece.size;
  }

  std::uint64_t size() const noexcept override { return size_; }
  Result<std::unique_ptr<BodyReader>> open() const override {
    // All of them, while nothing is sent yet.
    for (const auto& piece : pieces_) {
      if (piece.path.empty()) continue;
      File file;
      auto size = open_file(file, piece.path);
      if (!size) return std::move(size).error();
      if (*size != piece.size) return resized(piece);
    }
    auto reader = std::make_unique<PieceReader>(pieces_);
    if (auto entered = reader->enter(); !entered) return std::move(entered).error();
    return std::unique_ptr<BodyReader>(std::move(reader));
  }

 private:
  std::vector<StreamPiece> pieces_;
  std::uint64_t size_ = 0;
};

}  // namespace

Result<std::shared_ptr<const BodySource>> open_stream(std::vector<StreamPiece> pieces) {
  File file;
  for (auto& piece : pieces) {
    if (piece.path.empty()) {
      piece.size = text_of(piece).size();
      continue;
    }
    auto size = open_file(file, piece.path);
    if (!size) return std::move(size).error();
    piece.size = *size;
  }
  return std::shared_ptr<const BodySource>(std::make_shared<Stream>(std::move(pieces)));
}

}}  // namespace noun
