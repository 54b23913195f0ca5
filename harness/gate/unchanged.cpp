#include "harness/gate/unchanged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "harness/core/host/file.hpp"
#include "harness/core/host/libraries.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

Loaded loaded_by(const fs::path& program, FileIdentities& identities) {
  const auto loaded_file = [&](const fs::path& path) {
    const fs::path file = fs::canonical(path);
    return LoadedFile{file, identities.of(file)};
  };
  Loaded loaded{.program = loaded_file(program)};
  if (const auto libraries = linked_libraries(program)) {
    loaded.libraries.emplace();
    for (const fs::path& library : *libraries) {
      (*loaded.libraries)[library.filename().string()] = loaded_file(library);
    }
  }
  return loaded;
}

/// The C and C++ libraries themselves, which contain the names of the functions that open others.
bool is_of_the_language(const std::string& file) {
  constexpr std::string_view kOwn[] = {
      "ld-linux",      "ld-2.",    "ld-musl",    "libc.so",     "libc-2.",       "libc.musl",
      "libm.so",       "libm-2.",  "libdl.so",   "libdl-2.",    "libpthread.so", "librt.so",
      "libpthread-2.", "librt-2.", "libmvec.so", "libstdc++.so"};
  return std::ranges::any_of(kOwn, [&](std::string_view own) { return file.starts_with(own); });
}

/// What CMake, Make, Ninja and compilers write beside programs, and what a gate does.
bool is_of_a_build(const fs::path& path) {
  constexpr std::string_view kNames[] = {
      "CMakeFiles", "CMakeCache.txt",        "Makefile",       "build.ninja",
      "Testing",    "compile_commands.json", "cliffbench-gate"};
  constexpr std::string_view kEnds[] = {".o", ".a", ".d", ".cmake", ".gcda", ".gcno", ".log"};
  const std::string name = path.filename().string();
  const std::string end = path.extension().string();
  return name.starts_with('.') || std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::find(kEnds, end) != std::end(kEnds);
}

constexpr size_t kMostFiles = 10'000;  ///< beside a program; Bazel's runfiles have hundreds

std::map<std::string, fs::path> files_below(const fs::path& folder,
                                            const std::set<std::string>& left_out) {
  std::map<std::string, fs::path> files;
  std::error_code ended;
  using Options = fs::directory_options;
  fs::recursive_directory_iterator entry(
      folder, Options::follow_directory_symlink | Options::skip_permission_denied, ended);
  for (; !ended && entry != fs::recursive_directory_iterator() && files.size() < kMostFiles;
       entry.increment(ended)) {
    constexpr int kDeepest = 16;  // links may go round
    const bool is_left_out =
        is_of_a_build(entry->path()) ||
        (entry.depth() == 0 && left_out.contains(entry->path().filename().string()));
    if (is_left_out || entry.depth() >= kDeepest) entry.disable_recursion_pending();
    std::error_code gone;
    if (is_left_out || !entry->is_regular_file(gone)) continue;
    files[entry->path().lexically_relative(folder).string()] = entry->path();
  }
  return files;
}

}  // namespace

std::string change_of(const std::string& name, const Loaded& base, const Loaded& head,
                      const std::set<std::string>& compared) {
  if (base.program.path == head.program.path) return "";
  if (!base.libraries || !head.libraries) return "its libraries are unknown";
  for (const auto& [library, file] : *head.libraries) {
    const auto before = base.libraries->find(library);
    if (before == base.libraries->end() || before->second.hash != file.hash) {
      return library + " differs";
    }
  }
  if (base.libraries->size() != head.libraries->size()) return "it loads other libraries";
  std::map<std::string, LoadedFile> own = {{name, head.program}};
  own.insert(head.libraries->begin(), head.libraries->end());
  const bool is_static = head.libraries->empty();  // the C library in it contains these names
  for (const auto& [file_name, file] : own) {
    if (!is_static && !is_of_the_language(file_name) && may_open_libraries(file.path)) {
      return file_name + " may load further libraries (dlopen)";
    }
  }
  const auto beside =
      differing_files(base.program.path.parent_path(), head.program.path.parent_path(), compared);
  if (beside.empty()) return "";
  return "files in its folder differ: " + joined(beside);
}

bool may_open_libraries(const fs::path& path) {
  constexpr std::string_view kNames[] = {"dlopen", "dlmopen"};
  constexpr size_t kLongest = 7;
  bool found = false;
  std::string text;  // the last block's end and this one
  for_each_block(path, Links::followed, [&](std::string_view block) {
    text.append(block);
    for (const auto name : kNames) found |= text.find(name) != std::string::npos;
    text.erase(0, text.size() - std::min(text.size(), kLongest - 1));
  });
  return found;
}

std::vector<std::string> differing_files(const fs::path& base, const fs::path& head,
                                         const std::set<std::string>& left_out) {
  constexpr size_t kNamed = 3;
  std::vector<std::string> differing;
  std::error_code missing;
  if (fs::equivalent(base, head, missing)) return differing;
  const auto before = files_below(base, left_out);
  const auto after = files_below(head, left_out);
  std::set<std::string> all;
  for (const auto* side : {&before, &after}) {
    for (const auto& [name, path] : *side) all.insert(name);
    if (side->size() >= kMostFiles) return {"more than 10,000 files"};
  }
  for (const std::string& name : all) {
    if (differing.size() == kNamed) break;
    const auto was = before.find(name);
    const auto is = after.find(name);
    const bool same = was != before.end() && is != after.end() &&
                      fs::file_size(was->second, missing) == fs::file_size(is->second, missing) &&
                      file_identity(was->second) == file_identity(is->second);
    if (!same) differing.push_back(name);
  }
  return differing;
}

ComparedFiles compare_files(const std::string& name, const fs::path& base, const fs::path& head,
                            const std::set<std::string>& own_names, FileIdentities& identities) {
  const Loaded before = loaded_by(base, identities);
  const Loaded after = loaded_by(head, identities);
  ComparedFiles compared;
  const auto add = [&](const std::string& key, const LoadedFile& file) {
    compared.files.push_back(file.path);
    compared.identities[key] = file.hash;
  };
  for (const auto& [side, loaded] : {std::pair("base ", &before), std::pair("head ", &after)}) {
    add(side + name, loaded->program);
    if (!loaded->libraries) continue;
    for (const auto& [library, file] : *loaded->libraries) add(side + name + " " + library, file);
  }
  if (before.program.hash != after.program.hash) return compared;
  const std::string change = change_of(name, before, after, own_names);
  compared.unchanged = change.empty();
  if (!change.empty()) compared.note = name + " is identical on both sides, but " + change;
  return compared;
}

}  // namespace cliffbench
