# The toolchain of `make test-arm`: the distribution's cross compiler and its libraries for arm64 (unpacked into
# .deps/arm64); what it makes runs under qemu's user emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../../../.deps/arm64" ABSOLUTE)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH "${root}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/emulated")
# Debian 13's Halide asks for newer C and C++ libraries than the cross compiler has.
link_libraries("-Wl,-rpath-link,${root}/usr/lib/aarch64-linux-gnu" "-Wl,--allow-shlib-undefined")
