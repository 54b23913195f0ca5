#include "harness/run/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/host/machine.hpp"
#include "harness/plan/shard.hpp"
#include "harness/program/identity.hpp"
#include "harness/record/folder.hpp"
#include "harness/record/record.hpp"
#include "harness/record/row_check.hpp"
#include "harness/record/session.hpp"
#include "harness/run/past_trials.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A program's declaration as it is kept in the run's folder.
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
    throw UserError("no cell of these programs matches the flags; cliffbench list shows the cells");
  }
  const auto units = units_of(plan.cells, descriptions);
  for (size_t i = 0; i < units.size(); ++i) plan.cells[i].unit = units[i];
  expect_as_before(plan, "results");
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

Estimate estimate(const Plan& plan, const std::vector<Slot>& slots) {
  Estimate total;
  total.trials = slots.size();
  std::vector<int> trials(plan.cells.size());
  for (const Slot& slot : slots) ++trials[slot.cell];
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    if (trials[i] == 0) continue;
    ++total.cells;
    const auto& cost = plan.cells[i].cost;
    if (!cost) {
      total.unknown_trials += static_cast<size_t>(trials[i]);
      continue;
    }
    total.wall_s += *expected_s(plan.cells[i], trials[i]);
    total.memory_mb = std::max(total.memory_mb, cost->memory_mb);
  }
  return total;
}

std::string estimate_text(const Plan& plan, const Estimate& total) {
  std::string text = fmt::format("{} cells, {} trials", total.cells, total.trials);
  if (plan.shard.count > 1) text = fmt::format("shard {}: {}", shard_text(plan.shard), text);
  if (total.unknown_trials < total.trials) {
    text += fmt::format(", about {} by earlier runs, at most {} of memory",
                        clock_time(total.wall_s), byte_size(total.memory_mb * 1e6));
  }
  if (total.unknown_trials == total.trials) {
    text += "; how long they take is unknown";
  } else if (total.unknown_trials) {
    text += fmt::format(", and {} trials never measured before", total.unknown_trials);
  }
  return text;
}

void require_room(const Estimate& total) {
  const auto memory = static_cast<double>(available_memory_bytes());
  if (memory > 0 && total.memory_mb * 1e6 > memory) {
    throw CannotMeasure(fmt::format(
        "the largest trial needs about {} of memory, and {} is free; choose smaller sizes",
        byte_size(total.memory_mb * 1e6), byte_size(memory)));
  }
}

}  // namespace cliffbench
