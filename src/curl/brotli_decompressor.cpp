#include <cstdint>
#include <new>

#include <brotli/decode.h>

#include "curl/decompressor.hpp"

namespace noun { inline namespace v0 {
namespace {

bool is_out_of_memory(BrotliDecoderErrorCode code) noexcept {
  return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

struct Destroy {
  void operator()(BrotliDecoderState* state) const noexcept { BrotliDecoderDestroyInstance(state); }
};

/// The window is 16 MiB at most: the decoder refuses larger ones unless it is asked for them.
class BrotliDecompressor final : public Decompressor {
 public:
  BrotliDecompressor() : state_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)) {
    if (!state_) throw std::bad_alloc();
  }

  Progress step(std::string_view bytes, std::span<char> out) override {
    auto left = bytes.size();
    auto room = out.size();
    const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
    auto* to = reinterpret_cast<std::uint8_t*>(out.data());
    const auto outcome = BrotliDecoderDecompressStream(state_.get(), &left, &from, &room, &to, nullptr);
    if (outcome == BROTLI_DECODER_RESULT_ERROR) {
      if (is_out_of_memory(BrotliDecoderGetErrorCode(state_.get()))) throw std::bad_alloc();
      return {.state = State::corrupt};
    }
    return {.taken = bytes.size() - left,
            .made = out.size() - room,
            .state = outcome == BROTLI_DECODER_RESULT_SUCCESS ? State::ended : State::unfinished};
  }

 private:
  std::unique_ptr<BrotliDecoderState, Destroy> state_;
};

}  // namespace

std::unique_ptr<Decompressor> brotli_decompressor() { return std::make_unique<BrotliDecompressor>(); }
bool has_brotli() noexcept { return true; }

}}  // namespace noun
