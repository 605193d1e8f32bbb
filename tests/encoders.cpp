#include "encoders.hpp"

#include <cstdint>
#include <stdexcept>

#ifdef NOUN_TEST_BROTLI
#include <brotli/encode.h>
#endif
#ifdef NOUN_TEST_ZSTD
#include <zstd.h>
#endif

namespace noun_test {

#ifdef NOUN_TEST_BROTLI
std::string brotli(std::string_view text, int window_log) {
  auto* const state = BrotliEncoderCreateInstance(nullptr, nullptr, nullptr);
  BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, 5);
  BrotliEncoderSetParameter(state, BROTLI_PARAM_LARGE_WINDOW, window_log > BROTLI_MAX_WINDOW_BITS ? 1 : 0);
  BrotliEncoderSetParameter(state, BROTLI_PARAM_LGWIN, static_cast<std::uint32_t>(window_log));
  std::string out(BrotliEncoderMaxCompressedSize(text.size()) + 64, '\0');
  auto left = text.size();
  auto room = out.size();
  const auto* from = reinterpret_cast<const std::uint8_t*>(text.data());
  auto* to = reinterpret_cast<std::uint8_t*>(out.data());
  BrotliEncoderCompressStream(state, BROTLI_OPERATION_FINISH, &left, &from, &room, &to, nullptr);
  const bool finished = BrotliEncoderIsFinished(state) != 0;
  BrotliEncoderDestroyInstance(state);
  if (!finished) throw std::logic_error("brotli did not finish");
  out.resize(out.size() - room);
  return out;
}
#else
std::string brotli(std::string_view, int) { throw std::logic_error("built without libbrotlienc"); }
#endif

#ifdef NOUN_TEST_ZSTD
std::string zstd(std::string_view text, int window_log) {
  auto* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer made{out.data(), out.size(), 0};
  // In two steps: in one the frame would have the size of the text, and a window no larger.
  ZSTD_compressStream2(context, &made, &in, ZSTD_e_continue);
  const auto left = ZSTD_compressStream2(context, &made, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  if (left != 0) throw std::logic_error("zstd did not finish");
  out.resize(made.pos);
  return out;
}
#else
std::string zstd(std::string_view, int) { throw std::logic_error("built without libzstd"); }
#endif

}  // namespace noun_test
