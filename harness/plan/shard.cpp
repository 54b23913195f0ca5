#include "harness/plan/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/text/text.hpp"

namespace cliffbench {

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto [slash, bad] = std::from_chars(text.data(), end, shard.index);
  const auto [rest, worse] = slash == end
                                 ? std::from_chars_result{slash, std::errc::invalid_argument}
                                 : std::from_chars(slash + 1, end, shard.count);
  if (bad != std::errc() || worse != std::errc() || rest != end || *slash != '/' ||
      shard.index < 1 || shard.index > shard.count || shard.count > 100000) {
    throw UserError(fmt::format("--shard takes I/N with 1 <= I <= N <= 100000, not '{}'", text));
  }
  return shard;
}

std::string shard_text(const Shard& shard) {
  return fmt::format("{}/{}", shard.index, shard.count);
}

void number_units(std::vector<Cell>& cells, const std::map<std::string, Description>& programs) {
  using Meeting = std::tuple<std::string, std::string, Params>;  // program, axis left open, point
  std::map<Meeting, std::vector<size_t>> meetings;
  for (size_t i = 0; i < cells.size(); ++i) {
    Cell& cell = cells[i];
    cell.unit = i;
    meetings[{cell.program, "", cell.params}].push_back(i);
    for (const Claim& claim : programs.at(cell.program).declared.claims) {
      if (claim.quantity != Quantity::exponent) continue;
      Params others = cell.params;
      others.erase(claim.axis);
      meetings[{cell.program, claim.axis, others}].push_back(i);
    }
  }
  for (bool changed = true; changed;) {  // each takes the lowest number that it meets
    changed = false;
    for (const auto& [meeting, members] : meetings) {
      const auto unit_of = [&](size_t cell) { return cells[cell].unit; };
      const size_t lowest = unit_of(std::ranges::min(members, {}, unit_of));
      for (const size_t i : members) changed |= std::exchange(cells[i].unit, lowest) != lowest;
    }
  }
}

std::vector<std::vector<size_t>> split(std::span<const Cell> cells, int count) {
  struct Unit {
    std::vector<size_t> cells;
    double cost_s = 0;
  };
  std::map<size_t, Unit> by_number;
  for (size_t i = 0; i < cells.size(); ++i) {
    Unit& unit = by_number[cells[i].unit];
    unit.cells.push_back(i);
    unit.cost_s +=
        expected_s(cells[i], cells[i].rounds).value_or(cells[i].limit_s * cells[i].rounds);
  }
  std::vector<Unit> order;
  order.reserve(by_number.size());
  for (auto& [number, unit] : by_number) order.push_back(std::move(unit));
  std::ranges::stable_sort(order, std::greater(), &Unit::cost_s);
  std::vector<std::vector<size_t>> shards(static_cast<size_t>(count));
  using Load = std::pair<double, size_t>;  // seconds so far, shard
  std::set<Load> loads;
  for (size_t i = 0; i < shards.size(); ++i) loads.insert({0, i});
  for (const Unit& unit : order) {
    const auto [seconds, shard] = *loads.begin();
    loads.erase(loads.begin());
    loads.insert({seconds + unit.cost_s, shard});
    shards[shard].insert(shards[shard].end(), unit.cells.begin(), unit.cells.end());
  }
  for (auto& shard : shards) std::sort(shard.begin(), shard.end());
  return shards;
}

std::vector<Slot> slots_of(const Plan& plan) {
  std::vector<Slot> slots = schedule(plan.cells, plan.seed);
  if (plan.shard.count == 1) return slots;
  std::vector<bool> ours(plan.cells.size());
  const auto shards = split(plan.cells, plan.shard.count);
  for (const size_t cell : shards[static_cast<size_t>(plan.shard.index) - 1]) ours[cell] = true;
  std::erase_if(slots, [&](const Slot& slot) { return !ours[slot.cell]; });
  return slots;
}

}  // namespace cliffbench
