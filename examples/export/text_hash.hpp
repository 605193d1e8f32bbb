#pragma once
// Hashes of texts that a server or a user chose.

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/types.h>

namespace noun_export {

using TextDigest = std::array<unsigned char, 16>;

/// SHA-256 of a random seed and a text, cut to 128 bits: no server can send two keys that are taken for one. For one
/// process and one thread.
class TextHash {
 public:
  /// @throws std::runtime_error  if the system has no random numbers.
  TextHash();

  TextDigest of(std::string_view text) const;

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const noexcept;
  };
  TextDigest seed_;
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

/// 16 hexadecimal digits of SHA-256, the same in every process.
std::string fingerprint_of(std::string_view text);

}  // namespace noun_export
