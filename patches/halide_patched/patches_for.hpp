#pragma once

/// Finds the patches for a libHalide: beside the preloaded library, or by the script build-patches,
/// which is there in the wheel. Without the C++ library: see preload.cpp.

#include <limits.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "patches/halide_patched/loaded_object.hpp"
#include "patches/halide_patched/standard_error.hpp"

/// A path of the patches, or why there are none, without a full stop.
struct Found {
  bool found = false;
  char words[3 * PATH_MAX] = "";
};

[[gnu::format(printf, 2, 3)]] inline Found found(bool is_path, const char* format, ...) {
  Found answer{is_path};
  va_list words;
  va_start(words, format);
  vsnprintf(answer.words, sizeof answer.words, format, words);
  va_end(words);
  return answer;
}

/// Puts a word in quotes for a shell; false if there is no room.
inline bool quote(const char* word, char* quoted, size_t size) {
  size_t end = 0;
  const auto put = [&](char letter) {
    if (end < size) quoted[end++] = letter;
  };
  put('\'');
  for (; *word; ++word) {
    if (*word == '\'') put('\''), put('\\'), put('\'');
    put(*word);
  }
  put('\'');
  put('\0');
  return end < size || !quoted[size - 1];
}

/// Asks build-patches, which says a path or why there is none.
inline Found asked(const char* script, const Loaded& halide, bool build) {
  char quoted_script[PATH_MAX], quoted_library[PATH_MAX], command[3 * PATH_MAX], answer[PATH_MAX];
  if (!quote(script, quoted_script, sizeof quoted_script) ||
      !quote(halide.path, quoted_library, sizeof quoted_library))
    return found(false, "the path %s is too long", halide.path);
  if (build && is_verbose())
    say("asking %s for the patches; it builds them once, in about a minute", script);
  snprintf(command, sizeof command, "unset LD_PRELOAD; exec sh %s %s %s %s 2>/dev/null",
           quoted_script, quoted_library, halide.build_id, build ? "" : "--look");
  FILE* said = popen(command, "re");
  if (!said) return found(false, "build-patches cannot be started");
  const bool any = fgets(answer, sizeof answer, said);
  pclose(said);
  if (!any) return found(false, "build-patches ended without a message");
  answer[strcspn(answer, "\n")] = '\0';
  return found(*answer == '/', "%s", answer);
}

/// `folder` is that of the preloaded library, by the name under which it was preloaded.
inline Found patches_for(const Loaded& halide, bool has_conceptual_stmt, const char* folder,
                         bool build) {
  if (!has_conceptual_stmt)
    return found(false, "%s is a Halide older than 19, which has no patches", halide.path);
  if (!*halide.build_id)
    return found(false, "no patches were built for %s, which has no build id", halide.path);
  const Found beside = found(true, "%s/%s.so", folder, halide.build_id);
  if (access(beside.words, R_OK) == 0) return beside;
  char script[PATH_MAX + 16];
  snprintf(script, sizeof script, "%s/build-patches", folder);
  if (access(script, R_OK) == 0) return asked(script, halide, build);
  return found(false,
               "no patches were built for %s; with Halide 19 or later, HALIDE_ROOT=<its folder> "
               "make halide-patched builds them",
               halide.path);
}
