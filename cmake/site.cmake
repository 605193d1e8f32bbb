# The pages: `cmake --build build/default --target site` writes build/default/site/html/index.html. Needs doxygen and, for
# its looks, doxygen-awesome-css.

find_package(Doxygen 1.9.4 QUIET)
if(NOT DOXYGEN_FOUND)
  message(STATUS "noun: no site: doxygen is not here")
  return()
endif()

set(NOUN_SITE_DIR "${PROJECT_BINARY_DIR}/site")
find_path(
  NOUN_SITE_THEME doxygen-awesome.css
  PATHS /usr/share
  PATH_SUFFIXES doxygen-awesome-css
  DOC "The folder of doxygen-awesome-css, or nothing for doxygen's own looks")
mark_as_advanced(NOUN_SITE_THEME)
set(NOUN_SITE_STYLES "")
if(NOUN_SITE_THEME)
  set(NOUN_SITE_STYLES
      "\"${NOUN_SITE_THEME}/doxygen-awesome.css\" \"${NOUN_SITE_THEME}/doxygen-awesome-sidebar-only.css\"")
endif()
string(APPEND NOUN_SITE_STYLES " \"${CMAKE_CURRENT_LIST_DIR}/site/noun.css\"")

file(GLOB noun_site_pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/guides/*.md")
list(PREPEND noun_site_pages "${PROJECT_SOURCE_DIR}/README.md")
list(APPEND noun_site_pages "${PROJECT_SOURCE_DIR}/src/ARCHITECTURE.md" "${PROJECT_SOURCE_DIR}/tests/README.md"
     "${PROJECT_SOURCE_DIR}/tests/benchmark/figures.md" "${PROJECT_SOURCE_DIR}/examples/cookbook/README.md"
     "${PROJECT_SOURCE_DIR}/CONTRIBUTING.md" "${PROJECT_SOURCE_DIR}/SECURITY.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md")
list(JOIN noun_site_pages "\" \"" NOUN_SITE_PAGES)
set(NOUN_SITE_PAGES "\"${NOUN_SITE_PAGES}\"")
file(GLOB noun_site_examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/[01]*.cpp"
     "${PROJECT_SOURCE_DIR}/examples/executors/*.cpp" "${PROJECT_SOURCE_DIR}/examples/cookbook/*.cpp")
list(JOIN noun_site_examples "\" \"" NOUN_SITE_EXAMPLES)
set(NOUN_SITE_EXAMPLES "\"${NOUN_SITE_EXAMPLES}\"")
configure_file("${CMAKE_CURRENT_LIST_DIR}/site/Doxyfile.in" "${PROJECT_BINARY_DIR}/Doxyfile" @ONLY)

add_custom_target(
  site
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${NOUN_SITE_DIR}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${NOUN_SITE_DIR}"
  COMMAND Doxygen::doxygen "${PROJECT_BINARY_DIR}/Doxyfile"
  COMMENT "Writing the site"
  VERBATIM)
