# Each header and each source includes what it uses. A source includes its own header first (scripts/lint), so that header
# compiles alone; the others are compiled here, or read with libc++, which brings the least along, where a clang has it.
# That one reads all sources too: ten minutes of processor time, so it is the target read_sources, which CI and
# `make test-all` build.
file(GLOB_RECURSE files RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/harness/*.[ch]pp" "${PROJECT_SOURCE_DIR}/patches/*.[ch]pp")
list(FILTER files EXCLUDE REGEX "machine_macos.cpp")  # for that system alone
if(NOT halide_versions)
  list(FILTER files EXCLUDE REGEX "^patches/halide")
endif()
if(NOT TARGET emit)
  list(FILTER files EXCLUDE REGEX "^patches/llvm/")
endif()
get_property(cases GLOBAL PROPERTY case_folders)  # the others cannot be built here
list(JOIN cases "|" cases)
file(GLOB_RECURSE of_cases RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cases/*.[ch]pp")
list(FILTER of_cases INCLUDE REGEX "^(${cases})/")
list(APPEND files ${of_cases})

set(alone "")
set(sources "")
foreach(file IN LISTS files)
  string(REPLACE ".hpp" ".cpp" own "${file}")
  if(file MATCHES "[.]cpp$")
    list(APPEND sources "${PROJECT_SOURCE_DIR}/${file}")
  elseif(NOT own IN_LIST files)
    string(REPLACE "/" "_" name "${file}")
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/alone/${name}.cpp" CONTENT "#include \"${file}\"\n" @ONLY)
    list(APPEND alone "${PROJECT_BINARY_DIR}/generated/alone/${name}.cpp")
  endif()
endforeach()

find_package(Eigen3 QUIET)
get_property(libraries GLOBAL PROPERTY case_libraries)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/alone/case_toml.hpp" @ONLY CONTENT
  "#include \"harness/suite/kit/case_data.hpp\"\nnamespace cliffbench {\nCaseContext this_case(std::vector<Patch> patches);\n}\n")
function(add_reading target)
  add_library(${target} OBJECT ${ARGN})
  target_link_libraries(${target} PRIVATE ${libraries} cliffbench_case cliffbench_gate patches CLI11::CLI11 Eigen3::Eigen GTest::gmock)
  target_compile_definitions(${target} PRIVATE CASE_README="" HALIDES=1 TURN=0)
  if(TARGET search_libcxx AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
                          "${PROJECT_SOURCE_DIR}/scripts/read-with-libcxx;${CLANG_WITH_LIBCXX}")
  endif()
endfunction()
add_reading(standalone EXCLUDE_FROM_ALL ${alone})

if(TARGET search_libcxx AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_reading(read_sources EXCLUDE_FROM_ALL ${sources})
  target_include_directories(read_sources PRIVATE "${PROJECT_BINARY_DIR}/generated" "${PROJECT_BINARY_DIR}/generated/alone")
  target_include_directories(read_sources SYSTEM PRIVATE "${GMP_INCLUDE}" "${XXHASH_INCLUDE}")
  target_compile_definitions(read_sources PRIVATE EXTRA_PERMILLE=0 GOLDEN="" SOURCES="" BUILD="" HALIDE_PYTHON="" SEARCH_LIBCXX="" SEARCH_LIBSTDCXX="" TEST_DATA="")
  add_dependencies(read_sources build_info)
else()
  add_custom_target(read_sources)  # by the compiler they are read where they are built
endif()
add_dependencies(read_sources standalone)
