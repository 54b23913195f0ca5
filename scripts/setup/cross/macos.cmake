# The toolchain of `make cross-macos`: Zig's clang with the macOS headers and libc++ that it brings, on Linux.
# Everything for the target lies in .deps/macos (scripts/setup/bootstrap cross-macos).
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(CMAKE_C_COMPILER "${CMAKE_CURRENT_LIST_DIR}/zig-cc")
set(CMAKE_CXX_COMPILER "${CMAKE_CURRENT_LIST_DIR}/zig-c++")
set(CMAKE_AR "${CMAKE_CURRENT_LIST_DIR}/zig-ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${CMAKE_CURRENT_LIST_DIR}/zig-ranlib" CACHE FILEPATH "")
set(CMAKE_INSTALL_NAME_TOOL "/bin/true" CACHE FILEPATH "")  # nothing of this build is installed
set(CMAKE_OSX_DEPLOYMENT_TARGET 11.0 CACHE STRING "Halide's wheels are built for it")
set(CMAKE_FIND_ROOT_PATH "${root}/.deps/macos")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_PREFIX_PATH "/prefix")
