# The toolchain of `make packages`: Zig's clang, libc++ and headers of old systems, for ZIG_TARGET, such as
# x86_64-linux-gnu.2.28. The libraries are headers only, the system's own, which know no system: linked into a folder
# without anything else, because /usr/include is this system's C library too.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG_TARGET)
string(REGEX MATCH "^[^-]*" CMAKE_SYSTEM_PROCESSOR "${ZIG_TARGET}")
if(ZIG_TARGET MATCHES macos)
  set(CMAKE_SYSTEM_NAME Darwin)
  set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "ZIG_TARGET says it")
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()
get_filename_component(cross "${CMAKE_CURRENT_LIST_DIR}/../../setup/cross" ABSOLUTE)
set(CMAKE_CXX_COMPILER "${cross}/zig-c++" -target ${ZIG_TARGET})
set(CMAKE_AR "${cross}/zig-ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${cross}/zig-ranlib" CACHE FILEPATH "")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_CXX_FLAGS_INIT -g0)  # Zig would add debug information, with the names of folders in it

set(headers "${CMAKE_BINARY_DIR}/headers")
foreach(name CLI fmt nlohmann xxhash.h)
  if(NOT EXISTS "${headers}/${name}" AND EXISTS "/usr/include/${name}")
    file(MAKE_DIRECTORY "${headers}")
    file(CREATE_LINK "/usr/include/${name}" "${headers}/${name}" SYMBOLIC)
  endif()
endforeach()
set(XXHASH_INCLUDE "${headers}" CACHE PATH "")
# Without FMT_CONSTEVAL: Zig's Clang 20 does not take the formats that fmt 10 (Debian 13) checks while compiling as constants.
foreach(target CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
  string(REGEX MATCH "^[^:]*" package "${target}")
  set(${package}_DIR "${headers}" CACHE PATH "")
  file(WRITE "${headers}/${package}Config.cmake"
       "if(NOT TARGET ${target})\n"
       "  add_library(${target} INTERFACE IMPORTED)\n"
       "  target_include_directories(${target} SYSTEM INTERFACE \"${headers}\")\n"
       "  target_compile_definitions(${target} INTERFACE FMT_HEADER_ONLY=1 FMT_CONSTEVAL=)\n"
       "endif()\n")
endforeach()
