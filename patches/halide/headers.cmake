# Halide's patches for any program that links a Halide, as headers alone: cmake --install and find_package(cliffbench), or
# FetchContent with CLIFFBENCH_ONLY=patches. Nothing here asks for a compiler, so the folders are those of every system.
add_library(halide_patches INTERFACE)
add_library(cliffbench::halide_patches ALIAS halide_patches)
set_target_properties(halide_patches PROPERTIES INTERFACE_COMPILE_FEATURES cxx_std_20)
target_include_directories(halide_patches INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:include/cliffbench>")
install(TARGETS halide_patches EXPORT cliffbench)
install(EXPORT cliffbench NAMESPACE cliffbench:: FILE cliffbench-config.cmake DESTINATION share/cmake/cliffbench)
install(DIRECTORY "${CMAKE_CURRENT_LIST_DIR}" DESTINATION include/cliffbench/patches
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def" PATTERN fuzz EXCLUDE PATTERN upstream EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/harness/suite/case/patch.hpp" DESTINATION include/cliffbench/harness/suite/case)
