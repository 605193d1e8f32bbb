# The toolchain of tests/portability/run macos: zig, which has the headers of macOS and its C++ library. NOUN_ZIG is the
# program, NOUN_ARCHITECTURE aarch64 or x86_64. Nothing is linked.

set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR $ENV{NOUN_ARCHITECTURE})
set(CMAKE_CXX_COMPILER "$ENV{NOUN_ZIG}" c++ -target $ENV{NOUN_ARCHITECTURE}-macos)
# What archives the objects is not looked at.
set(CMAKE_AR /usr/bin/ar)
set(CMAKE_RANLIB /bin/true)
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_OSX_ARCHITECTURES "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
