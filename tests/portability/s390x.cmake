# The toolchain of tests/portability/run s390x: big-endian, with Debian's libraries unpacked in build/s390x/root; programs
# run in qemu.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER s390x-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE s390x-linux-gnu)
set(CMAKE_SYSROOT "$ENV{NOUN_SYSROOT}")
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-s390x-static;-L;$ENV{NOUN_SYSROOT}")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "$ENV{NOUN_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "$ENV{NOUN_SYSROOT}/usr/lib/s390x-linux-gnu/pkgconfig:$ENV{NOUN_SYSROOT}/usr/share/pkgconfig")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
