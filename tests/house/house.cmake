# What the house promises beside its tests: headers that compile alone, decisions without a network, calls that do not
# compile, and a package that others can use. With the label `full`: what `tests/run` leaves to `tests/run full`.

if(CMAKE_NM)
  get_property(noun_decision_objects TARGET noun_decisions PROPERTY NOUN_OBJECTS)
  list(APPEND noun_decision_objects $<TARGET_OBJECTS:noun_nlohmann_parser>)
  add_test(
    NAME house.no_network_symbols
    COMMAND "${CMAKE_CURRENT_LIST_DIR}/no_network_symbols" "${CMAKE_NM}" ${noun_decision_objects}
    COMMAND_EXPAND_LISTS)
  set_tests_properties(house.no_network_symbols PROPERTIES TIMEOUT 60)
else()
  message(WARNING "noun: no house.no_network_symbols: nm is not here")
endif()

if(noun_thread_sanitizer)
  message(STATUS "noun: compile-time messages and the consumers are tested without the thread sanitizer")
  return()
endif()

# The programs and the library have the flags of cmake/hardening.cmake. Examples are compiled without optimization, and so
# without fortified calls.
if(CMAKE_READELF AND NOUN_HARDEN AND NOT NOUN_SANITIZE AND UNIX AND NOT APPLE)
  set(noun_hardened "")
  foreach(part IN ITEMS ${noun_parser} ${noun_codings})
    list(APPEND noun_hardened $<TARGET_OBJECTS:${part}>)
  endforeach()
  foreach(part IN ITEMS noun_decisions noun_drivers)
    get_property(noun_objects TARGET ${part} PROPERTY NOUN_OBJECTS)
    list(APPEND noun_hardened ${noun_objects})
  endforeach()
  foreach(component IN ITEMS testing redis sqlite)
    if(TARGET noun_${component}_objects)
      list(APPEND noun_hardened $<TARGET_OBJECTS:noun_${component}_objects>)
    endif()
  endforeach()
  if(BUILD_SHARED_LIBS)
    list(APPEND noun_hardened $<TARGET_FILE:noun>)
  endif()
  foreach(target IN ITEMS noun_export noun_quota atlas_server)
    if(TARGET ${target})
      list(APPEND noun_hardened $<TARGET_FILE:${target}>)
    endif()
  endforeach()
  get_property(noun_shown DIRECTORY "${PROJECT_SOURCE_DIR}/examples" PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER noun_shown INCLUDE REGEX "^(example_|main_job$)")
  list(TRANSFORM noun_shown REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  set(noun_fortified $<$<NOT:$<CONFIG:Debug>>:--fortified>)
  set(noun_branches $<$<BOOL:${NOUN_HAS_fcf_protection_full}>:--branches>)
  add_test(
    NAME house.hardened
    COMMAND "${CMAKE_CURRENT_LIST_DIR}/hardened" "${CMAKE_READELF}" ${noun_branches} ${noun_fortified} ${noun_hardened}
    COMMAND_EXPAND_LISTS)
  set_tests_properties(house.hardened PROPERTIES TIMEOUT 60)
  if(noun_shown)
    add_test(NAME house.hardened_examples COMMAND "${CMAKE_CURRENT_LIST_DIR}/hardened" "${CMAKE_READELF}" ${noun_shown})
    set_tests_properties(house.hardened_examples PROPERTIES TIMEOUT 60)
  endif()
endif()

# What must not compile does not, and says why.
set(noun_includes "-I$<JOIN:$<TARGET_PROPERTY:house_tests,INCLUDE_DIRECTORIES>,;-I>")
set(noun_compile_alone "${CMAKE_CXX_COMPILER}" "${CMAKE_CXX20_STANDARD_COMPILE_OPTION}" "${noun_includes}")

# Each source alone, with one compiler: it takes two minutes.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOUN_SIMDJSON AND NOUN_REDIS AND NOUN_SQLITE)
  add_test(
    NAME house.compiles_alone
    COMMAND "${CMAKE_CURRENT_LIST_DIR}/compiles_alone" "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}/compiles_alone"
            "${noun_compile_alone}" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
    COMMAND_EXPAND_LISTS)
  set_tests_properties(house.compiles_alone PROPERTIES TIMEOUT 600)
endif()
add_test(
  NAME house.must_not_compile
  COMMAND
    "${CMAKE_CURRENT_SOURCE_DIR}/must_not_compile/check" "${CMAKE_CURRENT_SOURCE_DIR}/must_not_compile/calls"
    "${CMAKE_CURRENT_BINARY_DIR}/must_not_compile" "${noun_compile_alone}"
  COMMAND_EXPAND_LISTS)
set_tests_properties(house.must_not_compile PROPERTIES TIMEOUT 120)

# An older mode of the compiler is one message.
add_test(
  NAME house.older_modes
  COMMAND
    "${CMAKE_CURRENT_SOURCE_DIR}/must_not_compile/older_modes" "${PROJECT_SOURCE_DIR}/include"
    "${CMAKE_CURRENT_BINARY_DIR}/older_modes" "${CMAKE_CXX_COMPILER}" "${CMAKE_CXX17_STANDARD_COMPILE_OPTION}"
    "${noun_includes}"
  COMMAND_EXPAND_LISTS)
set_tests_properties(house.older_modes PROPERTIES TIMEOUT 300)

# What the front page says, compiles.
add_test(
  NAME house.readme_snippets
  COMMAND
    "${CMAKE_CURRENT_LIST_DIR}/readme_snippets" "${PROJECT_SOURCE_DIR}/README.md"
    "${CMAKE_CURRENT_BINARY_DIR}/readme_snippets" "${noun_compile_alone}"
  COMMAND_EXPAND_LISTS)
set_tests_properties(house.readme_snippets PROPERTIES TIMEOUT 120)

# The texts that users read are those of tests/data/messages.txt.
find_program(NOUN_PYTHON3 python3)
mark_as_advanced(NOUN_PYTHON3)
if(NOUN_PYTHON3)
  add_test(
    NAME house.messages
    COMMAND
      "${NOUN_PYTHON3}" "${CMAKE_CURRENT_LIST_DIR}/messages" "${PROJECT_SOURCE_DIR}"
      "${CMAKE_CURRENT_SOURCE_DIR}/data/messages.txt")
  set_tests_properties(house.messages PROPERTIES TIMEOUT 60)
else()
  message(STATUS "noun: no house.messages: python3 is not here")
endif()

# The scripts go on where packages cannot be installed.
add_test(NAME house.packages COMMAND "${CMAKE_CURRENT_LIST_DIR}/packages_go_on" "${PROJECT_SOURCE_DIR}"
                                     "${CMAKE_CURRENT_BINARY_DIR}/packages")
set_tests_properties(house.packages PROPERTIES TIMEOUT 60)

# What the docstrings show, compiles.
add_test(
  NAME house.docstring_snippets
  COMMAND
    "${CMAKE_CURRENT_LIST_DIR}/docstring_snippets" "${PROJECT_SOURCE_DIR}/include"
    "${CMAKE_CURRENT_BINARY_DIR}/docstring_snippets" "${noun_compile_alone}"
  COMMAND_EXPAND_LISTS)
set_tests_properties(house.docstring_snippets PROPERTIES TIMEOUT 120)

# The site is written without a warning, and every public name is in it with a docstring.
if(TARGET site)
  add_test(NAME house.site COMMAND "${CMAKE_CURRENT_LIST_DIR}/site_is_whole" "${DOXYGEN_EXECUTABLE}" "${PROJECT_BINARY_DIR}/Doxyfile"
                                   "${CMAKE_CURRENT_BINARY_DIR}/site")
  set_tests_properties(house.site PROPERTIES TIMEOUT 180 LABELS full)
else()
  message(STATUS "noun: no house.site: doxygen is not here")
endif()

# What a debugger shows.
if(NOT NOUN_SANITIZE)
  add_test(
    NAME consumer.gdb_shows
    COMMAND
      "${CMAKE_CURRENT_SOURCE_DIR}/consumer/gdb_shows" "${PROJECT_SOURCE_DIR}/cmake/noun_gdb.py"
      "${CMAKE_CURRENT_SOURCE_DIR}/consumer/gdb_subject.cpp" "${CMAKE_CURRENT_BINARY_DIR}/gdb_shows" "${CMAKE_CXX_COMPILER}"
      $<TARGET_FILE:noun> -lfmt -lcurl -lz -lcrypto $<$<BOOL:${NOUN_SIMDJSON}>:-lsimdjson>
      $<$<TARGET_EXISTS:PkgConfig::libbrotlidec>:-lbrotlidec> $<$<TARGET_EXISTS:PkgConfig::libzstd>:-lzstd> -pthread
      -- "${CMAKE_CXX20_STANDARD_COMPILE_OPTION}" "${noun_includes}"
    COMMAND_EXPAND_LISTS)
  set_tests_properties(consumer.gdb_shows PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77)
endif()

# A program outside the tree, by each way in; an installed library has no sanitizer.
set(noun_ways source configured)
if(NOT NOUN_SANITIZE)
  list(APPEND noun_ways installed)
endif()
if(NOUN_INSTALL)
  foreach(way IN LISTS noun_ways)
    add_test(
      NAME consumer.${way}
      COMMAND
        "${CMAKE_CURRENT_SOURCE_DIR}/consumer/check" ${way} "${CMAKE_COMMAND}" "${PROJECT_SOURCE_DIR}"
        "${PROJECT_BINARY_DIR}" "$<CONFIG>" "${CMAKE_CXX_COMPILER}")
    set_tests_properties(consumer.${way} PROPERTIES TIMEOUT 300)
  endforeach()
  # They configure or build noun once more.
  set_tests_properties(consumer.source consumer.configured PROPERTIES LABELS full)
endif()
