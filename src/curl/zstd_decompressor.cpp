#include <new>

#include <zstd.h>
#include <zstd_errors.h>

#include "curl/decompressor.hpp"

namespace noun { inline namespace v0 {
namespace {

// 8 MiB. RFC 9659, section 3: a server must not need more, and a client may refuse more.
constexpr int largest_window_log = 23;

struct Free {
  void operator()(ZSTD_DStream* stream) const noexcept { ZSTD_freeDStream(stream); }
};

class ZstdDecompressor final : public Decompressor {
 public:
  ZstdDecompressor() : stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, largest_window_log);
  }

  Progress step(std::string_view bytes, std::span<char> out) override {
    if (between_frames_ && !bytes.empty() && !starts_a_frame(bytes.front())) return {.state = no_frame()};
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer made{out.data(), out.size(), 0};
    const auto outcome = ZSTD_decompressStream(stream_.get(), &made, &in);
    if (ZSTD_isError(outcome)) return {.state = state_of(ZSTD_getErrorCode(outcome))};
    between_frames_ = outcome == 0;
    after_a_frame_ = after_a_frame_ || between_frames_;
    return {.taken = in.pos, .made = made.pos, .state = between_frames_ ? State::ended : State::unfinished};
  }

 private:
  // The magic number of a frame, or of a skippable one, by its first byte: RFC 8878, section 3.1. libzstd may also read
  // formats from before the RFC, without a limit of their window.
  static bool starts_a_frame(char first) noexcept { return first == '\x28' || (first & '\xF0') == '\x50'; }

  State no_frame() const noexcept { return after_a_frame_ ? State::junk : State::corrupt; }

  State state_of(ZSTD_ErrorCode code) const {
    switch (code) {
      case ZSTD_error_memory_allocation: throw std::bad_alloc();
      case ZSTD_error_frameParameter_windowTooLarge: return State::window;
      case ZSTD_error_prefix_unknown: return no_frame();
      default: return State::corrupt;
    }
  }

  std::unique_ptr<ZSTD_DStream, Free> stream_;
  bool between_frames_ = true;
  bool after_a_frame_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> zstd_decompressor() { return std::make_unique<ZstdDecompressor>(); }
bool has_zstd() noexcept { return true; }

}}  // namespace noun
