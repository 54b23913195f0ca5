#include "harness/suite/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <stdexcept>

#include "harness/core/host/exact.hpp"
#include "harness/core/host/shuffle.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/case/case.hpp"

namespace cliffbench {
namespace {

/// The selections that a filter starts from: the profile's, or one of all cells.
std::vector<Selection> selections_of(const Case& declared, const CellFilter& filter) {
  for (const Profile& profile : declared.profiles) {
    if (profile.name == filter.profile) return profile.selections;
  }
  if (!filter.profile.empty()) return {};
  Selection all{.where = {}, .variants = names_of(declared.variants)};
  for (const Axis& axis : declared.axes) all.where[axis.name] = axis.values;
  return {all};
}

/// Whether the flags keep this point and variant.
bool is_chosen(const CellFilter& filter, const Params& params, const std::string& variant) {
  if (!filter.variants.empty() && !contains(filter.variants, variant)) return false;
  return std::ranges::all_of(filter.axes, [&](const auto& wanted) {
    const auto value = params.find(wanted.first);
    return value != params.end() && contains(wanted.second, value->second);
  });
}

/// The points of a selection. An axis that it does not name stays at its first value.
std::vector<Params> points_of(const Selection& selection, const std::vector<Axis>& axes) {
  std::vector<Params> points(1);
  for (const Axis& axis : axes) {
    const auto named = selection.where.find(axis.name);
    const std::vector<std::string> first = {axis.values.at(0)};
    std::vector<Params> longer;
    for (const Params& point : points) {
      for (const auto& value : named == selection.where.end() ? first : named->second) {
        longer.emplace_back(point)[axis.name] = value;
      }
    }
    points = std::move(longer);
  }
  return points;
}

/// Whether the bounds that stopped trials set on a cell's time can decide a claim.
bool decided_by_stops(const Claim& claim, const Cell& cell) {
  return claim.quantity == Quantity::time && claim.of.empty() && claim.variant == cell.variant &&
         std::ranges::includes(cell.params, claim.where) &&
         (claim.range.hi < cell.limit_s ||
          (claim.range.lo <= cell.limit_s && std::isinf(claim.range.hi)));
}

}  // namespace

std::vector<Cell> choose_cells(const std::string& program, const Description& description,
                               const CellFilter& filter) {
  const Case& declared = description.declared;
  std::vector<Cell> cells;
  std::map<std::string, size_t> numbers;  // of the cells, by name
  const auto add = [&](const Cell& cell) {
    const auto [number, added] = numbers.try_emplace(cell.name, cells.size());
    if (added) {
      cells.push_back(cell);
      return;
    }
    Cell& same = cells[number->second];
    same.rounds = std::max(same.rounds, cell.rounds);
    same.limit_s = std::max(same.limit_s, cell.limit_s);
  };
  for (const Selection& selection : selections_of(declared, filter)) {
    const double usual_s = selection.limit_s > 0 ? selection.limit_s : declared.limit_s;
    for (const Params& params : points_of(selection, declared.axes)) {
      for (const std::string& variant : selection.variants) {
        if (!is_chosen(filter, params, variant)) continue;
        add({.program = program,
             .case_name = declared.name,
             .subject = declared.subject.name,
             .name = trial_name(declared, params, variant),
             .variant = variant,
             .params = params,
             .rounds = filter.rounds.value_or(selection.rounds),
             .limit_s = filter.limit_s.value_or(usual_s)});
      }
    }
  }
  for (Cell& cell : cells) {
    cell.every_round = std::ranges::any_of(
        declared.claims, [&](const Claim& claim) { return decided_by_stops(claim, cell); });
  }
  return cells;
}

void check_filter(const std::map<std::string, Description>& programs, const CellFilter& filter) {
  std::map<std::string, std::vector<std::string>> known;  // words, by what they name
  const auto add = [&](const std::string& what, const std::string& word) {
    if (!contains(known[what], word)) known[what].push_back(word);
  };
  std::map<std::string, std::vector<std::string>> values_of;  // of each axis
  for (const auto& [name, description] : programs) {
    for (const Profile& profile : description.declared.profiles) add("profile", profile.name);
    for (const Variant& variant : description.declared.variants) add("variant", variant.name);
    for (const Axis& axis : description.declared.axes) {
      add("axis", axis.name);
      for (const std::string& value : axis.values) {
        if (auto& all = values_of[axis.name]; !contains(all, value)) all.push_back(value);
      }
    }
  }
  std::ranges::sort(known["axis"]);
  const auto require_known = [&](const std::string& what, const std::string& wanted) {
    if (!contains(known[what], wanted)) throw UserError(no_such(what, wanted, known[what]));
  };
  if (!filter.profile.empty()) require_known("profile", filter.profile);
  for (const std::string& variant : filter.variants) require_known("variant", variant);
  for (const auto& [axis, values] : filter.axes) {
    require_known("axis", axis);
    for (const std::string& value : values) {
      if (contains(values_of[axis], value)) continue;
      throw UserError(fmt::format("the axis {} has no value '{}'; {}", axis, value,
                                  did_you_mean(value, values_of[axis])));
    }
  }
}

std::vector<Slot> schedule(std::span<const Cell> cells, std::uint64_t seed) {
  std::map<std::pair<std::string, Params>, size_t> numbers;
  std::vector<std::vector<size_t>> points;  // cells of each point, in the order given
  int rounds = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto [number, added] =
        numbers.try_emplace({cells[i].program, cells[i].params}, points.size());
    if (added) points.emplace_back();
    points[number->second].push_back(i);
    rounds = std::max(rounds, cells[i].rounds);
  }
  std::mt19937_64 random(seed);
  std::vector<Slot> slots;
  for (int round = 1; round <= rounds; ++round) {
    std::vector<std::vector<size_t>> order = points;
    shuffle(order, random);
    for (std::vector<size_t>& variants : order) {
      shuffle(variants, random);
      for (const size_t cell : variants) {
        if (cells[cell].rounds < round) continue;
        slots.push_back({cell, round, static_cast<int>(slots.size())});
      }
    }
  }
  return slots;
}

std::int64_t trials_of(std::span<const Cell> cells) {
  std::int64_t trials = 0;
  for (const Cell& cell : cells) trials += cell.rounds;
  return trials;
}

bool is_larger(const Case& declared, const Cell& a, const Cell& b) {
  if (a.program != b.program || a.variant != b.variant) return false;
  bool larger = false;
  for (const Axis& axis : declared.axes) {
    const auto value = a.params.find(axis.name);
    const auto other = b.params.find(axis.name);
    if (value == a.params.end() || other == b.params.end()) return false;
    if (value->second == other->second) continue;
    const auto size = size_of(axis, value->second);
    const auto other_size = size_of(axis, other->second);
    if (!size || !other_size || *size <= *other_size) return false;
    larger = true;
  }
  return larger;
}

std::string point_text(const Params& params) {
  std::string text;
  for (const auto& [axis, value] : params) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", axis, value);
  }
  return text;
}

void to_json(nlohmann::json& json, const Cell& cell) {
  json = {{"program", cell.program}, {"case", cell.case_name},  {"subject", cell.subject},
          {"name", cell.name},       {"variant", cell.variant}, {"params", cell.params},
          {"rounds", cell.rounds},   {"limit_s", cell.limit_s}, {"block", cell.block}};
  if (cell.every_round) json["every_round"] = true;
}

void from_json(const nlohmann::json& json, Cell& cell) {
  json.at("program").get_to(cell.program);
  json.at("case").get_to(cell.case_name);
  json.at("subject").get_to(cell.subject);
  json.at("name").get_to(cell.name);
  json.at("variant").get_to(cell.variant);
  json.at("params").get_to(cell.params);
  cell.rounds = whole_number<int>(json.at("rounds"));
  json.at("limit_s").get_to(cell.limit_s);
  cell.block = whole_number<size_t>(json.at("block"));
  if (json.contains("every_round")) json.at("every_round").get_to(cell.every_round);
}

nlohmann::json plan_json(const Plan& plan) {
  return {{"schema", kSchema},       {"run", plan.run},     {"seed", plan.seed},
          {"profile", plan.profile}, {"shard", plan.shard}, {"programs", plan.programs},
          {"cells", plan.cells}};
}

namespace {

void check_cells(const Plan& plan) {
  constexpr std::int64_t kMostTrials = 10'000'000;  // they take 300 MB to plan and 5 GB as rows
  std::set<std::pair<std::string, std::string>> names;
  for (const Cell& cell : plan.cells) {
    require(plan.programs.contains(cell.program), "no program " + cell.program);
    require(names.insert({cell.program, cell.name}).second, "two cells named " + cell.name);
    require(cell.rounds >= 1 && cell.rounds <= kMostRounds, "a cell's rounds are not 1 to 100000");
    require(std::isfinite(cell.limit_s) && cell.limit_s > 0, "a cell's limit is not a time");
  }
  require(trials_of(plan.cells) <= kMostTrials, "more than 10^7 trials");
}

}  // namespace

Plan parse_plan(const nlohmann::json& json) {
  require(json.at("schema") == kSchema,
          "schema " + json.at("schema").dump() + " instead of " + std::to_string(kSchema));
  Plan plan;
  plan.run = json.at("run");
  plan.seed = whole_number<std::uint64_t>(json.at("seed"));
  plan.profile = json.at("profile");
  plan.shard = json.at("shard");
  plan.programs = json.at("programs");
  plan.cells = json.at("cells").get<std::vector<Cell>>();
  require(is_file_name(plan.run), "a run name that cannot be a file name");
  check_cells(plan);
  require_exact(json, plan_json(plan));
  return plan;
}

}  // namespace cliffbench
