# Read by the preset libcxx before everything else: GoogleTest and fmt are compiled with libc++, for Debian's libraries have
# types of libstdc++ in their interfaces.

function(noun_redirect package version content)
  set(file "${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/${package}-config")
  file(WRITE "${file}.cmake" "${content}")
  file(WRITE "${file}-version.cmake" "set(PACKAGE_VERSION ${version})\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
endfunction()

file(STRINGS /usr/include/fmt/core.h fmt_version REGEX "^#define FMT_VERSION ")
string(REGEX REPLACE ".* ([0-9]+)[0-9][0-9][0-9][0-9]$" "\\1" fmt_version "${fmt_version}")
noun_redirect(fmt ${fmt_version} [[
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
  set_property(TARGET fmt::fmt PROPERTY INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY)
endif()
]])

# The source, from Debian's package googletest.
file(STRINGS /usr/src/googletest/CMakeLists.txt gtest_version REGEX "^set\\(GOOGLETEST_VERSION ")
string(REGEX REPLACE ".* ([0-9.]+)\\)" "\\1" gtest_version "${gtest_version}")
noun_redirect(gtest ${gtest_version} [[
if(NOT TARGET gtest)
  set(INSTALL_GTEST OFF)
  add_subdirectory(/usr/src/googletest "${CMAKE_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL)
endif()
]])
