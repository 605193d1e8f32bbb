# The warnings of noun's own folders; the including folder and those below it get them.

option(NOUN_WARNINGS_AS_ERRORS "Let a warning stop the build, with the compilers that noun is built with every day" OFF)

if(CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang|AppleClang)$")
  add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12, optimising, sees overlaps and overruns in every `"text" + std::string` and its like (its bugs 105651 and
  # 105329), and does not see that the value of an optional is read only where there is one. The sanitizers look for the
  # real ones.
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()

if(NOUN_WARNINGS_AS_ERRORS)
  set(noun_known_compiler FALSE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
    set(noun_known_compiler TRUE)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^1[4-6]\\.")
    set(noun_known_compiler TRUE)
  endif()
  if(noun_known_compiler)
    add_compile_options(-Werror)
  else()
    # A newer compiler knows newer warnings: they must not keep a visitor from the examples.
    message(STATUS "noun: warnings stay warnings with ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  endif()
endif()
