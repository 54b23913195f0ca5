#include "harness/suite/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/core/host/exit_code.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/plan/shard.hpp"
#include "harness/suite/run/estimate.hpp"
#include "harness/suite/run/run_folder.hpp"
#include "harness/suite/run/run_schedule.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

const FolderKind kRun = {"run", "plan.json", {"scratch"}};

/// The plan to measure, and whether its folder exists already.
struct Started {
  Plan plan;
  fs::path folder;
  bool exists = false;
};

/// Starts the shard of a plan file, or resumes it when it was started before.
Started shard_of_file(const RunRequest& request) {
  Started started{read_plan(request.plan_file, Links::followed), request.folder};
  started.plan.shard = request.shard;
  if (started.folder.empty()) {
    const auto [index, count] = request.shard;
    started.folder = fmt::format("results/local/{}{}", started.plan.run,
                                 count > 1 ? fmt::format("-{}of{}", index, count) : "");
  }
  require_no_link(started.folder);
  started.exists = has_begun(started.folder, kRun, is_there(started.folder / kRun.plan));
  if (started.exists &&
      plan_json(read_plan(started.folder / kRun.plan)) != plan_json(started.plan)) {
    throw UserError(fmt::format("{} holds another plan or another shard; choose another folder",
                                started.folder.string()));
  }
  return started;
}

Started start(const RunRequest& request) {
  Started started{{}, request.folder};
  if (!request.plan_file.empty()) {
    started = shard_of_file(request);
  } else if (has_begun(request.folder, kRun, request.resume)) {
    started = {read_plan(request.folder / kRun.plan), request.folder, true};
  } else {
    started.plan = make_plan(request.programs, request.filter, request.seed);
  }
  if (started.exists || !request.plan_file.empty()) {
    require_same_programs(started.plan, request.programs);
  }
  return started;
}

/// The rows that the folder has already. Reports damaged ones.
std::vector<Row> rows_before(const Workplace& place) {
  std::vector<LeftOut> left_out;
  const fs::path file = place.folder() / "rows.jsonl";
  std::vector<Row> rows = read_rows(file, left_out);
  if (place.cut_a_line()) left_out.push_back({0, file.string() + " ended in an unfinished line"});
  for (const LeftOut& one : left_out) say_wrapped(one.text + "; it is measured again\n");
  return rows;
}

int say_end(RunSchedule::End end, const Plan& plan, const RunRequest& request,
            const fs::path& folder) {
  const std::string go_on = fmt::format("continue with: cliffbench run {}--resume {}\n",
                                        request.paths, quoted(folder.string()));
  switch (end) {
    case RunSchedule::End::stopped:
      say_wrapped("stopped; " + go_on);
      return Exit::stopped;
    case RunSchedule::End::budget:
      say_wrapped("the time budget is used up; " + go_on);
      return Exit::fine;
    case RunSchedule::End::complete:
      break;
  }
  if (plan.shard.count > 1) say("shard {} is complete\n", shard_text(plan.shard));
  return Exit::fine;
}

int dry_run(const Started& started) {  // reads only, while another runner may be at work
  const auto& [plan, folder, exists] = started;
  std::vector<LeftOut> ignored;
  const fs::path rows = rows_file(folder);
  const bool begun = exists && is_there(rows);
  const auto slots = begun ? still_to_do(plan, read_rows(rows, ignored), folder) : slots_of(plan);
  say_wrapped(estimate_text(plan, estimate(plan, slots, costs_before(plan))) + "\n");
  return Exit::fine;
}

void announce(const Plan& plan, const std::vector<Slot>& slots, const Costs& costs) {
  say_wrapped(estimate_text(plan, estimate(plan, slots, costs)) + "\n");
}

}  // namespace

int run_benchmarks(const RunRequest& request) {
  const Started started = start(request);
  if (request.dry_run) return dry_run(started);
  const auto& [plan, folder, exists] = started;
  std::vector<Slot> slots = slots_of(plan);
  const Costs costs = costs_before(plan);
  if (!exists) announce(plan, slots, costs);
  Workplace place(folder, kRun, request.memory_limit_bytes);
  if (!exists && is_there(folder / kRun.plan)) {
    throw CannotMeasure(folder.string() + " was just begun by another cliffbench run");
  }
  if (!exists) write_record(folder / kRun.plan, plan_json(plan));
  place.clear_scratch();
  const std::vector<Row> rows = rows_before(place);
  slots = still_to_do(plan, rows, folder);
  if (exists) require_same_machine(folder);
  keep_descriptions(request.programs, plan, folder);
  if (exists) announce(plan, slots, costs);
  if (slots.empty()) return Exit::fine;
  place.begin_session({.run = plan.run,
                       .command = request.command,
                       .profile = plan.profile,
                       .seed = plan.seed,
                       .shard = plan.shard});
  RunSchedule::End end{};
  {
    RunSchedule schedule(plan, request, slots, rows, costs, place);
    if (schedule.warm_up()) schedule.measure();
    end = schedule.end();
  }
  place.end_session();
  return say_end(end, plan, request, folder);
}

}  // namespace cliffbench
