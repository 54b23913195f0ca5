#include "harness/suite/run/run_folder.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/core/record/record.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

Plan read_plan(const fs::path& file, Links links) {
  return parse_file(file, "a plan", read_record(file, links), parse_plan);
}

std::map<std::string, Description> read_descriptions(const fs::path& folder) {
  std::map<std::string, Description> descriptions;
  const auto read = [&](const fs::path& programs, const std::string& run) {
    for (const fs::path& path : json_files(programs)) {
      descriptions[run + path.stem().string()] =
          parse_file(path, "a declaration", read_record(path), parse_description);
    }
  };
  read(folder / "programs", "");
  for (const auto& entry : entries_of(folder / "programs")) {
    if (entry.is_directory()) read(entry.path(), entry.path().filename().string() + "/");
  }
  return descriptions;
}

const Description& description_of(const std::map<std::string, Description>& all, const Row& row) {
  const auto own = all.find(row.run + "/" + row.program);
  if (own != all.end()) return own->second;
  const auto shared = all.find(row.program);
  if (shared != all.end()) return shared->second;
  throw CannotMeasure(
      fmt::format("a row belongs to {0}, but there is no programs/{0}.json", row.program));
}

}  // namespace cliffbench
