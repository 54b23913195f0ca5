#include "harness/run/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/host/machine.hpp"
#include "harness/plan/shard.hpp"
#include "harness/program/identity.hpp"
#include "harness/record/folder.hpp"
#include "harness/record/record.hpp"
#include "harness/record/row_check.hpp"
#include "harness/record/session.hpp"
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

using Name = std::pair<std::string, std::string>;  // program, cell

/// The files of rows in those folders of a folder that have one of the programs, the newest first.
std::vector<std::pair<fs::file_time_type, fs::path>> rows_under(const fs::path& folder,
                                                                const Plan& plan) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    fs::path rows = entry.path() / "rows.jsonl";
    if (!fs::exists(rows, failed)) rows += ".gz";  // of a published run
    if (entry.is_symlink(failed) || !fs::is_regular_file(rows, failed)) continue;
    const bool ours = std::ranges::any_of(plan.programs, [&](const auto& program) {
      return fs::exists(entry.path() / "programs" / (program.first + ".json"), failed);
    });
    if (ours) files.emplace_back(fs::last_write_time(rows, failed), rows);
  }
  std::ranges::sort(files, std::greater());
  return files;
}

/// What the trials of the wanted cells took in one run; nothing where it cannot be read.
std::map<Name, Cost> costs_in(const fs::path& rows, const std::map<Name, Cell*>& wanted) {
  std::map<Name, Cost> costs;  // the sum of the durations at first
  std::map<Name, int> trials;
  std::vector<LeftOut> ignored;
  try {
    for_each_row(rows, ignored, [&](const Row& row, const std::string&) {
      const Name name{row.program, row.name};
      const bool measured = row.status == Status::ok || row.status == Status::timeout;
      if (!measured || !wanted.contains(name)) return;
      ++trials[name];
      Cost& cost = costs[name];
      cost.wall_s += row.process_s;
      cost.memory_mb = std::max(cost.memory_mb, static_cast<double>(row.process_rss_bytes) * 1e-6);
    });
  } catch (const CannotMeasure&) {
    return {};
  }
  for (auto& [name, cost] : costs) cost.wall_s /= trials[name];
  return costs;
}

/// Gives each cell the mean duration and the most memory of its trials in the newest run under
/// results/local that has it, else under results/published. A cell that neither knows keeps none.
void expect_as_before(Plan& plan) {
  constexpr size_t kMostRuns = 8;  // of those on this machine: rows are read in microseconds each
  std::map<Name, Cell*> unknown;
  for (Cell& cell : plan.cells) {
    if (!cell.cost) unknown[{cell.program, cell.name}] = &cell;
  }
  auto files = rows_under("results/local", plan);
  if (files.size() > kMostRuns) files.resize(kMostRuns);
  const auto published = rows_under("results/published", plan);
  files.insert(files.end(), published.begin(), published.end());
  for (const auto& [time, file] : files) {
    if (unknown.empty()) return;
    for (const auto& [name, cost] : costs_in(file, unknown)) {
      unknown[name]->cost = cost;
      unknown.erase(name);
    }
  }
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
  number_units(plan.cells, descriptions);
  expect_as_before(plan);
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
