#include "harness/gate/unchanged.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "harness/core/host/file.hpp"
#include "harness/core/host/libraries.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

struct LoadedFile {
  fs::path path;  ///< without links
  std::string hash;
};

/// The files that a program consists of when it begins.
struct Loaded {
  LoadedFile program;
  std::optional<std::map<std::string, LoadedFile>> libraries;  ///< by file name, where known
};

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

/// By the function's name, which stands in the file of whatever calls it.
bool may_open_libraries(const fs::path& path) {
  constexpr std::string_view kName = "dlopen";
  bool found = false;
  std::string text;  // the last block's end and this one
  for_each_block(path, Links::followed, [&](std::string_view block) {
    text.append(block);
    found |= text.find(kName) != std::string::npos;
    text.erase(0, text.size() - std::min(text.size(), kName.size() - 1));
  });
  return found;
}

/// Why two sides whose program is the same file count as changed; "" when they do not.
std::string change_of(const std::string& name, const Loaded& base, const Loaded& head) {
  if (base.program.path == head.program.path) return "";
  if (!base.libraries || !head.libraries) return "what it loads is not known";
  for (const auto& [library, file] : *head.libraries) {
    const auto before = base.libraries->find(library);
    if (before == base.libraries->end() || before->second.hash != file.hash) {
      return library + " differs";
    }
  }
  if (base.libraries->size() != head.libraries->size()) return "not all the same libraries";
  if (head.libraries->empty()) return "";  // a static program opens none
  std::map<std::string, LoadedFile> own = {{name, head.program}};
  own.insert(head.libraries->begin(), head.libraries->end());
  for (const auto& [file_name, file] : own) {
    const auto before = base.libraries->find(file_name);
    const bool shared = before != base.libraries->end() && before->second.path == file.path;
    if (!shared && may_open_libraries(file.path)) {
      return file_name + " may open further libraries (dlopen)";
    }
  }
  return "";
}

}  // namespace

ComparedFiles compare_files(const std::string& name, const fs::path& base, const fs::path& head,
                            FileIdentities& identities) {
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
  const std::string change = change_of(name, before, after);
  compared.unchanged = change.empty();
  if (!change.empty()) compared.note = name + " is the same file on both sides, but " + change;
  return compared;
}

}  // namespace cliffbench
