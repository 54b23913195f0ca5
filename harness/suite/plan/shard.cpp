#include "harness/suite/plan/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "harness/core/text/text.hpp"

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

void number_blocks(std::vector<Cell>& cells, const std::map<std::string, Description>& programs) {
  using Group = std::tuple<std::string, std::string, Params>;  // program, axis left open, point
  std::map<Group, std::vector<size_t>> groups;
  for (size_t i = 0; i < cells.size(); ++i) {
    Cell& cell = cells[i];
    cell.block = i;
    groups[{cell.program, "", cell.params}].push_back(i);
    for (const Claim& claim : programs.at(cell.program).declared.claims) {
      if (claim.quantity != Quantity::exponent) continue;
      Params others = cell.params;
      others.erase(claim.axis);
      groups[{cell.program, claim.axis, others}].push_back(i);
    }
  }
  for (bool changed = true; changed;) {  // each takes the lowest number that it meets
    changed = false;
    for (const auto& [comparison, members] : groups) {
      const auto block_of = [&](size_t cell) { return cells[cell].block; };
      const size_t lowest = block_of(std::ranges::min(members, {}, block_of));
      for (const size_t i : members) changed |= std::exchange(cells[i].block, lowest) != lowest;
    }
  }
}

std::vector<std::vector<size_t>> split(std::span<const Cell> cells, int count) {
  std::map<size_t, size_t> places;  // of the blocks, by number
  for (const Cell& cell : cells) places.try_emplace(cell.block);
  size_t place = 0;
  for (auto& [number, at] : places) at = place++;
  std::vector<std::vector<size_t>> shards(static_cast<size_t>(count));
  for (size_t i = 0; i < cells.size(); ++i) {
    shards[places[cells[i].block] % shards.size()].push_back(i);
  }
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
