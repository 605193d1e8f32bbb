# The hardening flags of noun's own folders, which the including folder and those below it get; tests/house/hardened
# reads them from the programs. A sanitizer replaces them.

# The options of what is compiled without optimization. libc refuses fortified calls there.
set(noun_unoptimized -O0 -U_FORTIFY_SOURCE)

option(NOUN_HARDEN "Build with stack protectors, fortified libc calls, full RELRO and control-flow protection" ON)

if(NOUN_HARDEN AND NOT NOUN_SANITIZE AND UNIX AND NOT APPLE)
  include(CheckCXXCompilerFlag)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_compile_options(-fstack-protector-strong)
  foreach(flag IN ITEMS -fstack-clash-protection -fcf-protection=full)
    string(MAKE_C_IDENTIFIER "NOUN_HAS${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      add_compile_options(${flag})
    endif()
  endforeach()
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  endif()
  add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()
