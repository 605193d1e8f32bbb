# An overlay port that builds the clone it lies in: vcpkg install noun --overlay-ports=cmake/packaging/vcpkg. It has not
# been tried with vcpkg itself. vcpkg does not see that the clone changes: remove noun before it is built again.

if(VCPKG_TARGET_IS_WINDOWS)
  vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
endif()

vcpkg_check_features(
  OUT_FEATURE_OPTIONS features
  FEATURES brotli NOUN_BROTLI redis NOUN_REDIS sqlite NOUN_SQLITE zstd NOUN_ZSTD)
vcpkg_find_acquire_program(PKGCONFIG)
get_filename_component(source "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
vcpkg_cmake_configure(
  SOURCE_PATH "${source}"
  OPTIONS ${features} -DNOUN_BUILD_TESTS=OFF -DNOUN_BUILD_EXAMPLES=OFF -DNOUN_INSTALL=ON
          "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/noun)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
