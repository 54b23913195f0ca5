#include <algorithm>

#include "cases/call_kernel/builder/program.hpp"

namespace zk {
namespace {

/// What is reached in one circuit.
struct Reach {
  std::vector<std::uint8_t> slots;  // variables; the first slot of a hint that is kept
  std::vector<bool> outputs;        // of the circuit, by place
  bool constrained = false;         // it, or a circuit that it calls, has a constraint
  bool called = false;
};

using Reached = std::map<std::uint64_t, Reach>;

/// One sweep over one circuit, last instruction first. Whether another circuit's reach has grown.
bool sweep(const Draft& draft, Reach& reach, Reached& all) {
  bool grown = false;
  for (size_t i = 0; i < draft.outputs.size(); ++i) {
    if (reach.outputs[i]) reach.slots[draft.outputs[i]] = true;
  }
  for (Slot slot = draft.num_slots(); slot-- > draft.num_inputs() + 1;) {
    const Op op = draft.op(slot);
    if (op == Op::more_outputs) {
      continue;
    }
    if (op == Op::hint || op == Op::call) {
      const Slot end = slot + draft.num_outputs(slot);
      for (Slot output = slot + 1; output < end; ++output) {
        // a call's outputs are reached one by one, below
        if (reach.slots[output] && op == Op::hint) reach.slots[slot] = true;
      }
    }
    if (op != Op::call) {
      if (reach.slots[slot]) {
        draft.for_each_operand(slot, [&](Slot operand) { reach.slots[operand] = true; });
      }
      continue;
    }
    Reach& callee = all.at(draft.id(slot));
    bool kept = callee.constrained;
    for (std::uint32_t i = 0; i < draft.num_outputs(slot); ++i) {
      if (!reach.slots[slot + i]) continue;
      kept = true;
      if (!callee.outputs[i]) callee.outputs[i] = grown = true;
    }
    if (!kept) continue;
    if (!callee.called) callee.called = grown = true;
    if (callee.constrained && !reach.constrained) reach.constrained = grown = true;
    const auto inputs = draft.inputs(slot);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (callee.slots[i + 1]) reach.slots[inputs[i]] = true;
    }
  }
  return grown;
}

template <typename Flags>
size_t count(const Flags& flags) {
  return static_cast<size_t>(std::count(flags.begin(), flags.end(), true));
}

Reached reach_of(const Program& program) {
  Reached all;
  for (const auto& [id, draft] : program) {
    Reach& reach = all[id];
    reach.slots.resize(draft.num_slots());
    reach.outputs.resize(draft.outputs.size(), id == 0);
    reach.constrained = !draft.constraints.empty();
    reach.called = id == 0;
    for (const DraftConstraint& constraint : draft.constraints) reach.slots[constraint.slot] = true;
  }
  // Every sweep only adds, so this ends; without sub-circuits after one.
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [id, draft] : program) {
      Reach& reach = all.at(id);
      const size_t before = program.size() > 1 ? count(reach.slots) : 0;
      grown |= sweep(draft, reach, all);
      if (program.size() > 1) grown |= count(reach.slots) != before;
    }
  }
  return all;
}

bool call_is_kept(const Draft& draft, Slot slot, const Reach& reach, const Reach& callee) {
  if (callee.constrained) return true;
  for (std::uint32_t i = 0; i < draft.num_outputs(slot); ++i) {
    if (reach.slots[slot + i]) return true;
  }
  return false;
}

/// The circuit with what is reached only, renumbered.
Draft reduced(const Draft& draft, const Reach& reach, const Reached& all) {
  Draft out;
  std::vector<Slot> moved(draft.num_slots());
  for (Slot slot = 1; slot <= draft.num_inputs(); ++slot) {
    if (!reach.slots[slot]) continue;
    out.add_inputs(1);
    moved[slot] = out.num_inputs();
  }
  std::vector<Slot> inputs;
  std::vector<DraftTerm> terms;
  for (Slot slot = draft.num_inputs() + 1; slot < draft.num_slots(); ++slot) {
    const Op op = draft.op(slot);
    if (op == Op::more_outputs) continue;
    if (op == Op::call) {
      const Reach& callee = all.at(draft.id(slot));
      if (!call_is_kept(draft, slot, reach, callee)) continue;
      inputs.clear();
      const auto given = draft.inputs(slot);
      for (size_t i = 0; i < given.size(); ++i) {
        if (callee.slots[i + 1]) inputs.push_back(moved[given[i]]);
      }
      Slot next = out.add_call(op, draft.id(slot), inputs,
                               static_cast<std::uint32_t>(count(callee.outputs)));
      for (std::uint32_t i = 0; i < draft.num_outputs(slot); ++i) {
        if (callee.outputs[i]) moved[slot + i] = next++;
      }
      continue;
    }
    if (!reach.slots[slot]) continue;
    if (op == Op::lin_comb) {
      terms.clear();
      for (size_t i = 0, n = draft.num_terms(slot); i < n; ++i) {
        const DraftTerm term = draft.term(slot, i);
        terms.push_back({moved[term.slot], term.coefficient});
      }
      moved[slot] = out.add_lin_comb(terms, draft.constant(slot));
    } else if (op == Op::constant) {
      moved[slot] = out.add_constant(draft.constant(slot));
    } else if (op == Op::random) {
      moved[slot] = out.add_random();
    } else {
      inputs.clear();
      for (const Slot input : draft.inputs(slot)) inputs.push_back(moved[input]);
      if (op == Op::hint) {
        moved[slot] = out.add_call(op, draft.id(slot), inputs, draft.num_outputs(slot));
        for (std::uint32_t i = 1; i < draft.num_outputs(slot); ++i) {
          moved[slot + i] = moved[slot] + i;
        }
      } else {
        moved[slot] = out.add(op, inputs);
      }
    }
  }
  for (size_t i = 0; i < draft.outputs.size(); ++i) {
    if (reach.outputs[i]) out.outputs.push_back(moved[draft.outputs[i]]);
  }
  for (const auto& [slot, kind] : draft.constraints) out.constraints.push_back({moved[slot], kind});
  return out;
}

/// Nothing to drop: every instruction and input is reached, and every output wanted.
bool whole(const Draft& draft, const Reach& reach, const Reached& all) {
  for (Slot slot = 1; slot < draft.num_slots(); ++slot) {
    if (reach.slots[slot] || draft.op(slot) == Op::more_outputs) continue;
    if (draft.op(slot) == Op::call && call_is_kept(draft, slot, reach, all.at(draft.id(slot)))) {
      continue;
    }
    return false;
  }
  return count(reach.outputs) == reach.outputs.size() && reach.called;
}

}  // namespace

bool remove_unreachable(Program& program) {
  const Reached all = reach_of(program);
  bool changed = false;
  for (auto at = program.begin(); at != program.end();) {
    const Reach& reach = all.at(at->first);
    if (!reach.called) {
      at = program.erase(at);
      changed = true;
      continue;
    }
    if (!whole(at->second, reach, all)) {
      changed = true;
      break;
    }
    ++at;
  }
  if (!changed) return false;
  Program kept;
  for (const auto& [id, draft] : program) {
    if (all.at(id).called) kept.emplace(id, reduced(draft, all.at(id), all));
  }
  program = std::move(kept);
  return true;
}

void copy_repeated_outputs(Draft& draft) {
  std::vector<bool> seen(draft.num_slots());
  for (Slot& output : draft.outputs) {
    if (!seen[output]) {
      seen[output] = true;
      continue;
    }
    const DraftTerm copied[] = {{output, Coefficients::kOne}};
    output = draft.add_lin_comb(copied, Coefficients::kZero);
  }
}

}  // namespace zk
