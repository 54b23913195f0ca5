#include "harness/suite/run/prepare.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/core/program/identity.hpp"
#include "harness/core/record/folder.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/record/session.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/plan/row_check.hpp"
#include "harness/suite/plan/shard.hpp"
#include "harness/suite/run/case_programs.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A program's declaration as the run's folder keeps it.
Json declaration_of(const CaseProgram& program) {
  Json json = describe(program.description);
  json.erase("libraries");  // paths of this machine; the plan has their names and hashes
  json["file"] = program.path.filename().string();
  json["readme"] = "cases/" + program.description.declared.name + ".md";  // of the run's folder
  return json;
}

}  // namespace

Plan make_plan(const CasePrograms& programs, const CellFilter& filter, std::uint64_t seed) {
  std::map<std::string, Description> descriptions;
  for (const auto& [name, program] : programs) descriptions[name] = program.description;
  check_filter(descriptions, filter);
  Plan plan;
  plan.seed = seed;
  plan.run = utc_now("%Y%m%d-%H%M%S-") + fmt::format("{:04x}", seed & 0xffff);
  plan.profile = filter.profile;
  for (const auto& [name, description] : descriptions) {
    const auto cells = choose_cells(name, description, filter);
    if (cells.empty()) continue;
    plan.cells.insert(plan.cells.end(), cells.begin(), cells.end());
    plan.programs[name] = identity_of(programs.at(name));
  }
  if (plan.cells.empty()) {
    throw UserError("no cell matches the flags; cliffbench list CASE shows the axes and variants");
  }
  number_blocks(plan.cells, descriptions);
  return plan;
}

void require_same_programs(const Plan& plan, const CasePrograms& programs) {
  for (const auto& [name, identity] : plan.programs) {
    const auto found = programs.find(name);
    if (found == programs.end()) {
      throw UserError(
          fmt::format("run {} was planned with the program {}, which is not built here; if it is "
                      "elsewhere, give its path: cliffbench run PATH --resume FOLDER",
                      plan.run, name));
    }
    const std::string what = difference(name, identity, identity_of(found->second));
    if (what.empty()) continue;
    throw UserError(
        fmt::format("{} since run {} was planned; start a new run instead", what, plan.run));
  }
}

void keep_descriptions(const CasePrograms& programs, const Plan& plan, const fs::path& folder) {
  make_subfolder(folder, "programs");
  make_subfolder(folder, "cases");
  for (const auto& [name, identity] : plan.programs) {
    const Description& description = programs.at(name).description;
    write_record(folder / "programs" / (name + ".json"), declaration_of(programs.at(name)));
    std::error_code missing;
    const fs::path readme = description.declared.readme;
    if (!fs::is_regular_file(readme, missing)) continue;
    write_file(folder / "cases" / (description.declared.name + ".md"),
               read_file(readme, Links::followed));
  }
}

std::vector<Slot> still_to_do(const Plan& plan, const std::vector<Row>& rows,
                              const fs::path& folder) {
  RowCheck check(folder / "rows.jsonl", plan);
  for (const Row& row : rows) check.take(row);
  return check.to_do();
}

}  // namespace cliffbench
