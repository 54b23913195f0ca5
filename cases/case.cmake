# cliffbench_case(TARGET SOURCES a.cpp ...
#                 [OUTPUT name]                       of the program in build/cases (the target's)
#                 [SUBJECT name VERSION text SHA256 digest]   of what is studied (the target's name, and none)
#                 [README file] [LIBRARIES ...]
#                 [TESTS a_test.cpp ... [TEST_LIBRARIES ...] [TEST_LABEL quick|long|longer] [LONG_TESTS filter]]
#                 [CROSS_CHECK] [OBJECTS])
#
# Makes of the folder's case.toml and these sources a program that `make build` builds, whose data are checked when it is
# linked. The sources include "case_toml.hpp": this_case(). Where tests are configured, the TESTS become TARGET_test, with the label
# TEST_LABEL (scripts/CMakeLists.txt; default: quick) and, for those of the filter LONG_TESTS, "long".
# CROSS_CHECK: also linked by the quick cross build. OBJECTS: compiled only, where what it links is not here (cross builds).
set(CASES_FOLDER "${CMAKE_CURRENT_LIST_DIR}")

function(cliffbench_case target)
  cmake_parse_arguments(PARSE_ARGV 1 case "CROSS_CHECK;OBJECTS" "OUTPUT;SUBJECT;VERSION;SHA256;README;TEST_LABEL;LONG_TESTS"
                        "SOURCES;LIBRARIES;TESTS;TEST_LIBRARIES")
  foreach(default "OUTPUT=${target}" "SUBJECT=${target}" "VERSION=" "SHA256=" "README=${CMAKE_CURRENT_SOURCE_DIR}/README.md")
    string(REGEX MATCH "^[A-Z0-9]+" name "${default}")
    if(NOT DEFINED case_${name})
      string(REGEX REPLACE "^[A-Z0-9]+=" "" case_${name} "${default}")
    endif()
  endforeach()

  file(RELATIVE_PATH data "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/case.toml")
  set(header "${CMAKE_CURRENT_BINARY_DIR}/generated/case_toml.hpp")
  string(MAKE_C_IDENTIFIER "${data}" embedded)
  if(NOT TARGET ${embedded})
    add_custom_command(OUTPUT "${header}" DEPENDS case.toml "${CASES_FOLDER}/embed.cmake" VERBATIM
      COMMAND "${CMAKE_COMMAND}" -D "DATA=${CMAKE_CURRENT_SOURCE_DIR}/case.toml" -D "NAME=${data}" -D "HEADER=${header}"
              -P "${CASES_FOLDER}/embed.cmake")
    add_custom_target(${embedded} DEPENDS "${header}")
  endif()

  if(case_OBJECTS)
    add_library(${target} OBJECT ${case_SOURCES})
  else()
    add_executable(${target} ${case_SOURCES})
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME "${case_OUTPUT}"
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/cases")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
  target_compile_definitions(${target} PRIVATE CASE_README="${case_README}" CASE_SUBJECT="${case_SUBJECT}"
                             CASE_VERSION="${case_VERSION}" CASE_SHA256="${case_SHA256}")
  target_link_libraries(${target} PRIVATE cliffbench_case patches ${case_LIBRARIES})
  add_dependencies(${target} ${embedded})
  add_dependencies(programs ${target})
  if(NOT case_TEST_LABEL STREQUAL long)
    add_dependencies(quick_tests ${target})
  endif()
  if(case_OBJECTS)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_BINARY_DIR BASE_DIRECTORY "${PROJECT_BINARY_DIR}" OUTPUT_VARIABLE objects)
    set_property(GLOBAL APPEND_STRING PROPERTY objects "${objects}/CMakeFiles/${target}.dir\n")
  else()
    set_property(GLOBAL APPEND_STRING PROPERTY programs "${case_OUTPUT}\n")
  endif()
  if(case_CROSS_CHECK)
    add_dependencies(cross_check ${target})
    set_property(GLOBAL APPEND_STRING PROPERTY cross_check "${case_OUTPUT}\n")
  endif()
  if(NOT CMAKE_CROSSCOMPILING)
    add_custom_command(TARGET ${target} POST_BUILD COMMAND ${target} --check VERBATIM)
  endif()

  if(BUILD_TESTING AND case_TESTS)
    add_executable(${target}_test ${case_TESTS})
    set_target_properties(${target}_test PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 3)
    target_link_libraries(${target}_test PRIVATE cliffbench_test cliffbench_kit patches ${case_LIBRARIES} ${case_TEST_LIBRARIES})
    if(NOT case_TEST_LABEL)
      set(case_TEST_LABEL quick)
    endif()
    set(filter "")
    if(case_LONG_TESTS AND NOT case_TEST_LABEL STREQUAL long)
      set(filter FILTER "-${case_LONG_TESTS}")
      add_test_program(${target}.long ${target}_test long FILTER "${case_LONG_TESTS}")
    endif()
    add_test_program(${target} ${target}_test ${case_TEST_LABEL} ${filter})
  endif()
endfunction()
