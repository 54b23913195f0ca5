#include "harness/program/scratch.hpp"

#include <string>

#include "harness/record/folder.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

void require_room_for_results(const fs::path& scratch) {
  if (!fs::exists(scratch)) return;  // the whole folder is gone: the next row says so
  const fs::path probe = scratch / "probe";
  constexpr size_t kSize = 64 << 10;  // more than a result takes
  write_file(probe, std::string(kSize, 'x'));
  std::error_code ignored;
  fs::remove(probe, ignored);
}

void empty_folder(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace cliffbench
