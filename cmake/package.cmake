# `cpack --config build/release/CPackConfig.cmake` makes a Debian package of what install.cmake installs. Configured with
# -DCMAKE_INSTALL_PREFIX=/usr it has the libraries where Debian has those of each machine.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME libnoun-dev)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "client SDK toolkit for resource-style HTTP APIs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "noun makes typed collections and items of a REST service. It follows every\n\
page, keeps within the service's quota, and sends again what is safe to\n\
send again. This package has the library, its headers, and its testing kit."
)
set(NOUN_PACKAGE_CONTACT "noun's developers <noun@example.org>" CACHE STRING "Who maintains the Debian package")
set(CPACK_PACKAGE_CONTACT "${NOUN_PACKAGE_CONTACT}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_SCRIPTS "${PROJECT_BINARY_DIR}/debian_documents.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "libcurl4-openssl-dev (>= 7.88), libfmt-dev (>= 9), nlohmann-json3-dev (>= 3.11), zlib1g-dev, libssl-dev (>= 3.0)")
if(NOUN_SIMDJSON)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libsimdjson-dev (>= 3)")
endif()
if(NOUN_BROTLI)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libbrotli-dev")
endif()
if(NOUN_ZSTD)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libzstd-dev (>= 1.4)")
endif()
if(noun_is_archive AND (NOUN_BROTLI OR NOUN_ZSTD OR NOUN_REDIS))
  # find_package(noun) finds them by pkg-config.
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", pkgconf")
endif()
set(noun_suggested "")
if(NOUN_REDIS)
  list(APPEND noun_suggested "libhiredis-dev (>= 0.14)")
endif()
if(NOUN_SQLITE)
  list(APPEND noun_suggested "libsqlite3-dev (>= 3.37)")
endif()
list(JOIN noun_suggested ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)
# The C and C++ libraries that programs and shared libraries run with.
find_program(NOUN_SHLIBDEPS dpkg-shlibdeps)
if(NOUN_SHLIBDEPS AND (BUILD_SHARED_LIBS OR NOUN_INSTALL_PROGRAMS))
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/packaging/debian_documents.cmake.in"
               "${PROJECT_BINARY_DIR}/debian_documents.cmake" @ONLY)
include(CPack)
