# The toolchain of tests/portability/run macos and musl: zig, which has the headers of macOS and musl and its own C++
# library. NOUN_ZIG is the program, NOUN_ZIG_TARGET what it compiles for: `aarch64-macos`. Nothing is linked.

string(REGEX MATCH "^([^-]+)-(macos|linux)" noun_zig_system "$ENV{NOUN_ZIG_TARGET}")
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
if(CMAKE_MATCH_2 STREQUAL "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
  set(CMAKE_OSX_SYSROOT "")
  set(CMAKE_OSX_ARCHITECTURES "")
  set(CMAKE_OSX_DEPLOYMENT_TARGET "")
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()
set(CMAKE_CXX_COMPILER "$ENV{NOUN_ZIG}" c++ -target $ENV{NOUN_ZIG_TARGET})
# What archives the objects is not looked at.
set(CMAKE_AR /usr/bin/ar)
set(CMAKE_RANLIB /bin/true)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
