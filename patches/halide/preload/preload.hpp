#pragma once

/// The interface between the preloaded library and the patches built for one libHalide. It uses no
/// type of Halide's, because the preloaded library is built without any Halide.

/// Module::compile(outputs) of a libHalide: `this` and the address of its map.
using Compile = void (*)(const void* module, const void* outputs);

/// print_to_stmt_html or print_to_conceptual_stmt_html of a libHalide.
using Print = void (*)(const void* path, const void* module, const void* listing_path);

/// Sets what happens to the names that Halide makes in this thread from here on: see Names. Returns
/// whether any name was seen in this process; none is if Halide is static or bound to itself.
using SetNames = bool (*)(int mode);

/// Compile and Print with the patches that kPatchesVariable names; `own` is libHalide's definition.
using PatchedCompile = void (*)(const void* module, const void* outputs, Compile own,
                                SetNames set_names);
using PatchedPrint = void (*)(const void* path, const void* module, const void* listing_path,
                              bool conceptual, Print own);

inline constexpr const char* kPatchedCompile = "halide_patched_compile";
inline constexpr const char* kPatchedPrint = "halide_patched_print";

/// Names of patches, separated by commas, set by halide-patched.
inline constexpr const char* kPatchesVariable = "HALIDE_PATCHES";

/// When it is set, each page says on standard error how it is made.
inline constexpr const char* kVerboseVariable = "HALIDE_PATCHES_VERBOSE";

/// The folder, beside or below the launcher, with preload.so and a library for each build id of
/// libHalide.
inline constexpr const char* kPatchesFolder = "halide-patches";
