#pragma once

/// Finds the patches for a libHalide: beside the preloaded library, or by the script build-patches,
/// which is there in the wheel. Without the C++ library: see preload.cpp.

#include <limits.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "patches/halide/preload/loaded_object.hpp"

/// Says a sentence of at most some ten thousand letters on standard error.
[[gnu::format(printf, 1, 2)]] inline void say(const char* format, ...) {
  char sentence[3 * PATH_MAX];
  va_list words;
  va_start(words, format);
  vsnprintf(sentence, sizeof sentence, format, words);
  va_end(words);
  dprintf(STDERR_FILENO, "halide-patched: %s\n", sentence);
}

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
inline Found asked(const char* script, const Loaded& halide) {
  char quoted_script[PATH_MAX], quoted_library[PATH_MAX], command[3 * PATH_MAX], answer[PATH_MAX];
  if (!quote(script, quoted_script, sizeof quoted_script) ||
      !quote(halide.path, quoted_library, sizeof quoted_library))
    return found(false, "the path %s is too long", halide.path);
  snprintf(command, sizeof command, "unset LD_PRELOAD; exec sh %s %s %s", quoted_script,
           quoted_library, halide.build_id);
  FILE* said = popen(command, "re");
  if (!said) return found(false, "build-patches cannot be started");
  const bool any = fgets(answer, sizeof answer, said);
  pclose(said);
  if (!any) return found(false, "build-patches ended without a word");
  answer[strcspn(answer, "\n")] = '\0';
  return found(*answer == '/', "%s", answer);
}

/// `folder` is that of the preloaded library, by the name under which it was preloaded.
inline Found patches_for(const Loaded& halide, bool has_conceptual_stmt, const char* folder) {
  if (!has_conceptual_stmt)
    return found(false, "%s is a Halide older than 19, which has no patches", halide.path);
  if (!*halide.build_id)
    return found(false, "no patches were built for %s, which has no build id", halide.path);
  const Found beside = found(true, "%s/%s.so", folder, halide.build_id);
  if (access(beside.words, R_OK) == 0) return beside;
  char script[PATH_MAX + 16];
  snprintf(script, sizeof script, "%s/build-patches", folder);
  if (access(script, R_OK) == 0) return asked(script, halide);
  return found(false,
               "no patches were built for %s; with Halide 19 or later, HALIDE_ROOT=<its folder> "
               "make halide-patched builds them",
               halide.path);
}
