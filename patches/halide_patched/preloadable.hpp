#pragma once

/// Where the preloaded library is, under a path that the loader can hold.

#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "patches/halide_patched/preload.hpp"

/// Thrown when nothing can be preloaded; a sentence without a full stop.
struct NotPreloadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The folder of the preloaded library: beside this program (built) or below ../lib (installed).
/// Throws NotPreloadable.
inline std::filesystem::path preload_folder() {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) {  // without /proc: the path by which it was started
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel says addresses as numbers
    const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    program = fs::canonical(started ? started : "", error);
  }
  for (const char* below : {"", "../lib"}) {
    const fs::path folder = program.parent_path() / below / kPatchesFolder;
    if (fs::exists(folder / "preload.so", error)) return fs::canonical(folder, error);
  }
  throw NotPreloadable("preload.so is not in " + (program.parent_path() / kPatchesFolder).string() +
                       " (build or install it again)");
}

/// Whether LD_PRELOAD can hold a path: it is a list, and the loader replaces words after a '$'.
inline bool can_be_listed(const std::string& path) {
  return path.starts_with('/') && path.find_first_of(" :;$\t\n\v\f\r") == std::string::npos;
}

/// A link to `folder` in `place`, a folder of ours; "" if it cannot be there. Links to folders that
/// have gone go too, so they do not grow in number.
inline std::string link_in(const std::string& place, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!can_be_listed(place)) return "";
  fs::create_directories(fs::path(place).parent_path(), error);
  mkdir(place.c_str(), S_IRWXU);
  struct stat status = {};  // in /tmp somebody else may have made it
  if (lstat(place.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)))
    return "";
  const std::string prefix = "preload-";
  const std::string name = prefix + std::to_string(std::hash<std::string>{}(folder.string()));
  for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
    if (entry.path().filename().string().starts_with(prefix) && !entry.exists(error))
      fs::remove(entry.path(), error);
  }
  const std::string link = place + "/" + name;
  fs::create_directory_symlink(folder, link, error);  // at once, and only if it is not there
  return fs::read_symlink(link, error) == folder && fs::exists(link + "/preload.so", error) ? link
                                                                                            : "";
}

/// A path of the preloaded library for LD_PRELOAD: its own, or where that has a space or the like,
/// one through a link in the user's cache, or else in /tmp. It means the same in every process that
/// sees these folders, for as long as the library is there. Throws NotPreloadable.
inline std::string preloadable(const std::filesystem::path& folder) {
  if (can_be_listed(folder.string())) return folder.string() + "/preload.so";
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (cache.empty() && !home.empty()) cache = home + "/.cache";
  if (!cache.empty()) cache += "/halide-patched";
  for (const std::string& place : {cache, "/tmp/halide-patched-" + std::to_string(geteuid())}) {
    const std::string link = link_in(place, folder);
    if (!link.empty()) return link + "/preload.so";
  }
  throw NotPreloadable("the loader cannot hold the path " + folder.string() +
                       ", and no link to it can be made in the user's cache or /tmp");
}
