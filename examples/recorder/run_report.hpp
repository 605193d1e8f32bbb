#pragma once
// A report of a run for people: a page that a browser opens from a file, or a trace for the viewers that browsers have.

#include <cstddef>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "run_log.hpp"

namespace recorder {

/// A report has so many of the last events, and the number of those before them.
inline constexpr std::size_t most_reported = 200'000;

enum class ReportFormat { page, trace };

/// By the suffix: .html is a page, .json a trace, another one nothing.
std::optional<ReportFormat> report_format(const std::filesystem::path& file);

/// Whether a text is the start of a report.
bool is_report(std::string_view text);

/// The report of the last lines of a run, at most `most`.
/// @throws std::runtime_error  as read_steps().
std::string report_of(std::istream& lines, ReportFormat format, std::size_t most = most_reported);

/// One HTML file. It loads nothing, and runs no script but its own. Texts of the server are data in it.
std::string page_of(RunEnd run);

}  // namespace recorder
