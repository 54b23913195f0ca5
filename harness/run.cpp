#include "harness/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>

#include "harness/folder.hpp"
#include "harness/machine.hpp"
#include "harness/process.hpp"
#include "harness/program.hpp"
#include "harness/progress.hpp"
#include "harness/row.hpp"
#include "harness/session.hpp"
#include "harness/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Descriptions = std::map<std::string, Description>;

constexpr int kStoppedByUser = 130;  // what a shell gives for SIGINT

Plan make_plan(const RunRequest& request, const Descriptions& descriptions) {
  Plan plan;
  plan.seed = request.seed;
  plan.run = utc_now("%Y%m%d-%H%M%S-") + fmt::format("{:04x}", request.seed & 0xffff);
  plan.profile = request.wish.profile;
  for (const auto& [name, description] : descriptions) {
    const auto cells = choose_cells(name, description, request.wish);
    if (cells.empty()) continue;
    plan.cells.insert(plan.cells.end(), cells.begin(), cells.end());
    plan.programs[name] = file_fingerprint(request.programs.at(name).path);
  }
  return plan;
}

/// The plan that the folder holds, if its programs are still the same.
Plan resume_plan(const RunRequest& request, const Descriptions& descriptions) {
  const fs::path file = request.folder / "plan.json";
  if (!fs::exists(file)) {
    throw UserError(request.folder.string() + " holds no run to resume (it has no plan.json)");
  }
  Plan plan;
  try {
    plan = parse_plan(read_json(file));
  } catch (const Json::exception& error) {
    throw CannotMeasure(
        fmt::format("{} is no plan that this program reads: {}", file.string(), error.what()));
  }
  for (const auto& [name, fingerprint] : plan.programs) {
    const auto found = request.programs.find(name);
    if (found == request.programs.end()) {
      throw UserError(fmt::format("{} was begun with the program {}, which is not built here",
                                  request.folder.string(), name));
    }
    if (file_fingerprint(found->second.path) != fingerprint) {
      throw UserError(fmt::format("{} has been built anew since {} began; start a new run instead",
                                  name, request.folder.string()));
    }
  }
  for (Cell& cell : plan.cells) {
    const auto& costs = descriptions.at(cell.program).costs;
    if (const auto cost = costs.find(cell.name); cost != costs.end()) cell.cost = cost->second;
  }
  return plan;
}

struct Estimate {
  size_t trials = 0;
  size_t unknown_trials = 0;
  double wall_s = 0;
  double memory_mb = 0;
  double disk_mb = 0;
};

Estimate estimate(const Plan& plan, const std::vector<Slot>& slots) {
  Estimate total;
  total.trials = slots.size();
  for (const Slot& slot : slots) {
    const auto& cost = plan.cells[slot.cell].cost;
    if (!cost) {
      ++total.unknown_trials;
      continue;
    }
    total.wall_s += std::min(cost->wall_s, plan.cells[slot.cell].limit_s);
    total.memory_mb = std::max(total.memory_mb, cost->memory_mb);
    total.disk_mb = std::max(total.disk_mb, cost->disk_mb);
  }
  return total;
}

void print_estimate(const Plan& plan, const Estimate& total) {
  fmt::print("{} cells, {} trials", plan.cells.size(), total.trials);
  if (total.unknown_trials < total.trials) {
    fmt::print(", about {}, at most {} of memory and {} of scratch space", clock_time(total.wall_s),
               byte_size(total.memory_mb * 1e6), byte_size(total.disk_mb * 1e6));
  }
  if (total.unknown_trials) {
    fmt::print(" ({} trials of unknown cost)", total.unknown_trials);
  }
  fmt::print("\n");
}

/// Refuses what the machine cannot hold before anything is measured.
void require_room(const Estimate& total, const fs::path& folder) {
  const auto memory = static_cast<double>(available_memory_bytes());
  if (memory > 0 && total.memory_mb * 1e6 > memory) {
    throw CannotMeasure(fmt::format(
        "the largest trial needs about {} of memory and {} are free; choose smaller sizes",
        byte_size(total.memory_mb * 1e6), byte_size(memory)));
  }
  std::error_code error;
  const auto disk = static_cast<double>(fs::space(folder, error).available);
  if (!error && total.disk_mb * 1e6 > disk) {
    throw CannotMeasure(
        fmt::format("the largest trial needs about {} of scratch space and {} are free at {}",
                    byte_size(total.disk_mb * 1e6), byte_size(disk), folder.string()));
  }
}

/// Keeps what a report needs beside the rows: each program's declaration and its case's README.
void keep_descriptions(const RunRequest& request, const Plan& plan,
                       const Descriptions& descriptions) {
  make_folder(request.folder / "programs");
  make_folder(request.folder / "cases");
  for (const auto& [name, fingerprint] : plan.programs) {
    const Description& description = descriptions.at(name);
    Json json = describe(description);
    json["file"] = request.programs.at(name).path.filename().string();
    json["readme"] = "cases/" + description.declared.name + ".md";  // of the run's folder
    write_file(request.folder / "programs" / (name + ".json"), json.dump(1) + "\n");
    std::error_code missing;
    const fs::path readme = description.declared.readme;
    if (fs::is_regular_file(readme, missing)) {
      write_file(request.folder / "cases" / (description.declared.name + ".md"), read_file(readme));
    }
  }
}

/// The measuring itself, with what it must remember between trials.
class Measuring {
 public:
  Measuring(const RunRequest& request, const Plan& plan, std::vector<Row> rows,
            std::vector<Slot> slots)
      : request_(request),
        plan_(plan),
        slots_(std::move(slots)),
        scratch_(fs::absolute(request.folder) / "scratch"),
        progress_(plan_, slots_, rows),
        writer_(request.folder / "rows.jsonl"),
        session_(request.folder, plan, {request.command}) {
    make_folder(scratch_);
    limits_.memory_bytes =
        request.memory_limit_bytes ? request.memory_limit_bytes : available_memory_bytes() / 10 * 9;
    for (const Row& row : rows) remember(row);
  }

  /// False when the user stopped it.
  bool all() {
    const bool complete =
        prime() && std::all_of(slots_.begin(), slots_.end(), [&](const Slot& s) { return one(s); });
    session_.end();
    std::error_code ignored;
    fs::remove_all(scratch_, ignored);
    return complete;
  }

 private:
  [[nodiscard]] Row row_of(const Slot& slot) const {
    const Cell& cell = plan_.cells[slot.cell];
    Row row;
    row.run = plan_.run;
    row.session = session_.number();
    row.program = cell.program;
    row.case_name = cell.case_name;
    row.subject = cell.subject;
    row.name = cell.name;
    row.variant = cell.variant;
    row.params = cell.params;
    row.round = slot.round;
    row.position = slot.position;
    row.limit_s = cell.limit_s;
    return row;
  }

  bool measure(const Slot& slot, Row& row) {
    const Cell& cell = plan_.cells[slot.cell];
    TrialLimits limits = limits_;
    limits.timed_s = cell.limit_s;
    return run_trial(request_.programs.at(cell.program).path, scratch_, limits, row);
  }

  /// One trial of each program, and of each variant expected to take under a second, is thrown
  /// away: the first start pays for cold files.
  bool prime() {
    constexpr double kShort_s = 1;
    std::set<std::string> primed;
    std::vector<Slot> order = slots_;
    std::stable_sort(order.begin(), order.end(),
                     [&](const Slot& a, const Slot& b) { return expected_s(a) < expected_s(b); });
    for (const Slot& slot : order) {
      const Cell& cell = plan_.cells[slot.cell];
      const bool first = primed.insert(cell.program).second;
      const bool quick =
          expected_s(slot) < kShort_s && primed.insert(cell.program + '\n' + cell.variant).second;
      if (!first && !quick) continue;
      progress_.priming(cell.program + " " + cell.variant);
      Row thrown_away = row_of(slot);
      if (!measure(slot, thrown_away)) return false;
    }
    return true;
  }

  [[nodiscard]] double expected_s(const Slot& slot) const {
    const auto& cost = plan_.cells[slot.cell].cost;
    return cost ? cost->wall_s : INFINITY;
  }

  bool one(const Slot& slot) {
    Row row = row_of(slot);
    progress_.started(slot);
    const std::string reason = why_skipped(slot.cell);
    if (!reason.empty()) {
      row.status = Status::skipped;
      row.reason = reason;
    } else if (!measure(slot, row)) {
      return false;
    }
    writer_.append(row);
    remember(row);
    progress_.finished(slot, row);
    return true;
  }

  void remember(const Row& row) {
    if (row.status != Status::timeout) return;
    for (size_t i = 0; i < plan_.cells.size(); ++i) {
      if (plan_.cells[i].program == row.program && plan_.cells[i].name == row.name)
        stopped_.insert(i);
    }
  }

  [[nodiscard]] std::string why_skipped(size_t cell) const {
    if (stopped_.contains(cell)) return "stopped at its limit in an earlier round";
    for (const size_t stopped : stopped_) {
      if (!is_larger(plan_.cells[cell], plan_.cells[stopped])) continue;
      return fmt::format("a smaller size did not finish ({})",
                         point_text(plan_.cells[stopped].params));
    }
    return "";
  }

  const RunRequest& request_;
  const Plan& plan_;
  std::vector<Slot> slots_;
  fs::path scratch_;
  Progress progress_;
  RowWriter writer_;
  Session session_;
  TrialLimits limits_;
  std::set<size_t> stopped_;
};

/// The planned slots that have no row yet. Rows that no slot accounts for belong to another plan.
std::vector<Slot> still_to_do(const RunRequest& request, const Plan& plan,
                              const std::vector<Row>& rows) {
  std::vector<Slot> slots = schedule(plan.cells, plan.seed);
  std::map<int, const Row*> by_position;
  for (const Row& row : rows) {
    const bool ours = row.run == plan.run && row.position >= 0 &&
                      static_cast<size_t>(row.position) < slots.size() &&
                      plan.cells[slots[row.position].cell].name == row.name &&
                      plan.cells[slots[row.position].cell].program == row.program &&
                      by_position.try_emplace(row.position, &row).second;
    if (!ours) {
      throw CannotMeasure(fmt::format("{} holds a row of another plan (run {}, {}, round {})",
                                      (request.folder / "rows.jsonl").string(), row.run, row.name,
                                      row.round));
    }
  }
  std::erase_if(slots, [&](const Slot& slot) { return by_position.contains(slot.position); });
  return slots;
}

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { request_stop(); };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

int run_benchmarks(const RunRequest& request) {
  Descriptions descriptions;
  for (const auto& [name, program] : request.programs) descriptions[name] = program.description;
  const bool exists = fs::exists(request.folder / "plan.json");
  if (exists && !request.resume) {
    throw UserError(
        fmt::format("{0} holds a run already; go on with it by --resume {0}, or choose "
                    "another folder",
                    request.folder.string()));
  }
  if (!request.resume) check_wish(descriptions, request.wish);
  const Plan plan =
      request.resume ? resume_plan(request, descriptions) : make_plan(request, descriptions);
  if (plan.cells.empty()) {
    throw UserError("no cell of these programs agrees with the flags; cliffbench list shows them");
  }
  std::vector<Row> rows;
  if (request.resume && fs::exists(request.folder / "rows.jsonl")) {
    std::vector<std::string> notices;
    rows = read_rows(request.folder / "rows.jsonl", notices);
    for (const std::string& notice : notices) fmt::print("{}; it is measured again\n", notice);
  }
  const std::vector<Slot> slots = still_to_do(request, plan, rows);
  const Estimate total = estimate(plan, slots);
  print_estimate(plan, total);
  if (request.dry_run || slots.empty()) return 0;
  make_folder(request.folder);
  require_room(total, request.folder);
  if (!request.resume) {
    keep_descriptions(request, plan, descriptions);
    write_file(request.folder / "plan.json", plan_json(plan).dump(1) + "\n");
  }
  stop_on_signals();
  if (Measuring(request, plan, std::move(rows), slots).all()) return 0;
  fmt::print("stopped; go on with: cliffbench run --resume {}\n", request.folder.string());
  return kStoppedByUser;
}

}  // namespace cliffbench
