#include "harness/program/identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

std::string mark_of(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return "gone";
#ifdef __APPLE__
  const timespec& changed = file.st_mtimespec;
#else
  const timespec& changed = file.st_mtim;
#endif
  return fmt::format("{} {} {} {}", file.st_size, file.st_ino, changed.tv_sec, changed.tv_nsec);
}

}  // namespace

Identity identity_of(const CaseProgram& program) {
  Identity identity{{"", file_fingerprint(program.path)}};
  for (const std::string& library : program.description.libraries) {
    identity[fs::path(library).filename()] = file_fingerprint(library);
  }
  return identity;
}

std::string difference(const std::string& program, const Identity& was, const Identity& is) {
  const auto hash = [](const Identity& identity, const std::string& file) -> std::string {
    const auto found = identity.find(file);
    return found == identity.end() ? "" : found->second;
  };
  if (hash(was, "") != hash(is, "")) return program + " was rebuilt";
  for (const Identity& either : {was, is}) {
    for (const auto& [file, unused] : either) {
      if (hash(was, file) == hash(is, file)) continue;
      return fmt::format("{} under {} has changed: it is another subject", file, program);
    }
  }
  return "";
}

std::vector<fs::path> files_of(const CaseProgram& program) {
  std::vector<fs::path> files = {program.path};
  const auto& libraries = program.description.libraries;
  files.insert(files.end(), libraries.begin(), libraries.end());
  return files;
}

Watch::Watch(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) marks_[file] = mark_of(file);
}

std::string Watch::changed() const {
  for (const auto& [path, mark] : marks_) {
    if (mark_of(path) != mark) return path;
  }
  return "";
}

}  // namespace cliffbench
