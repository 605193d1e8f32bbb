#include "os/file_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/printable.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr std::string_view check_file = "check the path and the permissions of the file";

std::string_view text_of(const StreamPiece& piece) { return detail::BodyAccess::text_of(piece.text); }

std::string shown(const std::string& path) { return wire::printable_excerpt(path, 200); }

Error unreadable(const std::string& path, int error) {
  return Error(Errc::invalid_argument,
               fmt::format("cannot read the file \"{}\": {}", shown(path), std::generic_category().message(error)),
               check_file);
}

Error resized(const StreamPiece& piece) {
  return Error(Errc::invalid_argument,
               fmt::format("the file \"{}\" no longer has the {} bytes that it had when the call started",
                           shown(piece.path), piece.size),
               "send a file that no other program changes");
}

/// An open file. Reads as many bytes as it had when it was measured.
class OpenFile {
 public:
  OpenFile() = default;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(); }

  /// Non-blocking, so that a FIFO does not wait for its writer.
  Result<std::uint64_t> open(const std::string& path) {
    close();
    if (path.find('\0') != std::string::npos) return unreadable(path, EINVAL);
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0) return unreadable(path, errno);
    return size(path);
  }
  Result<std::uint64_t> size(const std::string& path) const {
    struct stat facts = {};
    if (::fstat(descriptor_, &facts) != 0) return unreadable(path, errno);
    if (!S_ISREG(facts.st_mode))
      return Error(Errc::invalid_argument, fmt::format("\"{}\" is not a regular file", shown(path)),
                   "send the content with noun::body::bytes");
    return static_cast<std::uint64_t>(facts.st_size);
  }
  ssize_t read(char* into, std::size_t at_most) const noexcept {
    for (;;)
      if (const auto count = ::read(descriptor_, into, at_most); count >= 0 || errno != EINTR) return count;
  }
  void close() noexcept {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_ = -1;
};

class PieceReader final : public BodyReader {
 public:
  explicit PieceReader(const std::vector<StreamPiece>& pieces) : pieces_(pieces) {}

  /// Opens the piece at hand, if it is a file.
  Result<void> enter() {
    at_ = 0;
    file_.close();
    if (piece_ == pieces_.size() || pieces_[piece_].path.empty()) return {};
    return checked(file_.open(pieces_[piece_].path));
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
    const auto got = file_.read(into, count);
    if (got < 0) return unreadable(piece.path, errno);
    if (got == 0) return resized(piece);
    // Before the last bytes leave: a body that is complete is a request that the server acts on.
    if (at_ + static_cast<std::uint64_t>(got) == piece.size)
      if (auto same = checked(file_.size(piece.path)); !same) return std::move(same).error();
    return static_cast<std::size_t>(got);
  }

  const std::vector<StreamPiece>& pieces_;
  std::size_t piece_ = 0;
  std::uint64_t at_ = 0;
  OpenFile file_;
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
      OpenFile file;
      auto size = file.open(piece.path);
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
  OpenFile file;
  for (auto& piece : pieces) {
    if (piece.path.empty()) {
      piece.size = text_of(piece).size();
      continue;
    }
    auto size = file.open(piece.path);
    if (!size) return std::move(size).error();
    piece.size = *size;
  }
  return std::shared_ptr<const BodySource>(std::make_shared<Stream>(std::move(pieces)));
}

}}  // namespace noun
