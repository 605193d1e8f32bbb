#include "export_lines.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fcntl.h>

#include "export_disk.hpp"

namespace noun_export {

void read_lines(const std::filesystem::path& file, const TakeLine& take) {
  const auto data = open_own(file, O_RDONLY);
  if (!data.is_open()) throw_unreadable(file, ENOENT);
  constexpr std::size_t step = 256 * 1024;
  std::vector<char> buffer(step);
  std::string torn;
  std::uint64_t at = 0;
  while (const auto size = read_some(data, at, buffer.data(), buffer.size(), file)) {
    at += size;
    std::string_view text(buffer.data(), size);
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      take(torn.empty() ? text.substr(0, end) : torn.append(text.substr(0, end)), true);
      torn.clear();
      text.remove_prefix(end + 1);
    }
    torn += text;
  }
  if (!torn.empty()) take(torn, false);
}

}  // namespace noun_export
