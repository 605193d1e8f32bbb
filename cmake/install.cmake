# Installs the library, its headers, and what find_package and pkg-config read.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_target_property(noun_type noun TYPE)
set(noun_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/noun")

set(noun_components noun noun_asio noun_testing)
set(noun_component_names "noun asio testing")
set(noun_excluded "")
set(noun_optional_components redis sqlite)
set(noun_optional_headers redis_ledger sqlite_cache)
foreach(name header IN ZIP_LISTS noun_optional_components noun_optional_headers)
  if(TARGET noun_${name})
    list(APPEND noun_components noun_${name})
    string(APPEND noun_component_names " ${name}")
  else()
    list(APPEND noun_excluded PATTERN "noun/${header}.hpp" EXCLUDE)
  endif()
endforeach()
install(
  TARGETS ${noun_components}
  EXPORT noun-targets
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.hpp" ${noun_excluded})
install(
  EXPORT noun-targets
  NAMESPACE noun::
  DESTINATION "${noun_config_dir}")

# Who links the archive links its parts; who links the shared library does not.
set(noun_is_archive FALSE)
set(noun_pc_requires "fmt >= 9, nlohmann_json >= 3.11")
set(noun_pc_requires_private "libcurl >= 7.88, zlib")
set(noun_pc_system_libraries "")
if(WIN32)
  list(TRANSFORM noun_libraries PREPEND " -l" OUTPUT_VARIABLE noun_pc_system_libraries)
  list(JOIN noun_pc_system_libraries "" noun_pc_system_libraries)
else()
  string(APPEND noun_pc_requires_private ", libcrypto >= 3.0")
endif()
if(NOUN_SIMDJSON)
  string(APPEND noun_pc_requires_private ", simdjson >= 3")
endif()
if(NOUN_BROTLI)
  string(APPEND noun_pc_requires_private ", libbrotlidec >= 1.0")
endif()
if(NOUN_ZSTD)
  string(APPEND noun_pc_requires_private ", libzstd >= 1.4")
endif()
if(noun_type STREQUAL "STATIC_LIBRARY")
  set(noun_is_archive TRUE)
  string(APPEND noun_pc_requires ", ${noun_pc_requires_private}")
  set(noun_pc_requires_private "")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/noun-config.cmake.in" "${PROJECT_BINARY_DIR}/noun-config.cmake"
                              INSTALL_DESTINATION "${noun_config_dir}")
# Before 1.0 a minor version may break programs.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/noun-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/noun-config.cmake" "${PROJECT_BINARY_DIR}/noun-config-version.cmake"
        DESTINATION "${noun_config_dir}")

# What a debugger shows: `source` it in gdb.
install(FILES "${PROJECT_SOURCE_DIR}/cmake/noun_gdb.py" DESTINATION "${CMAKE_INSTALL_DATADIR}/noun")

# Paths seen from the .pc file itself, so that an installed tree can be moved.
set(noun_pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
set(noun_pc_prefix "")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(noun_pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(noun_pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(noun_pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  file(RELATIVE_PATH noun_pc_up "/${noun_pc_dir}" "/")
  string(REGEX REPLACE "/$" "" noun_pc_prefix "\${pcfiledir}/${noun_pc_up}")
  set(noun_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(noun_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/noun.pc.in" "${PROJECT_BINARY_DIR}/noun.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/noun.pc" DESTINATION "${noun_pc_dir}")

# noun_install_pc(COMPONENT DESCRIPTION [REQUIREMENT]): REQUIREMENT is what the archive needs when a program is linked; the
# shared library has it.
function(noun_install_pc noun_pc_component noun_pc_description)
  set(noun_pc_requirement "")
  if(noun_is_archive AND ARGN)
    set(noun_pc_requirement ", ${ARGN}")
  endif()
  set(file "${PROJECT_BINARY_DIR}/noun-${noun_pc_component}.pc")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/noun-component.pc.in" "${file}" @ONLY)
  install(FILES "${file}" DESTINATION "${noun_pc_dir}")
endfunction()
noun_install_pc(testing "The component of noun for tests: a simulated service, scripted responses and a manual clock")
if(NOUN_REDIS)
  noun_install_pc(redis "The component of noun that shares quotas through Redis" "hiredis >= 0.14")
endif()
if(NOUN_SQLITE)
  noun_install_pc(sqlite "The component of noun that keeps a cache in an SQLite database" "sqlite3 >= 3.37")
endif()
