#pragma once
// The parts of the page of a run: the files run_*.html, run_*.css and run_*.js, which CMake puts into run_page.cpp.in.

#include <string_view>

namespace recorder {

extern const std::string_view page_body;
extern const std::string_view page_style;
extern const std::string_view page_script;

}  // namespace recorder
