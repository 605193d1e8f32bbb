#include "draft_file.hpp"

#include <array>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/rand.h>

namespace noun_export {
namespace {

/// Short, so that a long name stays possible.
std::filesystem::path random_name_beside(const std::filesystem::path& file) {
  std::array<unsigned char, 8> bytes = {};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) throw std::bad_alloc();
  return file.parent_path() / fmt::format(".noun-export-{:02x}", fmt::join(bytes, ""));
}

}  // namespace

DraftFile::DraftFile(std::filesystem::path file, mode_t mode)
    : file_(std::move(file)), draft_(random_name_beside(file_)), data_(try_create(draft_, mode)) {
  if (!data_.is_open()) throw_unwritable("write", file_, errno);
}

DraftFile::~DraftFile() {
  std::error_code ignored;
  if (!draft_.empty()) std::filesystem::remove(draft_, ignored);
}

bool DraftFile::rename(bool replace) {
  make_durable(data_, file_);
  if (replace)
    rename_file(draft_, file_);
  else if (!rename_to_free_name(draft_, file_))
    return false;
  draft_.clear();
  return true;
}

}  // namespace noun_export
