# noun_add_precompiled(TARGET HEADERS header... LINK target...): headers that are compiled once, for targets with the same options
# that name TARGET in noun_use_precompiled(). With GCC only: clang compiles each source by itself, and so finds what a
# source forgets to include.
function(noun_add_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINK")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  # A program, for GCC reads such headers only with the kind of position-independent code that they were compiled with.
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" CONTENT "int main() {}\n")
  add_executable(${name} EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

function(noun_use_precompiled target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
