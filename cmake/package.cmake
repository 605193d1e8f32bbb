# `cpack --config build/release/CPackConfig.cmake` makes a Debian package of what install.cmake installs.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME libnoun-dev)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_CONTACT "noun's developers <noun@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "libcurl4-openssl-dev (>= 7.88), libfmt-dev (>= 9), nlohmann-json3-dev (>= 3.11), zlib1g-dev, libssl-dev (>= 3.0)")
if(NOUN_SIMDJSON)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libsimdjson-dev (>= 3)")
endif()
include(CPack)
