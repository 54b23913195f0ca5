#pragma once

/// Finds the patches for a libHalide: beside the preloaded library, or built once into the user's
/// cache.

#include <limits.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "patches/halide/preload/loaded_object.hpp"

inline void say(const std::string& sentence) {
  std::fprintf(stderr, "halide-patched: %s\n", sentence.c_str());
}

struct Found {
  std::string path = {};  ///< "": there are none
  std::string why = {};   ///< why there are none, without a full stop
};

/// The version for a build id, from the lines "BUILD-ID VERSION" of builds.txt. The wheels of one
/// version have a library for each Python, and to the patches these are all the same.
inline std::string version_of(const std::string& build_id, const std::string& folder) {
  std::ifstream builds(folder + "/builds.txt");
  for (std::string id, version; builds >> id >> version;) {
    if (id == build_id) return version;
  }
  return "";
}

inline std::string in_quotes(const std::string& word) {
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

/// Runs the script build-patches, which answers with a path or with why there is none.
inline Found built_now(const std::string& script, const Loaded& halide) {
  const std::string command = "unset LD_PRELOAD; exec sh " + in_quotes(script) + " " +
                              in_quotes(halide.path) + " " + halide.build_id;
  FILE* answer = popen(command.c_str(), "re");
  if (!answer) return {"", "build-patches cannot be started"};
  std::string words;
  for (int letter; (letter = std::fgetc(answer)) != EOF && letter != '\n';) {
    words += static_cast<char>(letter);
  }
  pclose(answer);
  if (words.starts_with('/')) return {words};
  return {"", words.empty() ? "build-patches ended without a word" : words};
}

/// `preloaded` is the path of the preloaded library, or the alias that the launcher has given.
inline Found patches_for(const Loaded& halide, bool has_conceptual_stmt,
                         const std::string& preloaded) {
  if (!has_conceptual_stmt)
    return {"", halide.path + " is a Halide older than 19, which has no patches"};
  char place[PATH_MAX];
  if (!realpath(preloaded.c_str(), place)) return {"", "there is no " + preloaded + " any more"};
  const std::string self = place, folder = self.substr(0, self.rfind('/'));
  const std::string none = "no patches were built for " + halide.path;
  if (halide.build_id.empty()) return {"", none + ", which has no build id"};
  for (const std::string& name : {halide.build_id, version_of(halide.build_id, folder)}) {
    const std::string path = folder + "/" + name + ".so";
    if (!name.empty() && access(path.c_str(), R_OK) == 0) return {path};
  }
  const std::string script = folder + "/build-patches";
  if (access(script.c_str(), R_OK) == 0) return built_now(script, halide);
  return {
      "",
      none + "; with Halide 19 or later, HALIDE_ROOT=<its folder> make halide-patched builds them"};
}
