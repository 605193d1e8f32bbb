# What noun is built with where the libraries of this system are of no use: the headers of Debian's packages, which are the
# same everywhere, in a folder of their own, for beside them are those of this system. Read by tests/portability/run after
# project().

set(noun_headers "${CMAKE_BINARY_DIR}/headers")
set(noun_imported nlohmann_json::nlohmann_json fmt::fmt)
set(noun_copied fmt nlohmann)
if(NOT WIN32)
  # Nothing is linked.
  list(APPEND noun_imported CURL::libcurl ZLIB::ZLIB OpenSSL::Crypto PkgConfig::hiredis SQLite::SQLite3)
  list(APPEND noun_copied curl openssl hiredis zlib.h zconf.h sqlite3.h)
endif()
file(MAKE_DIRECTORY "${noun_headers}")
foreach(header IN LISTS noun_copied)
  foreach(folder IN ITEMS /usr/include /usr/include/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu)
    if(EXISTS ${folder}/${header})
      file(COPY ${folder}/${header} DESTINATION "${noun_headers}")
    endif()
  endforeach()
endforeach()
foreach(target IN LISTS noun_imported)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE "${noun_headers}")
endforeach()
set_property(TARGET fmt::fmt PROPERTY INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY)

if(NOUN_BUILD_TESTS)
  # The source, from Debian's package googletest.
  set(INSTALL_GTEST OFF)
  add_subdirectory(/usr/src/googletest "${CMAKE_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL)
  foreach(part IN ITEMS gmock gtest_main)
    if(NOT TARGET GTest::${part})
      add_library(GTest::${part} ALIAS ${part})
    endif()
  endforeach()
endif()
