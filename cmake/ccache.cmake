# Compiles through ccache where it is installed and the builder has not said otherwise.

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER})
  find_program(NOUN_CCACHE ccache)
  mark_as_advanced(NOUN_CCACHE)
  if(NOUN_CCACHE)
    # Without the base directory ccache would know a file again in this checkout only.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${NOUN_CCACHE}")
  endif()
endif()
