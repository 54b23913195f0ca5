#pragma once

/// What the preloaded library and the patches built for one libHalide know of each other. No type
/// of Halide's: the preloaded library is built without any.

/// Module::compile(outputs) of a libHalide: `this` and the address of its map.
using Compile = void (*)(const void* module, const void* outputs);

/// The same with the patches that kPatchesVariable names; `own` is libHalide's definition.
using PatchedCompile = void (*)(const void* module, const void* outputs, Compile own);

inline constexpr const char* kPatchedCompile = "halide_patched_compile";

/// Names of patches, separated by commas, set by halide-patched.
inline constexpr const char* kPatchesVariable = "HALIDE_PATCHES";

/// Beside or below the launcher, the folder with preload.so and a library per build id of
/// libHalide.
inline constexpr const char* kPatchesFolder = "halide-patches";
