#pragma once

/// What the preloaded library and the patches built for one libHalide know of each other. No type
/// of Halide's: the preloaded library is built without any.

/// Module::compile(outputs) of a libHalide: `this` and the address of its map.
using Compile = void (*)(const void* module, const void* outputs);

/// print_to_stmt_html or print_to_conceptual_stmt_html of a libHalide.
using Print = void (*)(const void* path, const void* module, const void* listing_path);

/// What to do with the names that Halide makes in this thread from here on: see Names. Whether any
/// name of this process was seen: none of a Halide that is static or bound to itself.
using SetNames = bool (*)(int mode);

/// The same with the patches that kPatchesVariable names; `own` is libHalide's definition.
using PatchedCompile = void (*)(const void* module, const void* outputs, Compile own,
                                SetNames set_names);
using PatchedPrint = void (*)(const void* path, const void* module, const void* listing_path,
                              bool conceptual, Print own);

inline constexpr const char* kPatchedCompile = "halide_patched_compile";
inline constexpr const char* kPatchedPrint = "halide_patched_print";

/// Names of patches, separated by commas, set by halide-patched.
inline constexpr const char* kPatchesVariable = "HALIDE_PATCHES";

/// Set to anything: each page says how it is made.
inline constexpr const char* kVerboseVariable = "HALIDE_PATCHES_VERBOSE";

/// Beside or below the launcher, the folder with preload.so and a library per build id of
/// libHalide.
inline constexpr const char* kPatchesFolder = "halide-patches";
