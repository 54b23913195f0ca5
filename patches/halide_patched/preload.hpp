#pragma once

#include <cstddef>

/// The interface between the preloaded library and the patches built for one libHalide. It uses no
/// type of Halide's and none of the C++ library's, because the preloaded library is built without.

/// Module::compile(outputs) of a libHalide: `this` and the address of its map.
using Compile = void (*)(const void* module, const void* outputs);

/// print_to_stmt_html or print_to_conceptual_stmt_html of a libHalide.
using Print = void (*)(const void* path, const void* module, const void* listing_path);

/// Compile and Print with the patches that kPatchesVariable names; `own` is libHalide's definition.
/// `names_seen`: whether any name of this libHalide was seen.
using PatchedCompile = void (*)(const void* module, const void* outputs, Compile own,
                                bool names_seen);
using PatchedPrint = void (*)(const void* path, const void* module, const void* listing_path,
                              bool conceptual, Print own);

/// Writes a sentence as say() does.
using Say = void (*)(const char* sentence);

// For a process that runs already, by its package halide_patched; `inside` is any address in its
// libHalide.

/// The path of the patches that joined this libHalide; null when there are none, and then `*why` is
/// a sentence without a full stop. `build`: whether they may be built now, which takes a minute.
extern "C" const char* halide_patched_library(const void* inside, bool build, const char** why);

/// Points libHalide's calls of its own functions to ours, or back to its own. Returns our
/// Module::compile; null when the library's calls cannot be pointed elsewhere.
extern "C" Compile halide_patched_rebind(const void* inside, bool to_ours);

extern "C" void halide_patched_say(const char* sentence);

/// Standard error was closed at the start.
extern "C" void halide_patched_quiet();

/// For Python: compiles the `count` outputs of these types (a number of Halide's OutputFileType, or
/// less than 0 for the conceptual page) to these paths, through our Module::compile or, where
/// libHalide's calls cannot be pointed to ours, by itself. 0: done; 1, 2: `error` (of `size` bytes)
/// holds the words of a Halide::Error or a std::runtime_error; -1: another error.
extern "C" int halide_patched_compile_files(const void* module, const int* types,
                                            const char* const* paths, int count, Compile through,
                                            char* error, size_t size);

/// A std::string that a function returns to its caller, whom we only stand between: it is returned
/// in memory and never copied.
class ReturnedString {
 public:
  ReturnedString(const ReturnedString&) = delete;
  ~ReturnedString() {}  // NOLINT(modernize-use-equals-default): a trivial one changes the calls

 private:
  alignas(8) [[maybe_unused]] char bytes_[32];
};

/// unique_name of a libHalide, and the same by the Names of this thread.
using UniqueName = ReturnedString (*)(const void* prefix);
using UniqueNameOfChar = ReturnedString (*)(char prefix);
using HeldName = ReturnedString (*)(const void* prefix, UniqueName own);
using HeldNameOfChar = ReturnedString (*)(char prefix, UniqueNameOfChar own);

inline constexpr const char* kPatchedCompile = "halide_patched_compile";
inline constexpr const char* kPatchedPrint = "halide_patched_print";
inline constexpr const char* kHeldName = "halide_patched_name";
inline constexpr const char* kHeldNameOfChar = "halide_patched_name_of_char";
inline constexpr const char* kSayBy = "halide_patched_say_by";        ///< void (Say)
inline constexpr const char* kInHalide = "halide_patched_in_halide";  ///< an address in libHalide

/// Names of patches, separated by commas, set by halide-patched.
inline constexpr const char* kPatchesVariable = "HALIDE_PATCHES";

/// When it is set, everything is said on standard error.
inline constexpr const char* kVerboseVariable = "HALIDE_PATCHES_VERBOSE";

/// The folder, beside or below the launcher, with preload.so and a library for each build id of
/// libHalide.
inline constexpr const char* kPatchesFolder = "halide-patches";
